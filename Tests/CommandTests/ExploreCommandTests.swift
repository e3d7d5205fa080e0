// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetracePlatform
import Support
import TestThreads
import Testing

/// `lifetrace explore` with real processes.
@Suite(.waits) struct ExploreCommandTests {
  static let lostEdit = Golden.root + "/Sources/Examples/Notes/lost-edit.yml"

  private static func text(_ folder: TestFolder, _ name: String) -> String {
    String(decoding: SmallFile.bytesIfReadable(folder.file(name)) ?? [], as: UTF8.self)
  }

  @Test("The sample loses its edit at each point at which it is not saved, and at none other")
  func sample() throws {
    let folder = try TestFolder()
    let run = shell(
      "lifetrace explore \(Self.lostEdit) --json -o found -- $notes >report",
      in: folder
    )
    #expect(run.status == 1, "\(run.output)")
    let report = try JSON(parsing: Array(Self.text(folder, "report").utf8)[...])
    #expect(report["complete"]?.bool == true)
    #expect(report["failures"]?.array?.compactMap { $0["rule"]?.string } == ["DS02"])
    let cases = try #require(report["cases"]?.array)
    #expect(cases.count > 40)
    for one in cases {
      let isUnsaved = one["pending"]?.string?.contains(/dirty|deferred|flushing/) == true
      let isLost = one["rules"]?.array?.isEmpty == false
      // While the app is still being told of the edit, nothing is held against it.
      let isTold = one["inHand"]?.bool == true
      #expect(one["reached"]?.bool == true)
      // The system purges no app in front.
      let isInFront = one["inFront"]?.bool == true
      #expect(isLost == (isUnsaved && !isTold && !isInFront), "\(one.text)")
      #expect(!isLost || ["background", "suspended"].contains(one["state"]?.string), "\(one.text)")
    }
    #expect(Self.forecasts(of: cases).lost > 5)
    // What was written fails as it says.
    #expect(folder.names.contains("found"))
    let again = shell(
      "lifetrace record --scenario found/explored-1.yml -o again.lifetrace --check -- $notes; echo $?",
      in: folder
    )
    #expect(again.output.contains("DS02"), "\(again.output)")
    #expect(again.output.hasSuffix("1\n"), "\(again.output)")
    let lines = Self.text(folder, "found/explored-1.yml").split(separator: "\n")
    let steps = lines.count { $0.hasPrefix("  - ") }
    #expect(steps <= 4)
    #expect(
      Self.text(folder, "found/explored-1.swift").contains("#expect(life.violations.isEmpty)")
    )
    let replay = shell(
      "echo why | lifetrace replay found/explored-1.lifetrace 2>&1 | head -40",
      in: folder
    )
    #expect(replay.output.contains("draft.txt"), "\(replay.output)")
  }

  @Test("The report names the rule, the object and the place, and what was played")
  func text() throws {
    let folder = try TestFolder()
    let run = shell(
      "lifetrace explore \(Self.lostEdit) --in suspended --acts purge,reboot -- $notes",
      in: folder
    )
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("DS02  draft.txt, Editor.swift:43  at 2 ends"), "\(run.output)")
    #expect(run.output.contains("The smallest scenario that fails so:"), "\(run.output)")
    #expect(run.output.contains("each of them was played"), "\(run.output)")
  }

  static let wired = "\"${lt%/*}/WireApp\" keeps"

  /// The app records no callback of its own: it is the host that waits for its answer.
  @Test(
    "An app that saves before it answers is not accused of what it is still being told of",
    arguments: ["reboot", "crash"]
  )
  func stillTold(_ act: String) throws {
    let folder = try TestFolder()
    try folder.write(
      "app: wired\nsteps:\n- launch\n- tell: {save: one}\n- tell: {save: two}\n- home\n",
      to: "life.yml"
    )
    let run = shell("lifetrace explore life.yml --acts \(act) -- \(Self.wired)", in: folder)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("was lost that the app was still being told of"), "\(run.output)")
    #expect(run.output.contains("what else was lost is told above."), "\(run.output)")
    // One that is not saved before it answers is.
    try folder.write(
      "app: wired\nsteps:\n- launch\n- tell: {edit: one}\n- wait: 1s\n",
      to: "edit.yml"
    )
    let edit = shell(
      "lifetrace explore edit.yml --acts \(act) --no-reduce -- \(Self.wired)",
      in: folder
    )
    #expect(edit.output.contains("was lost that the app was still being told of"), "\(edit.output)")
  }

  @Test("A life that is never suspended is said to lack those ends")
  func neverSuspended() throws {
    let folder = try TestFolder()
    let life = "app: wired\nsteps:\n- launch\n- tell: {save: one}\n- home\n"
    try folder.write(life, to: "home.yml")
    try folder.write(life + "- suspend\n", to: "suspend.yml")
    for (file, isLacking) in [("home", true), ("suspend", false)] {
      let run = shell("lifetrace explore \(file).yml --no-reduce -- \(Self.wired)", in: folder)
      #expect(run.output.contains("No point while suspended") == isLacking, "\(run.output)")
    }
  }

  @Test("What was saved and not synced is a finding of its own, with its own words")
  func notSynced() throws {
    let folder = try TestFolder()
    try folder.write(
      """
      app: wired
      steps:
      - launch
      - tell: {save: one}
      - tell: {soft: two}
      - tell: {say: hello}
      - home
      - tell: {edit: three}
      - suspend
      """,
      to: "life.yml"
    )
    let run = shell("lifetrace explore life.yml --acts purge,reboot -- \(Self.wired)", in: folder)
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("saved and not synced  at "), "\(run.output)")
    #expect(
      run.output.contains(
        "draft.txt: version 2 (3 bytes) had been saved and not synced when the device"
      ),
      "\(run.output)"
    )
    #expect(run.output.contains("Fix: Fsync the file before the save counts"), "\(run.output)")
    #expect(run.output.contains("First: reboot right behind "), "\(run.output)")
  }

  @Test("What was saved and not synced is told as that, though a newer edit is in hand")
  func notSyncedBelowANewerEdit() throws {
    let folder = try TestFolder()
    try folder.write(
      "app: wired\nsteps:\n- launch\n- tell: {soft: two}\n- tell: {save: third}\n- home\n",
      to: "life.yml"
    )
    let run = shell("lifetrace explore life.yml --acts reboot -- \(Self.wired)", in: folder)
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("1 kind of failure, at "), "\(run.output)")
    #expect(run.output.contains("DS02  draft.txt, main.c:73, saved and not synced  at "))
    #expect(run.output.contains("version 1 (3 bytes) had been saved and not synced when"))
    #expect(!run.output.contains("lost version 2"), "\(run.output)")
    #expect(run.output.contains("Fix: Fsync the file before the save counts"), "\(run.output)")
  }

  @Test("What is reported saved and not written is found on disk, where no launch reads it")
  func bytes() throws {
    let folder = try TestFolder()
    func explore(_ words: String) throws -> (status: Int32, output: String) {
      let steps = words.split(separator: ",").map { "- tell: {\($0)}\n" }.joined()
      try folder.write("app: wired\nsteps:\n- launch\n\(steps)- home\n", to: "life.yml")
      let run = shell("lifetrace explore life.yml --acts crash -- \"${lt%/*}/WireApp\"", in: folder)
      return (run.status, run.output)
    }
    let lie = try explore("save: one,lie: second")
    #expect(lie.status == 1, "\(lie.output)")
    #expect(lie.output.contains("bytes  draft.txt  at "), "\(lie.output)")
    #expect(
      lie.output.contains(
        "version 2 (6 bytes) was reported saved, and before the next launch its file draft.txt held 3 bytes"
      ),
      "\(lie.output)"
    )
    let honest = try explore("save: one,save: second")
    #expect(honest.status == 0, "\(honest.output)")
    #expect(honest.output.contains("Compared on disk with what was reported saved: draft.txt."))
    let always = try explore("lie: one,lie: second")
    #expect(always.output.contains("Not compared on disk"), "\(always.output)")
  }

  @Test("What the apps print is no part of the report")
  func printing() throws {
    let folder = try TestFolder()
    let app = "sh -c 'echo hello; exec '$notes"
    let run = shell(
      "lifetrace explore \(Self.lostEdit) --in suspended --no-reduce --json -- \(app) >report",
      in: folder
    )
    #expect(run.status == 1, "\(run.output)")
    let report = Self.text(folder, "report")
    #expect(!report.contains("hello"))
    #expect(try JSON(parsing: Array(report.utf8)[...])["failures"]?.array?.isEmpty == false)
  }

  @Test("A launch that does not come up is told with the step that has broken it")
  func relaunch() throws {
    let folder = try TestFolder()
    try folder.write(
      "app: probe\nsteps:\n- launch\n- tell: {save: A}\n- tell: {brick: next}\n- home\n",
      to: "life.yml"
    )
    let run = shell(
      "lifetrace explore life.yml --json -o found -- \"${lt%/*}/Probe\" >report",
      in: folder
    )
    #expect(run.status == 1, "\(run.output)")
    let report = try JSON(parsing: Array(Self.text(folder, "report").utf8)[...])
    let failures = try #require(report["failures"]?.array)
    let found = failures.first { $0["rule"]?.string == "relaunch" }
    let relaunch = try #require(found, "\(report.text)")
    let title = relaunch["title"]?.string ?? ""
    #expect(title.hasPrefix("the app did not live through its next launch"), "\(report.text)")
    let smallest = relaunch["smallest"]?.string ?? ""
    #expect(smallest.contains("tell: {brick: next}") && !smallest.contains("save"), "\(smallest)")
  }

  /// A minute or two: a package with the sample app is built.
  @Test(
    "The test that is written fails as long as the failure is there, and no longer",
    .enabled(if: environment("LIFETRACE_TEST_SCALE") != nil, "Scripts/test.sh --large")
  )
  func writtenTest() throws {
    let folder = try TestFolder()
    let explore = shell("lifetrace explore \(Self.lostEdit) -o found -- $notes", in: folder)
    #expect(explore.status == 1, "\(explore.output)")
    let root = TerminalSession.quoted(Golden.root)
    let run = shell(
      """
      root=\(root)
      mkdir -p Sources Tests/LifecycleTests
      cp -R "$root"/Sources/Examples/NotesCore Sources/YourAppCore
      delegate='NotesDelegate(options: .init(fixed: getenv("FIXED") != nil))'
      { echo 'import Glibc'; sed "s/YourAppDelegate()/$delegate/; s,found/,$PWD/&," found/explored-1.swift
      } >Tests/LifecycleTests/Explored.swift
      cat Tests/LifecycleTests/Explored.swift
      cat >Package.swift <<END
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "app",
        dependencies: [.package(name: "lifetrace", path: "$root")],
        targets: [
          .target(
            name: "YourAppCore",
            dependencies: [
              .product(name: "LifetraceApp", package: "lifetrace"),
              .product(name: "Lifetrace", package: "lifetrace"),
            ]
          ),
          .testTarget(
            name: "LifecycleTests",
            dependencies: [
              "YourAppCore", .product(name: "LifetraceTesting", package: "lifetrace"),
            ]
          ),
        ]
      )
      END
      swift test; echo "as it is: $?"
      FIXED=1 swift test --skip-build; echo "mended: $?"
      """,
      in: folder
    )
    #expect(run.output.contains("\nas it is: 1\n"), "\(run.output)")
    #expect(run.output.contains("life.violations.isEmpty"), "\(run.output)")
    #expect(run.output.hasSuffix("\nmended: 0\n"), "\(run.output)")
  }

  /// It used to end in `tell` and a purge of the active app, which a mended app fails too.
  @Test("The smallest scenario keeps to the states that were asked for")
  func smallestInState() throws {
    let folder = try TestFolder()
    let run = shell(
      "lifetrace explore \(Self.lostEdit) --in background,suspended -o found -- $notes",
      in: folder
    )
    #expect(run.status == 1, "\(run.output)")
    let text = Self.text(folder, "found/explored-1.yml")
    let play = "lifetrace record --scenario found/explored-1.yml -o t --check -- $notes"
    #expect(text.hasSuffix("  - purge\n"), "\(text)")
    #expect(shell("\(play)", in: folder).status == 1)
    let mended = shell("\(play.replacing("-o t", with: "-f -o t")) --fixed", in: folder)
    #expect(mended.status == 0, "\(mended.output)")
  }

  @Test("Mended, the sample fails nowhere, and it is said what is not counted")
  func mendedEverywhere() throws {
    let run = shell("lifetrace explore \(Self.lostEdit) -- $notes --fixed", in: try TestFolder())
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("of an app in front or still saving"), "\(run.output)")
  }

  @Test("An app in front counts where it is asked for")
  func inFront() throws {
    let run = shell(
      "lifetrace explore \(Self.lostEdit) --in active --no-reduce -- $notes --fixed",
      in: try TestFolder()
    )
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("event notes#1:"), "\(run.output)")
  }

  @Test("Mended, the sample loses nothing where the system purges")
  func mended() throws {
    let folder = try TestFolder()
    let explore = "lifetrace explore \(Self.lostEdit)"
    let run = shell(
      "\(explore) --in suspended --acts purge,kill,reboot -- $notes --fixed",
      in: folder
    )
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("Nothing went wrong"), "\(run.output)")
    _ = shell("\(explore) --json -- $notes --fixed >report", in: folder)
    let report = try JSON(parsing: Array(Self.text(folder, "report").utf8)[...])
    #expect(Self.forecasts(of: try #require(report["cases"]?.array)).kept > 5)
  }

  @Test("A scenario that breaks a rule as it is written is no success, whatever its ends find")
  func brokenAsWritten() throws {
    let run = shell(
      """
      printf 'rules:\\n  APP01:\\n    never: data.dirty\\n' >lifetrace.yml
      lifetrace explore \(Self.lostEdit) --in suspended --acts purge --no-reduce -- $notes --fixed
      """,
      in: try TestFolder()
    )
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("Played as it is written, it breaks APP01"), "\(run.output)")
    #expect(run.output.contains("At the ends nothing more went wrong"), "\(run.output)")
  }

  /// How many versions were foretold to be lost, and kept.
  ///
  /// What the trace of a process foretells is what its next launch finds, at every point.
  private static func forecasts(of cases: [JSON]) -> (lost: Int, kept: Int) {
    var counts = (lost: 0, kept: 0)
    for one in cases.flatMap({ $0["forecasts"]?.array ?? [] }) {
      guard let isLost = one["lost"]?.bool else { continue }
      if isLost { counts.lost += 1 } else { counts.kept += 1 }
      let (newest, found) = (one["newest"]?.int ?? -1, one["found"]?.int ?? -1)
      #expect(isLost == (found < newest), "\(one.text)")
      if let leaves = one["leaves"]?.int { #expect(leaves == found, "\(one.text)") }
    }
    return counts
  }
}
