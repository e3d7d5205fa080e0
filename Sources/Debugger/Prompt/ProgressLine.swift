// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A line that says how far long work is, over and over in the same place.
final class ProgressLine {
  private let what: String
  private let total: Int
  private let unit: String
  private let isShown: Bool
  /// A client of another kind than a terminal, which hears the same.
  private let client: ((_ what: String, _ done: Int, _ total: Int) -> Void)?
  private let start = ProgressLine.now()
  private var last: Int64 = 0

  /// Shows nothing without a terminal, and nothing of what is soon over.
  init(
    _ what: String,
    total: Int,
    unit: String,
    isShown: Bool,
    client: ((_ what: String, _ done: Int, _ total: Int) -> Void)?
  ) {
    (self.what, self.total, self.unit) = (what, total, unit)
    (self.isShown, self.client) = (isShown, client)
  }

  func show(_ done: Int) {
    client?(what, done, total)
    guard isShown, total > 0 else { return }
    let now = Self.now()
    guard now - start > 300_000_000, now - last > 100_000_000 else { return }
    last = now
    _ = Descriptor.write(
      "\(Paint.clearLine)\(what): \(min(100, done / max(1, total / 100))) % of "
        + "\(Quantity.count(total, unit)), Ctrl-C stops",
      to: STDOUT_FILENO
    )
  }

  func clear() {
    if last != 0 { _ = Descriptor.write(Paint.clearLine, to: STDOUT_FILENO) }
    last = 0
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Session {
  /// Ends a command that makes rows of what there is, at Ctrl-C; asked at each row.
  func goOn(_ row: inout Int) throws(SearchInterrupted) {
    row += 1
    if row & 0xff == 0, player.isInterrupted() { throw SearchInterrupted() }
  }

  /// The line for work on so many things; shown to a person, once it takes long.
  func progress(_ what: String, _ total: Int, _ unit: String) -> ProgressLine {
    ProgressLine(what, total: total, unit: unit, isShown: isWatched, client: hearsProgress)
  }

  /// Lets the player have at hand what a jump will look at; Ctrl-C stops that, and nothing has moved.
  func approach(event number: Int) throws {
    let progress = progress("Reading what lives there", player.timeline.streams.count, "writer")
    defer { progress.clear() }
    try player.approach(event: number) {
      progress.show($0 * player.timeline.streams.count / max(1, $1))
    }
  }

  /// The same for a jump to a time.
  func approach(_ time: TraceTime) throws {
    let progress = progress("Reading what lives there", player.timeline.streams.count, "writer")
    defer { progress.clear() }
    try player.approach(time) { progress.show($0 * player.timeline.streams.count / max(1, $1)) }
  }
}
