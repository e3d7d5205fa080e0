// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

@Suite("Scenarios of a project, in a log that nobody looks at", .serialized, .waits)
struct ProjectScenarioTests {
  /// What `lifetrace record --scenario life.yml` prints without a terminal, in a directory with these
  /// files, and then `command`.
  private static func record(
    _ files: [(name: String, text: String)],
    options: String = "",
    then command: String = ""
  ) throws -> TestProgram.Outcome {
    let folder = try TestFolder()
    for (name, text) in files { try folder.write(text, to: name) }
    return TestProgram.shell(
      """
      cd \(folder.path); PATH='\(TestProgram.products)':$PATH
      lifetrace record --scenario life.yml -o run.lifetrace \(options) -- Probe </dev/null 2>&1
      code=$?; \(command)
      exit $code
      """
    )
  }

  private static let patient = "thresholds:\n  transition: {warn: 1, kill: 2}\n"

  @Test("A kill is told without a terminal, by the limits of the project, and so is what follows")
  func kill() throws {
    let run = try Self.record([
      ("lifetrace.yml", "profile: ios13\n" + Self.patient),
      (
        "life.yml",
        """
        app: probe
        steps:
        - launch
        - tell: {for: 300}
        - tell: {hang: willResignActive}
        - home
        - home
        - touch: save
        - wait: 1ms
        """
      ),
    ])
    let lines = run.said.split(separator: "\n")
    #expect(
      lines.contains { $0.hasPrefix("lifetrace: life.yml:6:3: probe was killed (0x8badf00d)") },
      "\(run.said)"
    )
    for place in ["7:3", "8:3"] {
      #expect(lines.contains("lifetrace: life.yml:\(place): `probe` is not running"), "\(run.said)")
    }
    #expect(run.code == 1)
  }

  /// Which profile is played and judged, where the project names one and the scenario perhaps another.
  @Test(
    "The profile is the scenario's, else the project's",
    arguments: [("", "classic"), ("profile: ios7\n", "ios7")]
  )
  func profile(own: String, played: String) throws {
    let thresholds = "thresholds:\n  launch: {warn: 0.000001, kill: 60}\n"
    let run = try Self.record(
      [
        ("lifetrace.yml", "profile: classic\n" + thresholds),
        ("life.yml", "app: probe\n\(own)steps:\n- launch\n- expect: violation DL01\n"),
      ],
      options: "--check",
      then: "lifetrace info run.lifetrace"
    )
    // The launch is within the limits of any system, and not within those of the project.
    #expect(run.code == 0, "\(run.said)")
    #expect(run.said.contains("DL01  probe#1"), "\(run.said)")
    #expect(run.said.contains("It should take at most 1 µs, and the system kills a launch at 60 s"))
    #expect(run.said.contains("0 errors, 1 warning."), "\(run.said)")
    #expect(run.said.contains("profile \(played)"), "\(run.said)")
  }
}
