// SPDX-License-Identifier: Apache-2.0

/// The files that `lifetrace init` writes.
package enum Starter {
  /// Their paths below the directory, and their text; a test where the app is in Swift.
  package static func files(swift: Bool = true) -> [(path: String, text: String)] {
    let all = [("scenario.yml", scenario), ("lifetrace.yml", configuration)]
    return swift ? all + [("Tests/LifecycleTests/LifecycleTests.swift", test)] : all
  }

  /// What is to be done with them, for the user to read.
  package static func nextSteps(swift: Bool = true) -> String { swift ? swiftSteps : otherSteps }

  /// Whether a folder is of an app in another language than Swift, by the names of the files in it.
  package static func isOfAnotherLanguage(_ names: [String]) -> Bool {
    guard !names.contains(where: { $0.hasSuffix(".swift") }) else { return false }
    return names.contains { name in
      others.contains(name) || otherEndings.contains { name.hasSuffix($0) }
    }
  }

  private static let others: Set<String> = [
    "Makefile", "CMakeLists.txt", "meson.build", "Cargo.toml", "go.mod", "package.json",
    "pyproject.toml", "pubspec.yaml", "build.gradle", "build.gradle.kts",
  ]
  private static let otherEndings = [
    ".c", ".h", ".cc", ".cpp", ".m", ".rs", ".go", ".py", ".js", ".ts", ".dart", ".kt", ".java",
  ]

  private static let otherSteps = """
    Next:
      1. Your app speaks the host's protocol, a line of JSON each way: Sources/Scenario/PROTOCOL.md of
         lifetrace has it line by line. An app in C to begin with, of a hundred lines, is
         Sources/Examples/C/diary.c (of the tarball: share/lifetrace/diary.c).
      2. The host tells its states, callbacks and background tasks. What only the app knows it reports
         through lifetrace.h: LT_DATA_DIRTY where the user edits, LT_SAVE and LT_RESTORE for its files.
         Where it says nothing of its data, nothing about losses can be judged; without any of it,
         record --observe looks at the files that lifetrace.yml names.
      3. The scenario edits something: at the event `tell` your app does what a user would.
      4. Play it:
           lifetrace record --scenario scenario.yml -o run.lifetrace -- ./your-app
           lifetrace check run.lifetrace
    """

  private static let swiftSteps = """
    Next:
      1. Package.swift needs lifetrace (the path of your copy of it), and the test's target; your app
         core, a library with the app's delegate, depends on the product LifetraceApp:
           .package(name: "lifetrace", path: "../lifetrace")
           .target(
             name: "YourAppCore",
             dependencies: [.product(name: "LifetraceApp", package: "lifetrace")])
           .testTarget(
             name: "LifecycleTests",
             dependencies: ["YourAppCore", .product(name: "LifetraceTesting", package: "lifetrace")])
      2. The scenario edits something: in application(_:told:_:) your delegate does what a user would,
         and what it edits is a Lifetrace.Object, else nothing about losses can be judged.
      3. Put the names of your app core and its delegate into
         Tests/LifecycleTests/LifecycleTests.swift, and run: swift test
      4. Play the same scenario for the real process:
           lifetrace record --scenario scenario.yml -o run.lifetrace -- ./your-app
           lifetrace check run.lifetrace
    """

  private static let scenario = """
    # A life for your app. Play it:
    #   lifetrace record --scenario scenario.yml -o run.lifetrace -- ./your-app
    #   lifetrace check run.lifetrace
    # All steps: lifetrace scenario steps
    profile: ios13
    # For deadlines that do not keep you waiting: 0.1 plays 5 s in half a second.
    # time-scale: 0.1
    steps:
      - launch
      - wait: 200ms
      # A user's edit: it reaches application(_:told:_:) of your delegate, or your app as the event
      # `tell`, which does what the user would have done. Without an edit nothing can be lost, and
      # nothing about losses is judged.
      - tell: {edit: "Dear diary"}
      - call: begin
      - call: end
      - home
      - suspend
      - open
      - tell: {edit: "Dear diary, once more"}
      - home
      - purge
      - relaunch
      - expect: state == active
      # Steps also ask what the app has recorded, in the language of questions (lifetrace replay, help
      # expressions), at once or within some time:
      # - wait: {until: data.durable && object == "draft.txt", within: 5s}
      # - expect: all data where unsaved == 0 within 2s
      - expect: no violations

    """

  private static let configuration = """
    # Read by lifetrace check and record, from the current directory or with --config.
    # The generation of the system: \(Scenario.profiles.joined(separator: ", ")).
    profile: ios13

    # Thresholds in seconds, over those of the profile; all of them: lifetrace rules --thresholds
    thresholds:
    #  launch: {warn: 3, kill: 20}
    #  background-task: {warn: 20}

    # Rules that do not fit this app, each with the reason.
    off:
    #  MT02: the store is a memory-mapped file

    # Files of the user, for programs that know nothing of lifetrace: record --observe keeps a ledger
    # of them, and check says what a power cut takes (a scenario with a disk, and its step reboot).
    # A glob without a slash is a name in any folder; all keys, with examples: lifetrace init --keys
    # data: ["*.sqlite", "drafts/**", "~/.local/share/shop/*.json"]

    # Rules of your own, by ids of three letters or more; the six patterns: lifetrace init --keys
    rules:
    #  APP01: {never: work.begin && name =~ `analytics*` && state == background}

    # Strings that must not reach a recording. Of a glob, what matches anywhere goes as a whole;
    # of an expression between slashes, only what matches goes.
    redact:
    #  - "/user-[0-9]+/"

    """

  private static let test = """
    // Of the target LifecycleTests, which depends on your app core and on the product LifetraceTesting
    // of lifetrace. Paths are those of the directory in which swift test runs.
    import LifetraceTesting
    import Testing

    @testable import YourAppCore

    @Suite struct LifecycleTests {
      // The same delegate as in the app, the same scenario as at the desk, in virtual time.
      @MainActor
      @Test(.lifetrace(scenario: "scenario.yml"))
      func survivesPurge() throws {
        let life = try Simulator.current { YourAppDelegate() }.play()
        #expect(life.violations.isEmpty)
      }
    }

    """
}
