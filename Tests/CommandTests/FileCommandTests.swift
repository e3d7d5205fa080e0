// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import Testing

/// `info`, `verify`, `dump`, `repair` and `merge` as users call them, over the test vectors.
@Suite struct FileCommandTests {
  private static let vectors = Golden.root + "/Traces/vectors"

  private func run(_ arguments: String) -> (status: Int32, output: String) {
    TerminalSession.shell("\(TerminalSession.quoted(BuiltBinary.path)) \(arguments) 2>&1")
  }

  private func vector(_ name: String) -> String {
    TerminalSession.quoted("\(Self.vectors)/\(name).lifetrace")
  }

  @Test(arguments: [
    ("two-writers", Int32(0)), ("cat", 0), ("no-index", 2), ("torn", 2), ("damaged", 2),
  ])
  func verifyJudgesTheFile(name: String, status: Int32) {
    let result = run("verify \(vector(name))")
    #expect(result.status == status, "\(result.output)")
    #expect(result.output.contains("whole") == (status == 0), "\(result.output)")
    #expect(result.output.contains("lifetrace repair") == ["torn", "damaged"].contains(name))
  }

  @Test func anUnfinishedRecordingMayBeWell() {
    #expect(run("verify --allow-unfinished \(vector("no-index"))").status == 0)
    #expect(run("verify --allow-unfinished \(vector("torn"))").status == 2)
  }

  @Test func infoSaysWhatIsInIt() {
    let (status, output) = run("info \(vector("two-writers"))")
    #expect(status == 0)
    #expect(output.contains("18 events of 2 processes in 4 chunks"), "\(output)")
    #expect(output.contains("ended well"))
    let json = run("info --json \(vector("cat"))").output
    #expect(json.hasPrefix("{\"file\":"))
    #expect(json.contains("\"duplicates\":4") && json.contains("\"events\":18"), "\(json)")
    #expect(run("info \(vector("no-index"))").output.contains("no end"))
  }

  @Test func dumpPrintsOneLineAnEvent() {
    let lines = run("dump \(vector("two-writers"))").output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("+") }.count == 18)
    #expect(lines.filter { $0.hasPrefix("app ") }.count == 2)
    let dirty = run("dump --json --kind data.dirty \(vector("two-writers"))")
    #expect(dirty.status == 0)
    for line in dirty.output.split(separator: "\n") {
      #expect(line.contains("\"kind\":\"data.dirty\""))
    }
    let early = run("dump --to 1us \(vector("two-writers"))").output
    #expect(early.split(separator: "\n").filter { $0.hasPrefix("+") }.count < 18)
    #expect(run("dump --kind nonsense \(vector("two-writers"))").status == 64)
    #expect(run("dump --from soon \(vector("two-writers"))").status == 64)
    #expect(run("dump \(vector("damaged"))").status == 2)
  }

  @Test func repairKeepsWhatIsReadable() throws {
    let folder = try TemporaryFolder()
    let fixed = TerminalSession.quoted(folder.path + "/fixed")
    let repair = run("repair \(vector("damaged")) -o \(fixed)")
    #expect(repair.status == 0)
    #expect(repair.output.contains("in 3 chunks"), "\(repair.output)")
    // What the damage took is still told, as a gap or an event less, never as a bad chunk.
    #expect(!run("verify \(fixed)").output.contains("checksum"))
    let merged = TerminalSession.quoted(folder.path + "/merged")
    let merge = run("merge \(fixed) \(vector("two-writers")) -o \(merged)")
    #expect(merge.output.contains("18 events in 4 chunks"), "\(merge.output)")
    #expect(run("verify \(merged)").status == 0)
    #expect(run("merge \(fixed) \(vector("two-writers")) -o \(merged)").status == 74)
  }

  @Test func whatIsNoTraceIsSaid() throws {
    let folder = try TemporaryFolder()
    let text = TerminalSession.quoted(try folder.write("hello, this is a text\n", to: "text"))
    for command in ["info", "verify", "dump"] {
      let result = run("\(command) \(text)")
      #expect(result.status == 2)
      #expect(result.output.contains("not a trace"), "\(result.output)")
      #expect(run("\(command) /nowhere/at.all").status == 74)
      #expect(run("\(command)").status == 64)
    }
  }
}
