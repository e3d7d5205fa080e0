// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace

/// The texts of a page, each once.
struct PageStrings {
  private(set) var all: [String] = [""]
  private var places: [String: Int] = ["": 0]
  private(set) var bytes = 0

  /// More text is left out, and says so.
  static let bytesMax = 64 << 20
  static let leftOut = "(left out: the page is full)"

  /// The place of a text; one line, without what a terminal or a page would not just draw.
  mutating func place(of text: String) -> Int {
    if let known = places[text] { return known }
    guard bytes < Self.bytesMax || text == Self.leftOut else { return place(of: Self.leftOut) }
    let place = all.count
    places[text] = place
    let plain = Printable.line(text)
    all.append(plain)
    bytes += plain.utf8.count
    return place
  }

  var json: JSON { .array(all.map { .string($0) }) }
}
