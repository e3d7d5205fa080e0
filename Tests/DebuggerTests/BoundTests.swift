// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Testing

@testable import LifetraceDebugger

/// More is open, or kept, than the fold has room for: no answer tells the part for the whole.
@Suite struct BoundTests {
  private static let launch = """
    app notes#1
    +0s notes#1 main process.start reason=icon app=notes
    +0.01s notes#1 main state.transition from=not-running to=inactive by=host
    +0.02s notes#1 main state.transition from=inactive to=active by=host

    """

  /// A session at the end of a launch with `count` of `line`, in which `%` is the number of each.
  private func session(_ count: Int, _ line: String, _ last: String = "") throws -> Session {
    let parts = line.split(separator: "%", omittingEmptySubsequences: false)
    let lines = (1...count).map { "+1s notes#1 " + parts.joined(separator: "\($0)") }
    let text = Self.launch + lines.joined(separator: "\n") + "\n" + last + "\n"
    let session = Session(
      player: Player(Timeline(try Story.parse(text).source)),
      title: "many",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto end")
    return session
  }

  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  @Test func objectsBeyondTheBoundAreCountedAsAtLeast() throws {
    let session = try session(
      LifeState.objectsMax + 2,
      "main data.dirty o%.txt version=1 bytes=10",
      "+2s notes#1 main process.exit cause=purge by=recorder"
    )
    #expect(try said(session, "ps").contains("at least 320 KiB lost"))
    let state = try said(session, "state")
    #expect(state.contains("at least 320 KiB in o1.txt"), "\(state)")
    #expect(state.contains("at least 32,764 more"), "\(state)")
    #expect(
      state.contains("more than 32,768 data objects at once; the rest is not followed"),
      "\(state)"
    )
    let dirty = try session.say("dirty")
    #expect(dirty.count(where: { $0.contains("lost at its end") }) == Ledgers.rowsMax)
    #expect(dirty.contains("… and 32,668 more: dirty notes#1 32768"), "\(dirty.suffix(4))")
    #expect(
      dirty.contains("More than 32,768 data objects at once; the rest is not listed."),
      "\(dirty.suffix(4))"
    )
    #expect(try session.say("dirty 3").count(where: { $0.contains("lost at its end") }) == 3)
    let why = try said(session, "why o32770.txt")
    #expect(why.contains("o32770.txt is not followed: there are more than 32,768"), "\(why)")
    #expect(try said(session, "lossmap").contains("More than 32,768 data objects at once"))
    let map = try said(session, "diff start")
    #expect(map.contains("More than 32,768 data objects at once; the rest is not compared."))
  }

  @Test(arguments: [
    ("spans", "t2 work.begin %", "open spans"),
    ("tasks", "main task.begin % name=sync handler=true", "background tasks"),
    ("resources", "main resource.acquire lock% class=lock", "resources"),
    ("deadlines", "main deadline.open % what=upload budget=30s", "deadlines"),
  ])
  func openThingsBeyondTheBoundAreSaid(command: String, line: String, things: String) throws {
    let session = try session(LifeState.openMax + 1, line)
    let rows = try session.say(command)
    #expect(rows.contains { $0.hasPrefix("… and 99,900 more: \(command) notes#1 100000") })
    let bound = "more than 100,000 \(things) at once"
    #expect(rows.contains { $0.lowercased().contains(bound) }, "\(rows.suffix(4))")
    #expect(try said(session, "state").contains(bound))
  }

  /// A list that is short enough is all there is, and says no more.
  @Test func whatHasRoomIsListedWhole() throws {
    let session = try session(Ledgers.rowsMax, "main data.dirty o%.txt version=1 bytes=10")
    let dirty = try session.say("dirty")
    #expect(dirty.count(where: { $0.contains("o") && $0.contains("unsaved for") }) == 100)
    #expect(!dirty.contains { $0.contains("more") || $0.contains("More") }, "\(dirty.suffix(3))")
    #expect(!(try said(session, "state")).contains("at least"))
  }

  /// The picture is asked whether to go on while it closes what is open, however much that is.
  @Test func aPictureOfManyOpenSpansCanBeInterrupted() throws {
    let session = try session(20_000, "main callback.begin cb% id=%")
    _ = try session.findings()
    var asked = 0
    session.player.isInterrupted = {
      asked += 1
      return false
    }
    _ = try session.say("timeline all")
    #expect(asked > 20_000 / 0x100)
  }
}
