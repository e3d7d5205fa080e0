// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What is unsaved where the recording itself ends a process is no loss, whoever tells it.
@Suite(.waits) struct OpenEndTests {
  private static let steps = """
    app: notes
    steps:
    - launch
    - tell: {edit: "Dear diary"}
    - home

    """

  private static func record(_ more: String, in folder: TestFolder) throws -> String {
    try folder.write(steps + more, to: "life.yml")
    let line = "lifetrace record --scenario life.yml -o run.lifetrace -- $notes"
    return shell(line, in: folder).output
  }

  @Test("A scenario that ends with unsaved data in a suspended app has lost nothing")
  func suspended() throws {
    let folder = try TestFolder()
    let said = try Self.record("- suspend\n", in: folder)
    #expect(said.hasSuffix(", unsaved when the recording ended: 1 object, 10 bytes\n"), "\(said)")
    #expect(!said.contains("lost:"), "\(said)")
    let walk = shell(
      """
      lifetrace replay --batch run.lifetrace -e "goto end" -e "prev process.exit" -e dirty -e state \
        -e "why draft.txt" -e lossmap -e "timeline all" -e ps -e "history draft.txt"
      """,
      in: folder
    ).output
    #expect(walk.contains("ended (scenario over), SIGKILL"), "\(walk)")
    #expect(walk.contains("unsaved when the recording ended it, for "), "\(walk)")
    #expect(walk.contains("version 1 (10 bytes) was unsaved when the recording ended"), "\(walk)")
    #expect(walk.contains("The recording ended the process (scenario over) with 10 bytes unsaved"))
    #expect(!walk.contains("harness"), "\(walk)")
    for word in ["was lost", ", lost", "  lost", "-> lost", "╳ lost"] {
      #expect(!walk.contains(word), "\(word): \(walk)")
    }
    let page = shell("lifetrace report run.lifetrace -o p >report; cat p", in: folder).output
    #expect(page.contains("\"losses\":0") && page.contains("\"fate\":\"unsaved\""))
    #expect(page.contains("ended (scenario over), SIGKILL") && !page.contains("(harness)"))
  }

  @Test("What a purge took is a loss beside what the recording left open, in one count everywhere")
  func both() throws {
    let folder = try TestFolder()
    let said = try Self.record(
      "- purge\n- relaunch\n- tell: {edit: \"Again\"}\n- home\n- suspend\n",
      in: folder
    )
    #expect(
      said.hasSuffix(
        ", unsaved data lost: 1 object, 10 bytes, unsaved when the recording ended: 1 object, 5 bytes\n"
      ),
      "\(said)"
    )
    let page = shell("lifetrace report run.lifetrace -o p >report; cat p", in: folder).output
    #expect(page.contains("\"losses\":1"))
    #expect(page.contains("\"fate\":\"lost\"") && page.contains("\"fate\":\"unsaved\""))
  }
}
