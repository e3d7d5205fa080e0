// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceInterop
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceDebugger
@testable import LifetraceJudging

/// Where a rule is broken more often than its words are kept, the prompt still goes to every place.
///
/// LIFETRACE_TEST_SCALE makes the walk longer.
@Suite struct EveryViolationTests {
  private static let scale =
    getenv("LIFETRACE_TEST_SCALE").flatMap { Double(String(cString: $0)) } ?? 1

  /// Two apps that take turns: an edit, and a suspension without a save, again and again.
  private static func story(rounds: Int) -> String {
    var lines = ["app a#1", "app b#1"]
    for app in ["a#1", "b#1"] {
      lines.append("+0s \(app) main process.start reason=icon app=\(app.prefix(1))")
      lines.append("+0.01s \(app) main state.transition from=not-running to=background by=host")
    }
    for round in 1...rounds {
      for (offset, app) in ["a#1", "b#1"].enumerated() {
        let time = Double(round) + Double(offset) * 0.25
        lines.append(
          "+\(time)s \(app) main data.dirty o\(round % 7) version=\(round) bytes=\(round)"
        )
        lines.append("+\(time + 0.1)s \(app) main state.suspend evidence=host by=host")
        lines.append("+\(time + 0.2)s \(app) main state.resume reason=user evidence=host by=host")
        lines.append(
          "+\(time + 0.21)s \(app) main data.durable o\(round % 7) version=\(round) level=disk"
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func session(_ story: String) throws -> Session {
    let session = Session(
      player: Player(Timeline(try Story.parse(story).source)),
      title: "many",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    return session
  }

  /// Walks with `command` to where it says no, and returns where it stood.
  private func walk(_ session: Session, _ command: String) throws -> [String] {
    var places: [String] = []
    while true {
      do {
        let said = try session.say(command)
        guard said[0].hasPrefix("Violation #") else { return places }
        let place = try #require(session.player.place)
        places.append("\(session.player.name(of: place)) \(said[0])")
      } catch let error as CommandError {
        #expect(!error.isUsage)
        return places
      }
    }
  }

  @Test func aWalkVisitsEveryViolationBothWays() throws {
    let rounds = Int(400 * Self.scale)
    let text = Self.story(rounds: rounds)
    let story = try Story.parse(text)
    let checker = Judgement().checker(of: story.source)
    let counted = checker.counts.reduce(0) { $0 + $1.violated }
    #expect(checker.finish().count { $0.outcome == .violated } < counted)
    let session = try session(text)
    _ = try session.say("goto start")
    let forward = try walk(session, "next violation")
    #expect(forward.count == counted)
    #expect(Set(forward).count == counted)
    // Each says what happened there, not what happened elsewhere.
    for (index, line) in forward.enumerated() where line.contains("DS01") {
      let place = try #require(line.split(separator: " ").first)
      let round = (Int(place.split(separator: ":")[1]) ?? 0) / 4 + 1
      #expect(line.contains("Violation #\(index + 1), DS01"), "\(line)")
      #expect(line.contains("o\(round % 7) was not saved"), "\(line)")
      #expect(line.contains("version \(round)"), "\(line)")
    }
    _ = try session.say("goto end")
    #expect(try walk(session, "prev violation") == forward.reversed())
    _ = try session.say("goto start")
    #expect(try walk(session, "continue") == forward)
    _ = try session.say("goto end")
    #expect(try walk(session, "reverse-continue") == forward.reversed())
  }

  @Test func whatIsToldAgainIsWhatWasKept() throws {
    let session = try session(Self.story(rounds: 150))
    let player = session.player
    let findings = try session.findings()
    let judgement = session.settings.judgement
    for finding in findings.violations {
      guard let kept = finding.kept else { continue }
      let bare = Finding(
        number: finding.number,
        rule: finding.rule,
        severity: finding.severity,
        isViolation: finding.isViolation,
        stream: finding.stream,
        sequence: finding.sequence,
        object: finding.object,
        time: finding.time,
        kept: nil,
        ruleIndex: finding.ruleIndex,
        given: finding.given
      )
      #expect(try player.verdict(of: bare, by: judgement) == kept)
    }
    #expect(findings.violations.contains { $0.kept == nil })
  }

  @Test func whyAndGotoKnowThem() throws {
    let session = try session(Self.story(rounds: 300))
    let findings = try session.findings()
    let finding = try #require(findings.violations.last { $0.rule == "DS01" })
    #expect(finding.kept == nil && finding.object == "o6")
    let name = session.name(of: finding)
    _ = try session.say("goto start")
    #expect(try session.say("why \(name)")[0].contains("o6 was not saved"))
    #expect(session.player.here.ordinal == 0)
    #expect(try session.say("why #\(finding.number)")[0].contains("o6 was not saved"))
    #expect(try session.say("goto #\(finding.number)")[0].contains("o6 was not saved"))
    #expect(session.player.place.map(session.player.name(of:)) == name)
    _ = try session.say("goto start")
    _ = try session.say("goto \(name)")
    #expect(try session.say("why")[0].contains("o6 was not saved"))
    let list = try session.say("violations DS01 all")
    #expect(list.count == 600)
    #expect(
      list.contains { $0.contains(" \(name) ") && $0.hasSuffix("  o6") },
      "\(list.last ?? "")"
    )
    let first = try session.say("violations")
    #expect(
      first.contains { $0.contains("Not listed are 400 of DS01: violations DS01") },
      "\(first)"
    )
  }

  @Test func pastTheLimitTheWalkSaysSo() throws {
    let session = try session(Self.story(rounds: 30))
    let player = session.player
    let all = try session.findings().violations.count
    player.adopt(
      try Findings(player.timeline, by: session.settings.judgement, placesMax: 10),
      by: session.settings.judgement
    )
    let findings = try session.findings()
    #expect(findings.violations.count == 10)
    #expect(findings.unplaced.reduce(0) { $0 + $1.count } == all - 10)
    _ = try session.say("goto end")
    _ = try session.say("goto #10")
    let said = try session.say("continue")[0]
    #expect(said.contains("No violation on the way. Violations beyond"), "\(said)")
    #expect(said.contains("\(all - 10) of DS01"), "\(said)")
  }
}
