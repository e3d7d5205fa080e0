// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `lifetrace test`: the verdict of each test, by the processes that it starts.
@Suite(.waits) struct TestCommandTests {
  /// A runner with two workers, which names the test of a process as pytest does.
  private static let runner = """
    import multiprocessing, os, subprocess, sys
    def work(test):
      os.environ["PYTEST_CURRENT_TEST"] = f"tests/test_notes.py::{test} (call)"
      subprocess.run([sys.argv[1], "unsaved" if "loses" in test else "numbers", "10"])
    if __name__ == "__main__":
      with multiprocessing.Pool(2) as workers:
        workers.map(work, sys.argv[2:], chunksize=1)
    """

  private func run(_ line: String, _ folder: TestFolder) -> (status: Int32, output: String) {
    shell("ulimit -c 0; \(line)", in: folder)
  }

  @Test func eachTestOfAParallelRunnerHasItsVerdict() throws {
    let folder = try TestFolder()
    try folder.write(Self.runner, to: "runner.py")
    let tests = "test_loses_a test_b test_loses_c test_d"
    let result = run("lifetrace test -- python3 runner.py $emitter \(tests)", folder)
    #expect(result.status == 1, "\(result.output)")
    let lines = result.output.split(separator: "\n").map(String.init)
    for test in ["test_loses_a", "test_loses_c"] {
      let place = lines.firstIndex(of: "  broken   tests/test_notes.py::\(test)")
      let index = try #require(place, "\(result.output)")
      let said = lines[(index + 1)...].prefix { $0.hasPrefix("      ") }
      #expect(
        said.contains { $0.hasPrefix("      DS02 error: draft.txt lost") },
        "\(result.output)"
      )
    }
    for test in ["test_b", "test_d"] {
      #expect(lines.contains("  clean    tests/test_notes.py::\(test)"), "\(result.output)")
    }
    #expect(result.output.contains("4 tests, 2 in which a rule was broken."))
    // What one test leaves is nothing that the next one should have found.
    #expect(!result.output.contains("The next launch"), "\(result.output)")
    let kept = try #require(lines.last { $0.hasPrefix("kept: ") })
    #expect(kept == "kept: lifetrace replay lifetrace-tests/run-1.lifetrace")
    #expect(run("lifetrace verify lifetrace-tests/run-1.lifetrace", folder).status == 0)
  }

  @Test func aProgramReadsWhatWasFoundInAllTests() throws {
    let folder = try TestFolder()
    try folder.write(Self.runner, to: "runner.py")
    let line =
      "lifetrace test --format junit -o found.xml -- python3 runner.py $emitter test_loses_a test_b"
    let result = run(line, folder)
    #expect(result.status == 1, "\(result.output)")
    // The list of the tests is for people, and goes beside it.
    #expect(result.output.contains("broken   tests/test_notes.py::test_loses_a"))
    let read = """
      python3 -c 'import xml.etree.ElementTree as tree
      print([case.get("name") for case in tree.parse("found.xml").iter("testcase")
        if case.find("failure") is not None])'
      """
    #expect(run(read, folder).output.contains("DS02"), "\(run("cat found.xml", folder).output)")
    let lines = run(
      "lifetrace test --format jsonl -- python3 runner.py $emitter test_loses_a >found 2>said; "
        + "code=$?; cat found; exit $code",
      folder
    )
    #expect(lines.status == 1)
    #expect(
      lines.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") },
      "\(lines.output)"
    )
  }

  @Test func nothingIsLeftWhereNothingFailed() throws {
    let folder = try TestFolder()
    try folder.write(Self.runner, to: "runner.py")
    let line = "lifetrace test --keep a/b -- python3 runner.py $emitter test_b test_d"
    let result = run(line, folder)
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("2 tests, nothing found."), "\(result.output)")
    #expect(run("ls a", folder).output == "")
  }

  @Test func theCodeOfTheCommandComesFirst() throws {
    let folder = try TestFolder()
    let result = run("lifetrace test -- sh -c 'exit 7'", folder)
    #expect(result.status == 7, "\(result.output)")
    #expect(result.output.contains("kept: lifetrace replay lifetrace-tests/run-1.lifetrace"))
    #expect(run("lifetrace test -- no-such-command", folder).status == 127)
    #expect(run("lifetrace test", folder).status == 64)
    try folder.write("", to: "file")
    #expect(run("lifetrace test --keep file/x -- true", folder).status == 125)
  }

  @Test func aViolationInNoTestIsSaidToBeThere() throws {
    let folder = try TestFolder()
    let result = run(
      "lifetrace test -- sh -c '$0 unsaved; LIFETRACE_TEST=one $0 numbers 1' $emitter",
      folder
    )
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("broken   in no test"), "\(result.output)")
    #expect(result.output.contains("  one\n"), "\(result.output)")
  }
}
