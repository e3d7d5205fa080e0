// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugger

/// `why` where no rule speaks: at any event, of a notification, of what is not there yet.
@Suite struct WhyTests {
  private static let busy = """
    app notes#1 pid=12 profile=ios13
    +0s     notes#1 main process.start reason=icon app=notes
    +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
    +0.06s  notes#1 main state.transition from=inactive to=active by=host
    +1s     notes#1 main turn.begin id=3
    +1.01s  notes#1 main callback.begin refresh id=4 @Notes/List.swift:10
    +1.02s  notes#1 main work.begin decode kind=compute id=5 @Notes/List.swift:20
    +1.05s  notes#1 main log "half" text="half" level=1
    +1.09s  notes#1 main work.end id=5
    +1.1s   notes#1 main callback.end id=4
    +1.11s  notes#1 main turn.end id=3
    +2s     notes#1 t7   resource.acquire db class=lock @Notes/Store.swift:7
    +2.01s  notes#1 main wait.begin id=8 on=db @Notes/List.swift:30
    +2.05s  notes#1 t7   resource.release db class=lock
    +2.06s  notes#1 main wait.end id=8
    +3s     notes#1 main task.begin id=9 name=upload
    +4s     notes#1 main task.end id=9

    """

  private func why(_ event: Int, _ story: String = busy) throws -> String {
    let player = Player(Timeline(try Story.parse(story).source))
    let session = Session(player, DebuggerOptions(title: "story", judgement: Judgement()))
    // No rule is asked that could answer instead.
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto \(event)")
    return try session.say("why").joined(separator: "\n")
  }

  @Test("A begin is told with its end, and where the time of it went")
  func turns() throws {
    let turn = try why(4)
    #expect(turn.contains("here") && turn.contains("#10 ") && turn.contains("ended"), "\(turn)")
    #expect(turn.contains("Of 110 ms on main: 70 ms in work \"decode\""), "\(turn)")
    let work = try why(6)
    #expect(work.contains("inside") && work.contains("#5 "), "\(work)")
    #expect(work.contains("It lasts 70 ms."), "\(work)")
    #expect(!work.contains("process.start"), "\(work)")
    let end = try why(9)
    #expect(end.contains("began") && end.contains("longest part"), "\(end)")
  }

  @Test("What happens at once is told with what it is inside of")
  func insides() throws {
    let log = try why(7)
    #expect(log.contains("inside") && log.contains("#6 "), "\(log)")
  }

  @Test("A wait leads to what held it")
  func waits() throws {
    let wait = try why(12)
    #expect(wait.contains("held what it waits for") && wait.contains("#11 "), "\(wait)")
    #expect(wait.contains("Of 50 ms on main: 50 ms waiting for db"), "\(wait)")
  }

  @Test func tasksAndResourcesHaveBothEnds() throws {
    #expect(try why(15).contains("ended  #16"))
    #expect(try why(16).contains("began  #15"))
    #expect(try why(13).contains("began  #11"))
    #expect(try why(11).contains("It lasts 50 ms."))
  }

  @Test func aNotificationIsToldWithItsPostsAndTheSleepBetween() throws {
    let story = try #require(Golden.text("Traces/NQ01-broken/story.txt"))
    let said = try TranscriptTests.run(
      "goto 5\nwhy UIDeviceBatteryStateDidChange\ngoto end\nwhy UIDeviceBatteryStateDidChange\nwhy #1",
      story
    )
    let answers = said.components(between: "(replay) ")
    let waiting = answers[1]
    #expect(waiting.contains("waits to be delivered: 2 posts; the last said full."), "\(waiting)")
    #expect(waiting.contains("delivered later  #7"), "\(waiting)")
    for place in ["suspended  #3", "posted  #4", "posted  #5", "resumed  #6", "delivered  #7"] {
      let parts = place.split(separator: " ").map(String.init)
      for answer in [answers[3], answers[4]] {
        #expect(
          answer.split(separator: "\n").contains {
            $0.contains(parts[0]) && $0.contains("\(parts[1]) ")
          } || answer.contains("posted last") && parts[1] == "#5"
            || answer.contains("delivered: the cause") && parts[1] == "#7",
          "\(place): \(answer)"
        )
      }
    }
  }

  @Test func whatIsNotThereYetIsLookedFor() throws {
    let said = try TranscriptTests.run(
      "goto 15\nwhy settings.plist\nwhy nothing",
      try #require(Golden.text("Traces/tour/recording.txt"))
    )
    #expect(
      said.contains("settings.plist is not there yet: it is first edited at #16, "),
      "\(said)"
    )
    #expect(said.contains("There is nothing to explain about nothing"), "\(said)")
  }
}

extension String {
  fileprivate func components(between mark: String) -> [String] {
    var rest = self[...]
    var found: [String] = []
    while let range = rest.firstRange(of: mark) {
      found.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return Array(found.dropFirst()) + [String(rest)]
  }
}
