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
  /// A person sees how far it is. What was kept of an earlier time is taken where it is of the same. The
  /// check that runs beside the prompt is waited for. Of a recording that has grown it is what they said
  /// before, unless it is to be `upToDate`.
  package func findings(upToDate: Bool = false) throws -> Findings {
    if !player.hasJudged(by: settings.judgement), background == nil, recall() {
      return try player.findings(settings.judgement)
    }
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
    let isNew = !player.hasJudged(by: settings.judgement)
    let found =
      upToDate
      ? try player.judgeAnew(settings.judgement) { progress.show($0) }
      : try player.findings(settings.judgement) { progress.show($0) }
    if isNew { verdicts?.keep(found, settings.judgement, player.timeline) }
    return found
  }

  /// The same, but nil as long as the check beside the prompt runs: that is not waited for.
  func findingsAtHand() throws -> Findings? {
    guard let background, background.judgement == settings.judgement, !adopt() else {
      return try findings()
    }
    return nil
  }

  /// Takes over what the rules said an earlier time; false where nothing is kept, or not of the same.
  func recall() -> Bool {
    guard let kept = verdicts?.findings(settings.judgement, player.timeline) else { return false }
    player.adopt(kept, by: settings.judgement)
    return true
  }

  /// Says, once, that what was kept of an earlier time is dropped.
  func tellVerdictNews(in answer: inout Answer) {
    guard let news = verdicts?.takeNews(), !news.isEmpty else { return }
    answer.say("verdicts", news, .warning)
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
      verdicts?.keep(findings, background.judgement, player.timeline)
      fallthrough
    case .none:
      self.background = nil
      return true
    }
  }
}
