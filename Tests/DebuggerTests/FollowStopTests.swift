// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Testing

@testable import LifetraceDebugger

/// What is asked again and again is of all lives, those too that come while it is recorded.
@Suite struct FollowStopTests {
  /// A recording whose writers come one after the other.
  private final class Coming: EventSource {
    private let whole: MemorySource
    /// How many have come.
    var count: Int

    init(_ whole: MemorySource, count: Int) { (self.whole, self.count) = (whole, count) }

    let settles = true
    var names: Names { whole.names }
    var streams: [SourceStream] { Array(whole.streams.prefix(count)) }
    func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
      whole.decode(chunk: chunk, of: stream)
    }
    func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
    func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
  }

  /// Two lives of an app, and two of a daemon; the first of each are there at the beginning.
  private static let story = """
    app notes#1 pid=1
    app syncd#1 pid=2 role=daemon
    app notes#2 app=notes pid=3 previous=notes#1 started=10s
    app syncd#2 app=syncd pid=4 role=daemon previous=syncd#1 started=11s
    +0s     notes#1 main process.start reason=icon app=notes
    +1s     syncd#1 main process.start reason=exec app=syncd
    +2s     notes#1 main task.begin id=1 name=upload
    +3s     notes#1 main task.end id=1
    +4s     syncd#1 main process.exit cause=exit
    +5s     notes#1 main process.exit cause=crash code=11
    +10s    notes#2 main process.start reason=icon app=notes
    +11s    syncd#2 main process.start reason=exec app=syncd
    +12s    syncd#2 main task.begin id=5 name=sync
    +13s    notes#2 main task.begin id=1 name=upload
    +14s    notes#2 main mark here

    """

  private func session() throws -> (Session, Coming) {
    let source = Coming(try Story.parse(Self.story).source, count: 2)
    let player = Player(Timeline(source))
    let session = Session(player, DebuggerOptions(title: "live", judgement: Judgement()))
    session.settings.judgement.rules = try RuleSelection("NQ01")
    player.awaitMore = { [unowned session] () throws(SearchInterrupted) in
      try session.awaitMore()
    }
    session.follow = Follow { .live }
    return (session, source)
  }

  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  @Test func aStopIsOfTheLivesThatComeToo() throws {
    let (session, source) = try session()
    _ = try session.say("goto 1")
    _ = try session.say("watch count tasks")
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 3)
    _ = try session.say("break mark if syncd.count tasks > 0")
    _ = try session.say("ignore 1 1")
    _ = try session.say("display syncd.count tasks")
    #expect(try said(session, "print syncd.count tasks").contains("= 0"))
    source.count = 4
    _ = session.lookForMore()
    #expect(session.player.stops.all.map(\.number) == [1, 2])
    #expect(session.player.stops[1]?.hits == 1)
    #expect(session.player.stops[1]?.ignores == 1)
    let reached = try said(session, "continue")
    #expect(
      session.player.here.ordinal == 10,
      "the end of the first task is passed over: \(reached)"
    )
    #expect(reached.contains("Stop 1: count tasks: 0 -> 1"), "\(reached)")
    #expect(reached.contains("syncd.count tasks = 1"), "\(reached)")
    #expect(try said(session, "continue").contains("Stop 2: mark if syncd.count tasks > 0"))
    #expect(session.player.here.ordinal == 11)
  }

  /// `set only` means all lives of an app, those to come with them; one life is that one.
  @Test(arguments: [("notes", [6, 7, 10, 11]), ("notes#1", [6]), ("syncd", [8, 9])])
  func theOnlyAppLivesAgain(_ name: String, _ left: [Int]) throws {
    let (session, source) = try session()
    _ = try session.say("goto 5")
    _ = try session.say("set only \(name)")
    source.count = 4
    _ = session.lookForMore()
    session.follow = Follow { .ended }
    _ = session.lookForMore()
    var met: [Int] = []
    while (try? session.say("step")) != nil, met.last != session.player.here.ordinal {
      met.append(session.player.here.ordinal)
    }
    #expect(met == left, "\(name): \(met)")
    _ = try session.say("set only all")
    #expect(session.player.only == nil)
  }

  @Test(arguments: ["until count tasks > 0", "until task.begin && name == \"upload\"", "next task"])
  func waitingHearsOfTheNextLife(_ line: String) throws {
    let (session, source) = try session()
    _ = try session.say("goto 6")
    session.follow = Follow {
      source.count = 4
      return .live
    }
    _ = try session.say(line)
    let wanted = line == "next task" ? 9 : 10
    #expect(session.player.here.ordinal == wanted, "\(session.player.here.ordinal)")
  }
}
