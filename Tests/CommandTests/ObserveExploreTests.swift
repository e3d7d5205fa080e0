// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceJSON
import LifetracePlatform
import Support
import TestThreads
import Testing

/// `lifetrace explore --observe`: ends in the middle of the saves of an app that knows nothing of us.
@Suite(.waits) struct ObserveExploreTests {
  /// What exploring a life with these steps says; the folder is where its files are.
  private func explore(
    _ steps: [String],
    _ options: String = "",
    disk: Bool = false
  ) throws -> (status: Int32, output: String, folder: TestFolder) {
    let folder = try TestFolder()
    let lines =
      ["app: unaware"] + (disk ? ["disk: 8MiB"] : []) + ["steps:", "  - launch"]
      + steps.map { "  - \($0)" }
    let run = shell(
      """
      cat >life.yml <<'END'
      \(lines.joined(separator: "\n"))
      END
      echo 'data: ["*.txt"]' >lifetrace.yml
      lifetrace explore --observe life.yml \(options) -o found -- "${lt%/*}/Unaware"
      """,
      in: folder
    )
    return (run.status, run.output, folder)
  }

  @Test(
    "A file that is moved away before the new one is moved in is missing between the two renames"
  )
  func twoRenames() throws {
    let (status, output, folder) = try explore([
      "tell: {aside: a first text}", "tell: {exchange: kept}", "tell: {aside: a second one}",
      "home",
      "suspend",
    ])
    #expect(status == 1, "\(output)")
    #expect(
      output.contains(
        "notes.txt is missing after an end between rename 1 and rename 2 of notes.txt"
      ),
      "\(output)"
    )
    #expect(output.contains("First: purge between rename 1 and rename 2 of notes.txt (main.c:"))
    #expect(output.contains("whole  notes.txt, main.c:"), "\(output)")
    let smallest = String(
      decoding: SmallFile.bytesIfReadable(folder.file("found/explored-1.yml")) ?? [],
      as: UTF8.self
    )
    #expect(smallest.contains("after: work.end, name: \"rename of notes.txt\""), "\(smallest)")
    // One save that there is something to lose of, and the one that loses it.
    let steps = smallest.split(separator: "\n").filter { $0.hasPrefix("  - ") }
    #expect(steps.count == 3, "\(smallest)")
    // The recording that is left behind can be played again, calls and all.
    let again = shell("lifetrace rerun found/explored-1.lifetrace --json", in: folder)
    let report = try JSON(parsing: Array(again.output.utf8).drop { $0 != UInt8(ascii: "{") })
    #expect(again.status == 0 && report["complaints"]?.array?.isEmpty == true, "\(again.output)")
  }

  @Test("A file that is written over is empty between its truncation and its write")
  func torn() throws {
    let (status, output, _) = try explore([
      "tell: {save: a first text}", "tell: {save: a second one}", "home", "suspend",
    ])
    #expect(status == 1, "\(output)")
    #expect(
      output.contains(
        "notes.txt is empty after an end between truncation 1 and write 1 of notes.txt"
      ),
      "\(output)"
    )
  }

  @Test("Mended, nothing is found, by purges and by power cuts", arguments: ["purge", "reboot"])
  func mended(_ act: String) throws {
    let (status, output, _) = try explore(
      ["tell: {exchange: a first text}", "tell: {exchange: a second one}", "home", "suspend"],
      "--acts \(act)",
      disk: act == "reboot"
    )
    #expect(status == 0, "\(output)")
    #expect(output.contains("Nothing that was recorded went wrong"), "\(output)")
    // The program says of nothing that it has read it.
    #expect(output.contains("no launch said what it found of notes.txt"), "\(output)")
    #expect(output.contains("in a save"), "\(output)")
  }

  /// An app that appends to its journal and syncs it.
  private static let journal = """
    import os, sys
    sys.path.insert(0, "\(Golden.root)/Tests/ScenarioTests/Fixtures")
    from client import Application, Host
    path = os.environ["LIFETRACE_DATA"] + "/journal.txt"

    class Journal:
        def launch(self, app, event):
            if os.path.exists(path):
                with open(path) as file:
                    file.read()

        def tell(self, app, event):
            with open(path, "a") as file:
                file.write(event["value"])
                file.flush()
                os.fsync(file.fileno())

    Application(Host(os.environ["LIFETRACE_HOST"]), Journal()).run("journal")
    """

  /// A script that is replaced by the app is the same process: it ends at the same points.
  @Test(
    "A journal that is appended to is whole at each moment, and is not called lost",
    arguments: ["\"$python\" journal.py", "sh -c \"exec '$python' journal.py\""]
  )
  func appended(_ command: String) throws {
    let run = shell(
      """
      cat >journal.py <<'END'
      \(Self.journal)
      END
      cat >life.yml <<'END'
      app: journal
      steps:
        - launch
        - tell: {add: one}
        - tell: {add: two}
        - home
        - suspend
      END
      echo 'data: ["*.txt"]' >lifetrace.yml
      python=$(python3 -c 'import sys; print(sys.executable)')
      lifetrace explore --observe life.yml -o found -- \(command)
      """,
      in: try TestFolder()
    )
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("Nothing went wrong: wherever"), "\(run.output)")
    #expect(run.output.contains("in a save"), "\(run.output)")
  }

  @Test(
    "What a power cut takes from between a write and its sync is found",
    .needs(
      geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0,
      "a real power cut needs root and loop devices"
    )
  )
  func powerCut() throws {
    let (status, output, _) = try explore(
      ["tell: {exchange: a first text}", "tell: {write: a second one}", "home", "suspend"],
      "--acts reboot",
      disk: true
    )
    #expect(status == 1, "\(output)")
    #expect(output.contains("DS02  notes.txt"), "\(output)")
  }

  @Test("Where nothing is named as data, it says so")
  func usage() throws {
    let run = shell(
      "echo 'app: a\nsteps: [launch]' >life.yml; lifetrace explore --observe life.yml -- true",
      in: try TestFolder()
    )
    #expect(run.status == 64 && run.output.contains("names no files as data"), "\(run.output)")
  }
}
