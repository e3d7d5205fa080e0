// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// `lifetrace diff`, on real runs of the sample app and on stories.
@Suite(.waits) struct DiffCommandTests {
  private static let scenario = TerminalSession.quoted(
    Golden.root + "/Sources/Examples/Notes/lost-edit.yml"
  )

  @Test func twoRunsOfOneProgramAreTheSameAndTheMendedOneDiffers() throws {
    let folder = try TestFolder()
    for (name, options) in [("a", ""), ("b", ""), ("mended", " --fixed")] {
      let line = "lifetrace record -o \(name) --scenario \(Self.scenario) -- $notes\(options)"
      let run = shell(line, in: folder)
      #expect(run.status == 0, "\(run.output)")
    }
    let same = try JSON(parsing: shell("lifetrace diff --json a b", in: folder).output.utf8)
    // How long a busy machine takes is another matter.
    #expect(same["differenceCount"]?.int == 0, "\(same.text)")
    #expect(same["newVerdicts"]?.array?.isEmpty == true)
    #expect(same["launches"]?.int ?? 0 > 1)
    let other = shell("lifetrace diff a mended", in: folder)
    #expect(other.status == 1)
    #expect(other.output.contains("- error DS02: "), "\(other.output)")
    #expect(other.output.contains("draft.txt"), "\(other.output)")
  }

  @Test func exitCodes() throws {
    let folder = try TestFolder()
    let stories = TerminalSession.quoted(Golden.root + "/Traces")
    let kept = "\(stories)/DS02-kept/story.txt"
    let equal = shell("lifetrace diff \(kept) \(kept)", in: folder)
    #expect(equal.status == 0)
    #expect(equal.output.contains("No difference: "), "\(equal.output)")
    #expect(
      shell("lifetrace diff \(kept) \(stories)/DS02-broken/story.txt", in: folder).status == 1
    )
    #expect(shell("head -c 100 /dev/zero > z; lifetrace diff \(kept) z", in: folder).status == 2)
    #expect(shell("lifetrace diff \(kept) nothing-there", in: folder).status == 74)
    #expect(shell("lifetrace diff \(kept)", in: folder).status == 64)
  }
}
