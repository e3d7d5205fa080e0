// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// `lifetrace doctor` sees what is there, and what was taken away.
@Suite(.waits) struct DoctorTests {
  /// What it finds, by name; with what it left.
  private func findings(_ line: String, in folder: TestFolder) throws -> (
    status: Int32, records: Bool, found: [String: JSON]
  ) {
    let result = shell(line, in: folder)
    let line = result.output.split(separator: "\n").last ?? ""
    let object = try JSON(parsing: Array(line.utf8))
    var found: [String: JSON] = [:]
    for finding in object["findings"]?.array ?? [] {
      let name = try #require(finding["name"]?.string)
      #expect(found[name] == nil, "twice: \(name)")
      #expect(finding["seen"]?.string?.isEmpty == false, "\(finding)")
      // What goes with less says with what, and what is well asks for nothing.
      let isGood = finding["standing"]?.string == "ok"
      #expect((finding["without"] == .null) == isGood, "\(finding)")
      found[name] = finding
    }
    return (result.status, object["records"]?.bool ?? false, found)
  }

  private func standing(_ found: [String: JSON], _ name: String) -> String? {
    found[name]?["standing"]?.string
  }

  @Test func hereAppsCanBeRecorded() throws {
    let folder = try TestFolder()
    let (status, records, found) = try findings("lifetrace doctor --json", in: folder)
    #expect(status == 0 && records)
    #expect(found.count == 14)
    for name in ["recording", "stop", "observe"] {
      #expect(standing(found, name) == "ok", "\(found)")
    }
    let text = shell("lifetrace doctor", in: folder)
    #expect(text.status == 0)
    #expect(text.output.hasPrefix("lifetrace 0."), "\(text.output)")
    for name in found.keys { #expect(text.output.contains("  \(name)  "), "\(text.output)") }
    #expect(text.output.contains("\nRecording works here"), "\(text.output)")
    // Nothing of the trial is left.
    #expect(folder.names.isEmpty, "\(folder.names)")
  }

  @Test func whatIsTakenAwayIsMissed() throws {
    let folder = try TestFolder()
    // The session is in the test's folder, which is on a disk: elsewhere than in memory.
    let (_, _, slow) = try findings("ulimit -n 256; lifetrace doctor --json", in: folder)
    #expect(standing(slow, "limits") == "less")
    #expect(standing(slow, "session") == "less", "\(slow)")
    let alone = "cp $lt alone; LD_LIBRARY_PATH=${lt%/lifetrace} ./alone doctor --json; rm alone"
    let (_, records, found) = try findings(alone, in: folder)
    #expect(records)
    #expect(standing(found, "observe") == "less")
  }

  @Test func whereNothingCanBeRecordedItSaysSo() throws {
    let folder = try TestFolder()
    let (status, records, found) = try findings(
      "TMPDIR=/nonexistent lifetrace doctor --json",
      in: folder
    )
    #expect(status == 1 && !records)
    #expect(standing(found, "recording") == "no")
    #expect(found["recording"]?["seen"]?.string?.contains("/nonexistent") == true)
    let text = shell("TMPDIR=/nonexistent lifetrace doctor", in: folder)
    #expect(text.output.hasSuffix("\nRecording does not work here.\n"), "\(text.output)")
  }
}
