// SPDX-License-Identifier: Apache-2.0
import Glibc
import Host
import Testing

@Suite("What scenarios expect of a recording", .serialized)
struct ExpectationTests {
  private static func life(expecting expectations: [String]) -> String {
    let head = """
      app: notes
      steps:
      - launch
      - tell: {edit: "Dear diary"}
      - home
      - purge

      """
    return head + expectations.map { "- expect: \($0)\n" }.joined()
  }

  /// What `lifetrace record --scenario` prints, and its exit code.
  private static func record(_ text: String, fixed: Bool) throws -> (code: Int32, said: String) {
    var template = Array("/tmp/lifetrace-expect-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw HostTestError("no directory") }
    let directory = String(cString: made)
    defer { system("rm -r \(directory)") }
    let file = try #require(fopen(directory + "/life.yml", "w"))
    fputs(text, file)
    fclose(file)
    let option = fixed ? "--fixed" : ""
    let line = """
      cd \(directory) && \(Played.products)/lifetrace record --scenario life.yml -o run.lifetrace \
      -- \(Played.products)/notes \(option) --directory . 2>&1
      """
    return try shell(line)
  }

  /// Runs a line of shell: its exit code and what it prints.
  static func shell(_ line: String) throws -> (code: Int32, said: String) {
    let pipe = try #require(popen(line, "r"))
    var said: [UInt8] = []
    while true {
      let byte = fgetc(pipe)
      if byte == EOF { break }
      said.append(UInt8(truncatingIfNeeded: byte))
    }
    let status = pclose(pipe)
    return ((status >> 8) & 0xff, String(decoding: said, as: UTF8.self))
  }

  @Test("A violation that was not expected fails the recording, with its place")
  func unexpected() throws {
    let (code, said) = try Self.record(Self.life(expecting: ["no violations"]), fixed: false)
    #expect(code == 1, "\(said)")
    #expect(said.contains("life.yml:7:3: expected no violations, found"), "\(said)")
    #expect(said.contains("DS02 in notes#1"), "\(said)")
  }

  @Test("A violation that was expected is fine, and so is an app that breaks nothing")
  func expected() throws {
    let broken = try Self.record(Self.life(expecting: ["violation DS02"]), fixed: false)
    #expect(broken.code == 0, "\(broken.said)")
    let fixed = try Self.record(Self.life(expecting: ["no violations"]), fixed: true)
    #expect(fixed.code == 0, "\(fixed.said)")
  }

  @Test("A violation that does not come fails the recording")
  func missing() throws {
    let (code, said) = try Self.record(
      Self.life(expecting: ["no violations", "violation DS02"]),
      fixed: true
    )
    #expect(code == 1, "\(said)")
    #expect(said.contains("life.yml:8:3: expected a violation of DS02, found none"), "\(said)")
  }

  @Test("A rule that does not exist is refused where it stands")
  func unknownRule() {
    let text = "steps:\n- launch\n- expect: violation DS2\n"
    let problem = #expect(throws: ScenarioProblem.self) {
      try Scenario(parsing: text, file: "x.yml")
    }
    #expect(problem?.place == ScenarioPlace(line: 3, column: 11))
    #expect(problem?.advice.contains("did you mean") == true)
  }
}
