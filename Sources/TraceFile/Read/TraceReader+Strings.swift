// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The list of strings in an index, and the bytes of the file that it is about.
struct StringList {
  let strings: FooterStrings
  let covered: Range<UInt64>

  /// That of a footer at byte `start`.
  init(_ footer: Footer, at start: UInt64) {
    strings = footer.strings
    covered = start - footer.coveredBytes..<start
  }
}

extension TraceReader {
  /// The lists of all indexes of a file may have this many bytes; beyond it none is used.
  private static let listedBytesMax = 16 << 20

  /// Every string that some event, site or keyframe has, perhaps more than once; nil where the
  /// indexes do not list all of them, as in a file that is being written.
  ///
  /// A list that cannot be read is reported in ``problems``, and none is used then. The first call
  /// decompresses the lists, at some 20 ms for a million bytes.
  package var strings: [String]? {
    if let known = stringsKnown { return known }
    let found = listed()
    stringsKnown = .some(found)
    return found
  }

  private func listed() -> [String]? {
    let lists = stringLists.sorted { $0.covered.lowerBound < $1.covered.lowerBound }
    var open = lists[...]
    for offset in streams.flatMap(\.chunks).map(\.offset).sorted() {
      open = open.drop { $0.covered.upperBound <= offset }
      guard let list = open.first, list.covered.contains(offset) else { return nil }
    }
    var all: [String] = []
    var bytes = 0
    for list in lists {
      guard let strings = read(list) else { return nil }
      bytes += strings.reduce(0) { $0 + $1.utf8.count }
      guard bytes <= Self.listedBytesMax else { return nil }
      all += strings
    }
    return all
  }

  private func read(_ list: StringList) -> [String]? {
    do throws(ChunkDamage) {
      return try list.strings.all(decompressor)
    } catch {
      distrust("\(error)", at: list.covered.upperBound)
      return nil
    }
  }

  /// After all chunks were decoded: whether the lists have what was found in them.
  func compareStrings() {
    // A list that is not asked for is looked at all the same.
    guard let strings, !names.hasDropped else { return }
    let listed = Set(strings)
    guard let missing = names.strings.dropFirst().first(where: { !listed.contains($0) }) else {
      return
    }
    distrust(
      "it has not \"\(Printable.line(missing))\", which stands in a chunk",
      at: stringLists.last?.covered.upperBound ?? 0
    )
    stringsKnown = .some(nil)
  }

  private func distrust(_ why: String, at byte: UInt64) {
    let text =
      "the list of strings in the index at byte \(byte) is of no use: \(why); no event is in it"
    guard !scanProblems.contains(where: { $0.text == text }) else { return }
    scanProblems.append(TraceProblem(.index, at: byte, text))
  }
}
