// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// The data object that `text` names: by its plain name, or as expressions do it, `data(draft.txt)` with
  /// or without quotes; nil where the recording knows none of that name.
  ///
  /// Costs a search for its first event.
  func dataObject(_ text: String) throws(SearchInterrupted) -> String? {
    for name in [text, Self.bracketed(text)] {
      guard let name, player.names.find(name) != nil else { continue }
      let filter = Player.changes(ofData: name)
      if try player.find(filter, .forward, from: player.timeline.start) != nil { return name }
    }
    return nil
  }

  /// The same, and any other text as it is: for commands that take names.
  func plainName(_ text: String) throws(SearchInterrupted) -> String {
    Self.bracketed(text) == nil ? text : try dataObject(text) ?? text
  }

  /// The name of this recording that was meant by `text`, which it does not know; nil where none is near.
  ///
  /// Costs a comparison with each name of nearly its length.
  func near(_ text: String) -> String? {
    guard player.names.find(text) == nil else { return nil }
    return nearest(to: text, among: player.names.strings.filter { !$0.isEmpty })
  }

  /// ` Did you mean draft.txt?`, or nothing.
  func didYouMean(_ text: String) -> String {
    near(text).map { " Did you mean \(Printable.line($0))?" } ?? ""
  }

  /// What stands in the brackets of `data(…)`.
  private static func bracketed(_ text: String) -> String? {
    guard text.hasPrefix("data("), text.hasSuffix(")") else { return nil }
    let inside = text.dropFirst("data(".count).dropLast()
    guard inside.count > 2, inside.first == "\"", inside.last == "\"" else { return String(inside) }
    return String(inside.dropFirst().dropLast())
  }
}
