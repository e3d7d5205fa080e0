// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetracePlatform
import LifetraceTrace
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceTimeline
import LifetraceWords

extension Session {
  /// Whether no process of the recording can be judged: none linked the SDK, and none is of a log.
  var isUnjudged: Bool {
    !player.timeline.streams.contains { $0.attributes.role.isJudged }
  }

  /// What is said where no violation was found.
  var nothingBroken: String {
    guard !isUnjudged else { return Unjudged.nothingJudged }
    return ["No rule is broken in this recording.", unjudged].compactMap { $0 }
      .joined(separator: " ")
  }

  /// What no rule could look at, as far as the recording was checked.
  var unjudged: String? { player.unjudged?.sentence }

  /// What the rules say, checked once for each judgement; Ctrl-C ends the waiting.
  ///
  /// A person sees how far it is. The check that runs beside the prompt is waited for.
  func findings() throws -> Findings {
    let progress = ProgressLine(total: player.timeline.count, isShown: isWatched)
    defer { progress.clear() }
    if let background {
      guard background.judgement == settings.judgement else {
        background.stop()
        self.background = nil
        return try findings()
      }
      while !adopt() {
        if player.isInterrupted() { throw SearchInterrupted() }
        progress.show(background.judged)
        usleep(20_000)
      }
    }
    return try player.findings(settings.judgement) { progress.show($0) }
  }

  /// What the check beside the prompt found, once; nil while it runs, and when all has been said.
  func newsOfCheck() -> String? {
    guard background != nil, adopt(), let found = try? findings() else { return nil }
    guard let gravest = found.gravest else { return "Checked: no rule is broken." }
    return "Checked: \(Quantity.count(found.violations.count, "violation")). "
      + "The gravest is \(gravest.rule), at \(name(of: gravest)): "
      + "goto #\(gravest.number)"
  }

  /// Takes over the result of the check beside the prompt; true when it runs no more.
  private func adopt() -> Bool {
    guard let background else { return true }
    switch background.result {
    case .running: return false
    case .found(let findings):
      player.adopt(findings, by: background.judgement)
      fallthrough
    case .none:
      self.background = nil
      return true
    }
  }
}

/// A line that says how far a long search is, over and over in the same place.
final class ProgressLine {
  private let total: Int
  private let isShown: Bool
  private let start = ProgressLine.now()
  private var last: Int64 = 0

  /// Shows nothing without a terminal, and nothing of a check that is soon over.
  init(total: Int, isShown: Bool) {
    self.total = total
    self.isShown = isShown
  }

  func show(_ done: Int) {
    guard isShown, total > 0 else { return }
    let now = Self.now()
    guard now - start > 300_000_000, now - last > 100_000_000 else { return }
    last = now
    _ = Descriptor.write(
      "\(Paint.clearLine)Checking the rules: \(done / max(1, total / 100)) % of "
        + "\(Quantity.count(total, "event")), Ctrl-C stops",
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
