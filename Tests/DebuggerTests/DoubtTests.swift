// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceInterop
import LifetraceReports
import LifetraceRules
import Testing

/// What is told of data where events are missing, or the process is gone: no more than is known.
@Suite struct DoubtTests {
  /// A draft in two versions; the save between may be among the events that are missing.
  private static func story(loss: String, end: String) -> String {
    """
    app notes#1
    +0s notes#1 main process.start reason=icon app=notes
    +1s notes#1 main data.dirty draft.txt version=1 bytes=10
    \(loss)
    +5s notes#1 main data.dirty draft.txt version=9 bytes=20
    +6s notes#1 main mark here
    \(end)

    """
  }

  private static let lost = "+2s notes#1 main meta.loss family=data count=300"
  private static let exit = "+7s notes#1 main process.exit cause=exit code=0"

  private func why(_ story: String, at place: String = "end") throws -> String {
    let said = try TranscriptTests.run("goto \(place)\nwhy draft.txt", story)
    return said.split(separator: "(replay) why draft.txt").last.map(String.init) ?? said
  }

  @Test func aDeadProcessHasLostAndALivingOneWould() throws {
    let story = Self.story(loss: "", end: Self.exit)
    let dead = try why(story)
    #expect(
      dead.contains("draft.txt version 9 (20 bytes) was lost; no version of it was ever saved."),
      "\(dead)"
    )
    #expect(
      dead.contains("The end of the process (exit) lost 20 bytes: 6 s of work, since +1.000 s."),
      "\(dead)"
    )
    #expect(!dead.contains("purge here"), "\(dead)")
    let alive = try why(story, at: "4")
    #expect(alive.contains("exists in memory only; no version of it was ever saved."), "\(alive)")
    #expect(alive.contains("A purge here would lose 20 bytes: 5 s of work"), "\(alive)")
  }

  @Test func theNewestVersionIsBehindTheGap() throws {
    let said = try why(Self.story(loss: Self.lost, end: Self.exit))
    #expect(said.contains("draft.txt version 9 (20 bytes) was lost; no save of it is known."))
    #expect(said.contains("lost 20 bytes: up to 6 s of work"), "\(said)")
    #expect(said.contains("Saves in between may be missing: 300 data events lost."), "\(said)")
  }

  @Test func theNewestVersionIsBeforeTheGap() throws {
    let end = "+6.5s notes#1 main meta.loss family=data count=300\n" + Self.exit
    let dead = try why(Self.story(loss: "", end: end))
    #expect(dead.contains("(20 bytes) may have been lost; no save of it is known."), "\(dead)")
    #expect(dead.contains("may have lost 20 bytes: up to 6 s of work"), "\(dead)")
    #expect(dead.contains("A save may be missing: 300 data events lost."), "\(dead)")
    let alive = try why(Self.story(loss: "", end: end), at: "+6.6")
    #expect(alive.contains("is not known to be saved; no save of it is known."), "\(alive)")
    #expect(alive.contains("A purge here may lose 20 bytes"), "\(alive)")
    let dirty = try TranscriptTests.run("goto end\ndirty", Self.story(loss: "", end: end))
    #expect(dirty.contains("no save is known") && !dirty.contains("never saved"), "\(dirty)")
  }

  @Test func whatIsSavedMayHaveBeenEditedInTheGap() throws {
    let save = "+6.2s notes#1 main data.durable draft.txt version=9 level=disk\n"
    let whole = try why(Self.story(loss: "", end: save + Self.exit))
    #expect(whole.contains("The end of the process lost nothing of it."), "\(whole)")
    let alive = try why(Self.story(loss: "", end: save + Self.exit), at: "+6.2")
    #expect(alive.contains("A purge here would lose nothing of it."), "\(alive)")
    let gap = save + "+6.5s notes#1 main meta.loss family=data count=1\n" + Self.exit
    let doubtful = try why(Self.story(loss: "", end: gap))
    #expect(doubtful.contains("Nothing of it is known to be lost."), "\(doubtful)")
    #expect(doubtful.contains("A later edit may be missing: 1 data event lost."), "\(doubtful)")
  }

  /// `check` tells the same doubt in its story of a loss that is certain.
  @Test func checkDoubtsWhatIsBeforeTheGap() throws {
    let save = "+1.5s notes#1 main data.durable draft.txt version=1 level=disk\n"
    let edit = "+1.6s notes#1 main data.dirty draft.txt version=2 bytes=10\n"
    let loss = save + edit + Self.lost
    let story = try Story.parse(Self.story(loss: loss, end: Self.exit))
    let labels = story.writers.map(\.label)
    let checker = Judgement().checker(of: story.source)
    let said = CheckFacts(checker, named: "x", writers: labels.map { .init($0) }).text()
    #expect(said.contains("lost version 9 (20 bytes, unsaved for up to 5.4 s) when"), "\(said)")
    #expect(said.contains("The oldest edit not known to be saved is version 2"), "\(said)")
    #expect(said.contains("The last save that is known was of version 1"), "\(said)")
    #expect(said.contains("; a later one may be missing: 300 data events lost."), "\(said)")
  }

  @Test func aProcessThatToldNoStateIsNotRunningSinceItsEnd() throws {
    let story = """
      app tool#1
      +1s tool#1 main process.start reason=exec app=tool
      +2s tool#1 main mark here
      +3s tool#1 main process.exit cause=exit code=0

      """
    let said = try TranscriptTests.run("goto end\nstate\nwhy state", story)
    #expect(said.contains("not running, since +2.000 s, 0 ns (exit)"), "\(said)")
    #expect(said.contains("tool#1 is not running since +2.000 s; before, it was unknown."))
  }

  @Test func theDeadHaveLostWhatTheyHadNotSaved() throws {
    let story = Self.story(loss: "", end: Self.exit)
    #expect(try TranscriptTests.run("goto 4\nps", story).contains("20 bytes unsaved"))
    let ended = try TranscriptTests.run("goto end\nps", story)
    #expect(ended.contains("20 bytes lost") && !ended.contains("bytes unsaved"), "\(ended)")
  }

  @Test func anOpenWakeIsABudgetThatRuns() throws {
    let story = """
      app notes#1 timeScale=200
      +0s notes#1 main process.start reason=push app=notes
      +1s notes#1 main wake.begin id=1 reason=push by=host
      +3s notes#1 main mark here
      +4s notes#1 main wake.completion id=1 result=new-data

      """
    let open = try TranscriptTests.run("goto 3\ndeadlines\nstate", story)
    #expect(
      open.contains("wake by push  30 s of wall time, 6 s here  since +1.000 s  4 s left"),
      "\(open)"
    )
    #expect(open.contains("by push, not completed, since +1.000 s, 2 s"), "\(open)")
    let done = try TranscriptTests.run("goto end\ndeadlines\nstate", story)
    #expect(done.contains("No time budget runs for notes#1."), "\(done)")
    #expect(!done.contains("not completed"), "\(done)")
  }

  @Test func namesKeepTheirCase() throws {
    let text = """
      app notes#1
      +0s notes#1 main process.start reason=icon app=notes
      +1s notes#1 main data.dirty task version=1 bytes=10
      +7s notes#1 main process.exit cause=exit code=0

      """
    let story = try Story.parse(text)
    let labels = story.writers.map(\.label)
    let checker = Judgement().checker(of: story.source)
    let said = CheckFacts(checker, named: "x", writers: labels.map { .init($0) }).text()
    #expect(said.contains("\n  task lost version 1"), "\(said)")
  }
}
