// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace

/// The texts of a page, each once.
struct PageStrings {
  private(set) var all: [String] = [""]
  private var places: [String: Int] = ["": 0]
  /// What they take in the page.
  private(set) var bytes = 0
  /// More text is left out, and says so.
  var bytesMax: Int
  static let leftOut = "(left out: the page is full)"

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The place of a text; one line, without what a terminal or a page would not just draw.
  mutating func place(of text: String) -> Int {
    if let known = places[text] { return known }
    let plain = Printable.line(text)
    let more = PageText.bytes(of: .string(plain)) + 1
    guard bytes + more <= bytesMax || text == Self.leftOut else { return place(of: Self.leftOut) }
    let place = all.count
    places[text] = place
    all.append(plain)
    bytes += more
    return place
  }

  var json: JSON { .array(all.map { .string($0) }) }
}
