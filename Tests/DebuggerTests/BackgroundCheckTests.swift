// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import Support
import Testing
import LifetraceTimeline

@testable import LifetraceDebugger

/// The check of a large recording beside the prompt finds what a check in front of it finds.
@Suite struct BackgroundCheckTests {
  private func session() throws -> (session: Session, story: String) {
    let text = try #require(Golden.text("Traces/tour/recording.txt"))
    let session = Session(
      player: Player(Timeline(try Story.parse(text).source)),
      title: "tour",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    return (session, text)
  }

  @Test func itFindsTheSame() throws {
    let plain = try session()
    let expected = try plain.session.findings()
    #expect(expected.violations.count == 4)
    let (session, text) = try session()
    session.background = BackgroundCheck(
      session.settings.judgement,
      events: session.player.timeline.count
    ) {
      (try? Story.parse(text)).map { $0.source }
    }
    // Waits for it, and then knows it.
    let found = try session.findings()
    #expect(found.violations.map(\.kept) == expected.violations.map(\.kept))
    #expect(found.violations.map(\.sequence) == expected.violations.map(\.sequence))
    #expect(session.background == nil)
  }

  @Test func newsAreToldOnce() async throws {
    let (session, text) = try session()
    session.background = BackgroundCheck(
      session.settings.judgement,
      events: session.player.timeline.count
    ) {
      (try? Story.parse(text)).map { $0.source }
    }
    var news = session.newsOfCheck()
    while news == nil {
      await Task.yield()
      news = session.newsOfCheck()
    }
    #expect(
      news == "Checked: 4 violations. The gravest is DS01, at notes#1:20: goto #1"
    )
    #expect(session.newsOfCheck() == nil)
  }

  @Test func withoutARecordingThePromptChecksItself() throws {
    let (session, _) = try session()
    session.background = BackgroundCheck(
      session.settings.judgement,
      events: session.player.timeline.count
    ) { nil }
    #expect(try session.findings().violations.count == 4)
  }

  @Test func aRecordingThatHasGrownIsNotMistaken() throws {
    let (session, text) = try session()
    let count = session.player.timeline.count
    session.background = BackgroundCheck(session.settings.judgement, events: count) {
      (try? Story.parse(text + "+99s new#1 main mark \"late\"\n+99s new#1 main mark \"later\"\n"))
        .map { $0.source }
    }
    #expect(try session.findings().violations.count == 4)
    #expect(session.player.timeline.count == count)
  }

  @Test func anotherProfileIsCheckedAnew() throws {
    let (session, text) = try session()
    session.background = BackgroundCheck(
      session.settings.judgement,
      events: session.player.timeline.count
    ) {
      (try? Story.parse(text)).map { $0.source }
    }
    _ = try session.say("set profile classic")
    #expect(try session.findings().violations.count == 4)
    #expect(session.background == nil)
  }
}
