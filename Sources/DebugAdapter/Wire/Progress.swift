// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetracePlatform

/// How far a request is, for a client that shows it; nothing is said of what is soon over.
final class Progress {
  /// What takes less is not told.
  static let quietNanoseconds: Int64 = 300_000_000
  /// Between two reports.
  static let pauseNanoseconds: Int64 = 100_000_000

  private let id: String
  private let request: Int64
  private let isHeard: Bool
  private let send: (String, [(String, JSON)]) -> Void
  private let start = Progress.now()
  private var last: Int64?

  init(
    _ id: String,
    of request: Int64,
    isHeard: Bool,
    send: @escaping (String, [(String, JSON)]) -> Void
  ) {
    (self.id, self.request, self.isHeard, self.send) = (id, request, isHeard, send)
  }

  /// Says that `done` of `total` are behind.
  func show(_ what: String, _ done: Int, _ total: Int) {
    guard isHeard, total > 0 else { return }
    let now = Self.now()
    guard now - start > Self.quietNanoseconds,
      last.map({ now - $0 > Self.pauseNanoseconds }) ?? true
    else { return }
    let percentage = ("percentage", JSON(min(100, done / max(1, total / 100))))
    if last == nil {
      send(
        "progressStart",
        [
          ("progressId", .string(id)), ("title", .string(what)), ("requestId", .int(request)),
          ("cancellable", .bool(true)), percentage,
        ]
      )
    } else {
      send("progressUpdate", [("progressId", .string(id)), percentage])
    }
    last = now
  }

  /// It is over, whatever came of it.
  func end() {
    if last != nil { send("progressEnd", [("progressId", .string(id))]) }
    last = nil
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
