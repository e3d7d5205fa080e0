// SPDX-License-Identifier: Apache-2.0

/// The strings of one chunk by their local numbers, each interned when it is asked for.
///
///     var strings = try LocalStrings(from: &input)
///     let id = strings.id(of: 3, in: &names)
///
/// Lengths are compared with the bytes that are left; a string that is not asked for costs nothing.
struct LocalStrings {
  /// Their ids in the reader's names; 0 for the empty string, and for one that was not asked for yet.
  private(set) var ids: [UInt32]
  private let bytes: [UInt8]
  /// Where each ends in the payload, from local number 0, which is empty.
  private let ends: [UInt32]

  init(from input: inout ByteReader) throws(ChunkDamage) {
    let count = try input.count("strings", max: Chunk.rowsMax * 16, bytesEach: 1)
    var ends: [UInt32] = []
    ends.reserveCapacity(count + 1)
    var end = 0
    ends.append(0)
    for _ in 0..<count {
      end += try input.count("string bytes", max: Chunk.stringBytesMax)
      ends.append(UInt32(end))
    }
    let start = UInt32(try input.take(end, "string").lowerBound)
    for index in ends.indices { ends[index] += start }
    self.ends = ends
    bytes = input.bytes
    ids = [UInt32](repeating: 0, count: count + 1)
  }

  /// How many there are, the empty one included.
  var count: Int { ids.count }

  /// How many bytes all strings have together.
  var byteCount: Int { Int(ends[ends.count - 1] - ends[0]) }

  /// The id of the string with this number, which is below ``count``.
  mutating func id(of local: Int, in names: inout Names) -> NameID {
    if ids[local] == 0, local > 0 { intern(local, local, in: &names) }
    return NameID(rawValue: ids[local])
  }

  mutating func internAll(in names: inout Names) {
    if count > 1 { intern(1, count - 1, in: &names) }
  }

  private mutating func intern(_ first: Int, _ last: Int, in names: inout Names) {
    bytes.withUnsafeBufferPointer { bytes in
      for local in first...last {
        let range = Int(ends[local - 1])..<Int(ends[local])
        ids[local] = names.intern(utf8: UnsafeBufferPointer(rebasing: bytes[range])).rawValue
      }
    }
  }
}

/// A site of one chunk, by local numbers of its strings.
struct LocalSite {
  var name: Int
  var file: Int
  var line: UInt32
  var labels: [(name: Int, type: FieldType)]

  /// Which labels are names.
  var nameLabels: UInt16 {
    labels.enumerated().reduce(0) { $1.element.type == .name ? $0 | 1 << UInt16($1.offset) : $0 }
  }

  /// The site in the reader's names.
  func id(_ strings: inout LocalStrings, in names: inout Names) -> SiteID {
    var site = Site(
      name: strings.id(of: name, in: &names),
      file: strings.id(of: file, in: &names),
      line: line
    )
    for label in labels {
      let name = strings.id(of: label.name, in: &names)
      site.labels.append(Field(names[name], label.type))
    }
    return names.intern(site)
  }
}
