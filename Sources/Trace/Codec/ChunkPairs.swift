// SPDX-License-Identifier: Apache-2.0

/// Which kinds of a chunk's table begin and end each other, as indices into that table.
///
/// The end of a pair leaves out its identity and site where they are those of an open begin on
/// the same thread. Encoder and decoder find the pairs from the same table by the same rule: in
/// table order, each kind in one pair at most.
struct ChunkPairs {
  /// The begin kind and the end kind of each pair, as places in the table.
  private(set) var pairs: [(begin: Int, end: Int)] = []
  /// For each kind, whether it is the end of a pair.
  private(set) var isEnd: [Bool]

  init(_ kinds: [KindInfo]) {
    isEnd = [Bool](repeating: false, count: kinds.count)
    var taken = isEnd
    for (begin, info) in kinds.enumerated() {
      guard let ending = info.ending, !taken[begin],
        let end = kinds.firstIndex(where: { $0.kind == ending }), end != begin, !taken[end]
      else { continue }
      taken[begin] = true
      taken[end] = true
      isEnd[end] = true
      pairs.append((begin, end))
    }
  }
}

/// How an end event says which begin it belongs to: one byte.
enum EndCode {
  /// Below this: the n-th newest open begin of its thread, identity and site are the begin's.
  static let depthMax = 32
  /// From ``depthMax`` to below this: the same, but the site follows in the site column.
  static let siteLimit: UInt8 = 64
  /// Identity and site follow in their columns.
  static let explicit: UInt8 = 255
}

/// How the values of a column are stored.
enum ColumnMode: UInt8 {
  /// All rows have the base's value.
  case constant = 0
  /// The value less the base.
  case offset = 1
  /// The zigzag difference from the row before; from the base at the start of a stride.
  case delta = 2
}
