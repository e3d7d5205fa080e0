// SPDX-License-Identifier: Apache-2.0
import Host
import Testing
import Trace

@Suite("Real processes", .serialized)
struct RealProcessTests {
  private static let lostEdit = """
    app: notes
    steps:
      - launch
      - tell: {edit: "Dear diary, today I lost nothing."}
      - home
      - purge
      - relaunch
    """

  @Test("The buggy app is really suspended and purged with its last edit in memory")
  func losesEdit() throws {
    let played = try Played(Self.lostEdit, app: "notes", arguments: ["--directory", "DIRECTORY"])
    #expect(played.report.failures.isEmpty)
    #expect(played.violations.contains { $0.rule == "DS02" })
    #expect(played.events(.suspend).count == 1)
    #expect(played.exits.first?.cause == "purge")
  }

  @Test("The fixed app keeps its edit")
  func keepsEdit() throws {
    let played = try Played(
      Self.lostEdit,
      app: "notes",
      arguments: ["--fixed", "--directory", "DIRECTORY"]
    )
    #expect(played.violations.isEmpty)
    #expect(played.events(.dataDurable).count == 1)
    #expect(played.events(.dataRestored).contains { $0[0] == 1 })
  }
}
