// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

/// Notes beside a recording, from one `lifetrace replay` to the next.
@Suite(.waits) struct NotesCommandTests {
  private static let story = Golden.root + "/Traces/tour/recording.txt"

  @Test("They stay with their events where a recording is merged and repaired")
  func merged() throws {
    let folder = try TestFolder()
    let early = """
      app notes#1 pid=3 id=000000000000000000000000000000ff
      +0s notes#1 main process.start reason=icon app=notes
      """
    try folder.write(early, to: "early.txt")
    let run = shell(
      """
      lifetrace import story \(Self.story) -o run.lifetrace
      lifetrace replay run.lifetrace -q -e "goto notes#1:12" -e "mark edit lost from here"
      lifetrace import story early.txt -o early.lifetrace
      lifetrace merge early.lifetrace run.lifetrace -o both.lifetrace
      lifetrace repair both.lifetrace -o good.lifetrace
      cp run.lifetrace.notes good.lifetrace.notes
      lifetrace replay good.lifetrace -q -e "goto edit"
      lifetrace replay early.lifetrace -q -e notes
      cp run.lifetrace.notes early.lifetrace.notes
      lifetrace replay early.lifetrace -q -e notes -e "goto edit"
      """,
      in: folder
    )
    #expect(run.output.contains("note 1: edit: lost from here"), "\(run.output)")
    // Its life is the second one there.
    #expect(run.output.contains("notes#2:12  main  data.dirty"), "\(run.output)")
    #expect(run.output.contains("There are no notes."), "\(run.output)")
    #expect(run.output.contains("not in this recording"), "\(run.output)")
    #expect(run.status == 1 && run.output.contains("edit marks notes#1:12, which is not in"))
  }
}
