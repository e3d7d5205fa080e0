// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// What a recording knows of programs without the SDK: who started whom, with what, and how it ended.
@Suite(.waits) struct ProcessTreeTests {
  /// Long enough to be seen by samples, where the kernel reports nothing.
  private static let script = """
    sleep 0.21
    sh -c "sleep 0.22; exit 3"
    sh -c "sh -c 'sleep 0.23; kill -TERM \\$\\$'; :"
    :
    """

  @Test func infoShowsWhoStartedWhomAndHowItEnded() throws {
    let folder = try TestFolder()
    try folder.write(Self.script, to: "script")
    let recorded = shell("lifetrace record -o t -- sh script", in: folder)
    #expect(recorded.status == 0, "\(recorded.output)")
    let info = shell("lifetrace info t", in: folder).output
    let number = /\d+/
    // Pids and times differ from run to run.
    let lines = info.split(separator: "\n").compactMap { line -> String? in
      guard let pid = line.firstRange(of: "  pid ") else { return nil }
      let told = line[pid.upperBound...].trimmingPrefix(number).split(separator: ", ")
      return line[..<pid.lowerBound] + "  " + (told.first ?? "")
    }
    #expect(
      lines == [
        "    sh script  exit 0", "      sleep 0.21  exit 0",
        "      sh -c sleep 0.22; exit 3  exit 3", "        sleep 0.22  exit 0",
        "      sh -c sh -c 'sleep 0.23; kill -TERM $$'; :  exit 0",
        "        sh -c sleep 0.23; kill -TERM $$  SIGTERM", "          sleep 0.23  exit 0",
      ],
      "\(info)"
    )
    #expect(info.contains("  processes, as they were started:\n"), "\(info)")
    let json = shell(
      "lifetrace info --json t | python3 -c '\nimport json, sys\n"
        + "all = {p[\"pid\"]: p for p in json.load(sys.stdin)[\"processes\"]}\n"
        + "bad = next(p for p in all.values() if p[\"status\"] == 3)\n"
        + "print(len(all), bad[\"command\"], all[bad[\"parent\"]][\"command\"])'",
      in: folder
    )
    #expect(json.output == "7 sh -c sleep 0.22; exit 3 sh script\n", "\(json.output)")
  }

  @Test func aProcessCostsAtMostAHundredBytes() throws {
    let folder = try TestFolder()
    func bytes(_ count: Int) -> Int {
      let loop = "for i in $(seq \(count)); do /bin/true --number $i; done; :"
      let line = "lifetrace record -f -o t -- sh -c '\(loop)' 2>/dev/null; stat -c %s t"
      return Int(shell(line, in: folder).output.split(separator: "\n").last ?? "") ?? 0
    }
    let (few, many) = (bytes(20), bytes(220))
    #expect(few > 0 && many > few)
    #expect((many - few) / 200 <= 100, "\(few) bytes for 20, \(many) for 220")
  }

  @Test func whatMustNotBeRecordedIsNotInACommand() throws {
    let folder = try TestFolder()
    let line = "lifetrace record --redact '/token=\\w+/' -o t -- sh -c 'sleep 0.2; : token=geheim'"
    #expect(shell(line, in: folder).status == 0)
    #expect(
      !shell("strings t; lifetrace dump t; lifetrace info t", in: folder).output.contains("geheim")
    )
  }
}
