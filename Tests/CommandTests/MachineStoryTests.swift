// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Support
import TestThreads
import Testing

/// The stories of `Traces/machines-*`, played anew by real processes: several recorders, each under a host
/// name and with a clock of its own, an app that is really suspended and killed, a disk that is full.
///
/// Needs root, or a kernel that lets everybody have namespaces (`unshare -Ur`).
@Suite(.waits) struct MachineStoryTests {
  @Test(arguments: Golden.stories(with: "cast.sh"))
  func playedAnew(_ story: String) throws {
    let cast = try #require(Golden.text("\(story)/cast.sh"))
    func said(_ key: String) throws -> String {
      let line = cast.split(separator: "\n").first { $0.hasPrefix("# \(key): ") }
      return String(try #require(line).dropFirst("# \(key): ".count))
    }
    let folder = try TestFolder()
    let result = shell(
      """
      cp \(TerminalSession.quoted(Golden.root + "/" + story))/* .
      export actor="${emitter%/Emitter}/Actor"
      . \(TerminalSession.quoted(Golden.root + "/Tests/Fixtures/Actor/stage.sh"))
      . ./cast.sh >played.txt 2>&1 || { cat played.txt; exit 1; }
      "$lt" replay *.lifetrace --no-init --color never -e 'why \(try said("why"))'
      """,
      in: folder
    )
    let told = result.output.split(separator: "\n").filter {
      $0.contains("the cause  ") && $0.contains("#")
    }
    let cause = try said("cause").split(separator: " ")
    let writer = cause[0].prefix { $0 != ":" } + ":"
    let isFound = told.count == 1 && told[0].contains(writer) && told[0].contains(cause[1])
    #expect(isFound, "\(cause) in:\n\(result.output)")
  }
}
