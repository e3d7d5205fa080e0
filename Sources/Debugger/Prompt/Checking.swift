// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJudging
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
  /// A person sees how far it is. The check that runs beside the prompt is waited for. Of a recording
  /// that has grown it is what they said before, unless it is to be `upToDate`.
  package func findings(upToDate: Bool = false) throws -> Findings {
    let progress = progress("Checking the rules", player.timeline.count, "event")
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
    return upToDate
      ? try player.judgeAnew(settings.judgement) { progress.show($0) }
      : try player.findings(settings.judgement) { progress.show($0) }
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
