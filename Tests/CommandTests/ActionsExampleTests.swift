// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Support
import TestThreads
import Testing

/// The workflow for GitHub Actions is YAML, and what it runs is understood by this version.
@Suite(.waits) struct ActionsExampleTests {
  private static let path = "Sources/LifetraceCommand/github-actions.yml"

  private static func value(_ key: String, of node: YAMLNode) -> YAMLNode? {
    node.mapping?.first { $0.key.scalar == key }?.value
  }

  @Test func itsStepsCallCommandsAndOptionsThatThereAre() throws {
    let text = try #require(Golden.text(Self.path))
    let root = try #require(try YAMLNode.parse(text))
    #expect(Self.value("on", of: root) != nil)
    let jobs = try #require(Self.value("jobs", of: root)?.mapping)
    var commands: [String] = []
    for job in jobs {
      for step in try #require(Self.value("steps", of: job.value)?.sequence) {
        let uses = Self.value("uses", of: step)?.scalar
        let run = Self.value("run", of: step)?.scalar
        #expect((uses == nil) != (run == nil), "line \(step.place.line)")
        commands += (run ?? "").split(separator: "\n").map(String.init)
          .filter { $0.hasPrefix("lifetrace ") }
      }
    }
    #expect(commands.count == 5)
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      let own = words.prefix { $0 != "--" }
      let help = shell("lifetrace \(own[1]) --help").output
      for option in own where option.hasPrefix("--") {
        #expect(help.contains(option + " ") || help.contains(option + "\n"), "\(command)")
      }
    }
    for form in ["github", "sarif"] { #expect(text.contains("--format \(form)")) }
  }

  /// The name of the tarball that it gets is the one that is made.
  @Test func itGetsThisVersion() throws {
    let text = try #require(Golden.text(Self.path))
    let version = shell("lifetrace --version").output.dropLast()
    #expect(text.contains("LIFETRACE: lifetrace-\(version)-linux-x86_64\n"))
  }
}
