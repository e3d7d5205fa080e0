// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceWords

/// The characters of a timeline: each look has its own, so that colours only help.
struct Glyphs {
  /// Whether only ASCII is drawn.
  let isASCII: Bool

  /// Between the names and the picture.
  var border: String { isASCII ? "|" : "│" }
  /// The two sides of a cut.
  var cut: String { isASCII ? "/" : "╱" }
  /// Where you are.
  var here: String { "^" }
  /// The end of a name that was cut.
  var ellipsis: String { isASCII ? "~" : "…" }

  func bar(_ look: Bar.Look, count: UInt32) -> (glyph: String, style: Style, word: String) {
    let pick = { (plain: String, rich: String) in isASCII ? plain : rich }
    return switch look {
    case .running: (pick("-", "─"), .plain, "running")
    case .inactive: (pick("i", "▓"), .plain, "inactive")
    case .active: (pick("A", "█"), .good, "active")
    case .background: (pick("b", "▒"), .plain, "background")
    case .suspended: (pick(".", "·"), .faint, "suspended")
    case .callback: (pick("=", "━"), .name, "callback or work")
    case .turn: (pick("_", "▁"), .faint, "run loop")
    case .work: (pick("=", "━"), .name, "callback or work")
    case .wait: (pick("~", "┄"), .warning, "waits")
    case .unsaved: (pick("d", "▄"), .warning, "unsaved")
    case .saving: (pick("w", "▀"), .good, "being saved")
    case .task: (pick("T", "═"), .plain, "background task")
    case .wake: (pick("W", "≈"), .plain, "woken")
    case .deadline: (pick("B", "┈"), .plain, "time budget")
    case .queue:
      (count < 10 ? "\(count)" : "*", .plain, count < 10 ? "1…9 notifications wait" : "more wait")
    case .held: (pick("h", "╌"), .plain, "held")
    }
  }

  func mark(_ kind: Instant.Kind) -> (glyph: String, style: Style, word: String) {
    switch kind {
    case .lost: (isASCII ? "X" : "╳", .bad, "lost")
    case .maybeLost: ("?", .bad, "may be lost")
    case .eventsLost: ("!", .bad, "events missing")
    case .ended: ("x", .bad, "process ended")
    case .purged: ("P", .bad, "purged")
    case .expired: ("E", .bad, "task expired")
    case .failed: ("F", .bad, "save failed")
    case .dropped: ("D", .bad, "notification dropped")
    case .edit: ("e", .warning, "edit")
    case .saved: ("s", .good, "saved")
    case .deferred: ("q", .warning, "save deferred")
    case .discarded: ("g", .plain, "given up")
    case .restored: ("r", .good, "read back")
    case .wake: ("w", .plain, "woken")
    case .launched: ("l", .strong, "launched")
    case .posted: ("p", .plain, "posted")
    case .delivered: ("n", .plain, "delivered")
    case .sent: (">", .plain, "message sent")
    case .received: ("<", .plain, "message received")
    case .device: ("v", .plain, "device")
    case .touch: ("t", .plain, "touch")
    case .test: ("T", .plain, "test")
    case .named: ("m", .plain, "mark")
    case .log: (",", .faint, "log line")
    }
  }
}
