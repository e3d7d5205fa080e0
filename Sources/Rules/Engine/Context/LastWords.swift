// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What a process printed last of all, and the stack that its runtime printed of a crash.
///
/// The recorder writes both as lines of the log: what went to stderr as errors, the report of a
/// crash as faults, a function of the stack with its place in the source as the site.
struct LastWords: Sendable {
  /// A line of the log.
  struct Line: Opened {
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    let text: NameID
  }

  /// The last lines to stderr, in order.
  private(set) var lines: [Line] = []
  /// The innermost functions of the stack that have a name.
  private(set) var frames: [Line] = []

  private static let linesMax = 2
  private static let framesMax = 24

  /// Keeps a line that the recorder read.
  mutating func printed(_ event: borrowing Event) {
    guard event.observer == .recorder else { return }
    let log = Payload.Log(event)
    let line = Line(
      time: event.time,
      sequence: event.sequence,
      site: event.site,
      text: log.text
    )
    switch log.level.value {
    case .error where log.text != .empty:
      if lines.count == Self.linesMax { lines.removeFirst() }
      lines.append(line)
    case .fault:
      if event.site != .none, frames.count < Self.framesMax { frames.append(line) }
    default: break
    }
  }
}
