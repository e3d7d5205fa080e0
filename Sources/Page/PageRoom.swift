// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace

/// The bytes that a page may still take, and what found no room in it.
///
///     var room = PageRoom(25_000_000)
///     room.take(PageText.bytes(of: story))      // false where the page is full
///
/// A part takes its room when it is made, as it is written in the end: numbers as letters, texts as JSON
/// that ends no script.
struct PageRoom {
  /// What no part has taken.
  private(set) var left: Int
  /// What was left out, a phrase each: `12 lanes`.
  private(set) var leftOut: [String] = []

  init(_ bytes: Int) { left = max(0, bytes) }

  /// Takes room; takes nothing, and says so, where there is too little or it is more than `most`.
  @discardableResult
  mutating func take(_ bytes: Int, most: Int = .max) -> Bool {
    guard bytes <= left, bytes <= most else { return false }
    left -= bytes
    return true
  }

  /// As much of a list as there is room for, of at most `share` of what is left; `what` names the rest.
  mutating func fit(_ values: [JSON], share: Double, _ what: String) -> [JSON] {
    var most = Int(Double(left) * share)
    for (index, value) in values.enumerated() {
      let bytes = PageText.bytes(of: value) + 1
      guard take(bytes, most: most) else {
        leaveOut(values.count - index, what)
        return Array(values.prefix(index))
      }
      most -= bytes
    }
    return values
  }

  /// Notes what found no room: all of so many things, or a `part` of each.
  mutating func leaveOut(_ count: Int, _ what: String, part: String = "") {
    if count > 0 { leftOut.append(part + Quantity.count(count, what)) }
  }

  /// A sentence about what found no room; nil where all did.
  func remark(of bytes: Int) -> String? {
    guard let last = leftOut.last else { return nil }
    let most = leftOut.dropLast().joined(separator: ", ")
    return "A page has at most \(Quantity.count(bytes, "byte")): this one is without "
      + "\(most.isEmpty ? "" : most + " and ")\(last). The recording has all of it."
  }
}

extension PageColumns {
  /// What numbers take as letters.
  static func letters(_ bytes: Int) -> Int { (bytes + 2) / 3 * 4 }
}
