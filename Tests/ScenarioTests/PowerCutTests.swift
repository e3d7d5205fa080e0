// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceRecorder
import Support
import TestThreads
import Testing
import LifetraceTrace

/// What this machine permits.
enum Machine {
  /// Real disks can be mounted: asked of the machine, not of the code under test.
  static let mounts = geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0
  static let mountsAdvice: Comment = "a real power cut needs root and loop devices"
  /// Where cgroups of version 2 can be made.
  static let cgroups: String? = {
    guard geteuid() == 0 else { return nil }
    let found = TestProgram.shell("findmnt -n -t cgroup2 -o TARGET | head -1").said
    return found.split(separator: "\n").first.map(String.init)
  }()
  static let cgroupsAdvice: Comment = "the freezer needs root and cgroups of version 2"

  /// Files that loop devices stand on, below a directory.
  static func loopFiles(below directory: String) -> [String] {
    TestProgram.shell("cat /sys/block/loop*/loop/backing_file 2>/dev/null").said
      .split(separator: "\n").map(String.init).filter { $0.hasPrefix(directory) }
  }
}

@Suite("Power cut", .serialized, .waits)
struct PowerCutTests {
  private static func steps(_ words: [String] = ["save: A", "write: B"]) -> String {
    """
    steps:
    - launch
    - tell: {\(words.joined(separator: ", "))}
    - reboot
    - relaunch
    - tell: {load: A}
    - tell: {load: B}
    """
  }

  private func found(_ object: String, in played: Played) -> UInt64? {
    played.events(.dataRestored).first { played.name($0.identity) == object }?[0]
  }

  private func disk(_ played: Played) -> String? {
    played.events(.device).first { played.name($0.identity) == "disk" }.map { played.name($0[0]) }
  }

  @Test(
    "What was synced is there after it, what was not is gone, as the ledger told",
    .needs(Machine.mounts, Machine.mountsAdvice),
    // The sync of a file that comes later may bring the name of an earlier one along, but not what is in it.
    arguments: [["save: A", "write: B"], ["write: B", "save: A"]]
  )
  func powerCut(words: [String]) throws {
    let played = try Played("app: probe\ndisk: 8MiB\n" + Self.steps(words))
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(disk(played) == "ext4; unsynced writes are lost at a reboot")
    #expect(found("A", in: played) == 1)
    #expect(found("B", in: played) == 0)
    #expect(
      played.streams.filter { $0.attributes.app == "probe" }.map(\.attributes.deviceBoot) == [0, 1]
    )
    #expect(played.exits.first?.cause == "reboot")
    // No access that failed between the cut and the end stands in the trace.
    #expect(played.events(.dataFailed).isEmpty)
    let losses = played.violations.filter { $0.rule == "DS02" }
    #expect(losses.count == 1)
    #expect(played.summary.unsavedObjects == 1)
    let text = losses.map(\.description).joined()
    #expect(text.contains("B lost version 1"), "\(text)")
    #expect(text.contains("found nothing of it"), "\(text)")
    #expect(Machine.loopFiles(below: played.session).isEmpty)
    #expect(access(played.session, F_OK) != 0)
    #expect(played.leftBehind == 0)
  }

  @Test(
    "Many reboots: each begins with what was synced before it",
    .needs(Machine.mounts, Machine.mountsAdvice)
  )
  func again() throws {
    let text = """
      app: probe
      disk: 8MiB
      suspend-by: freezer
      steps:
      - launch
      - tell: {save: A}
      - repeat: {times: 5, steps: [{tell: {write: B}}, home, suspend, reboot, launch, {tell: {load: A}}, {tell: {load: B}}]}
      - tell: {fork: child}
      - reboot
      """
    let played = try Played(text)
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    let loads = played.events(.dataRestored).map { "\(played.name($0.identity))\($0[0])" }.sorted()
    #expect(loads == Array(repeating: "A1", count: 5) + Array(repeating: "B0", count: 5))
    #expect(played.leftBehind == 0)
  }

  @Test("Where there can be no disk, a directory keeps everything, and that is said")
  func plain() throws {
    var scenario = try Scenario(parsing: "app: probe\n" + Self.steps(), file: "test.yml")
    // No file system is as small as this.
    scenario.diskBytes = 4096
    var notices: [String] = []
    let played = try Played(scenario, command: ["\(TestProgram.products)/Probe"]) { host in
      notices = host.notices
      return try host.play()
    }
    #expect(notices.count == 1)
    #expect(notices.first?.hasPrefix("disk: what is not synced will survive a reboot here") == true)
    #expect(disk(played)?.hasPrefix("a directory; unsynced writes survive a reboot") == true)
    #expect(found("A", in: played) == 1)
    #expect(found("B", in: played) == 1)
    let details = played.violations.filter { $0.rule == "DS02" }.flatMap(\.details)
    #expect(details.contains { "\($0)".contains("written, not synced") }, "\(details)")
    #expect(access(played.session, F_OK) != 0, "the directory goes with the session")
  }
}
