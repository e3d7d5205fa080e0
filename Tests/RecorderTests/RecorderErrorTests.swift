// SPDX-License-Identifier: Apache-2.0
import LifetraceTraceFile
import Testing

@testable import LifetraceRecorder

/// A path is said once, however errors hold each other.
@Suite struct RecorderErrorTests {
  private func locked(_ path: String) -> TraceFileError { TraceFileError(path, .locked) }

  private func line(_ error: RecorderError) -> String {
    String("\(error)".prefix { $0 != "\n" })
  }

  @Test func aFileIsNamedOnce() {
    let own = RecorderError.file(path: "/a/run", causes: [locked("/a/run")])
    #expect(line(own) == "/a/run: another process is writing to it")
    let beside = RecorderError.file(path: "/a/run", causes: [locked("/a/run.new-1")])
    #expect(line(beside) == "/a/run.new-1: another process is writing to it")
    let other = RecorderError.file(path: "/a/run", causes: [locked("/b/kept")])
    #expect(line(other) == "/a/run: /b/kept: another process is writing to it")
    #expect(line(.file(path: "/a/run", causes: [])) == "/a/run: it takes no more")
  }

  @Test func whatWasTriedInsteadIsSaidToo() {
    let error = RecorderError.file(path: "/a/run", causes: [locked("/a/run"), locked("/b/kept")])
    #expect("\(error)".contains("\n  /b/kept: another process is writing to it"))
  }

  @Test func aTraceThatIsKeptSaysWhy() {
    func kept(_ cause: RecorderError?) -> String {
      line(.traceKept(session: "/s", trace: "/a/run", cause: cause))
    }
    let file = RecorderError.file(path: "/a/run", causes: [locked("/a/run")])
    #expect(kept(file) == "/a/run: another process is writing to it")
    #expect(
      kept(.timeout(action: "end", pid: 7)) == "/a/run: process 7 did not end in time"
    )
    #expect(kept(nil) == "/a/run: it could not be written where it was asked for")
    let lost = RecorderError.traceLost(session: "/s", trace: "/a/run", cause: file, isGivenUp: true)
    #expect("\(lost)".contains("\n  A signal ended the wait for room.\n"))
  }

  @Test func placesThatRefusedSayWhy() {
    let busy = RecorderError.system(action: "make it", subject: "/run", errno: 13)
    let error = RecorderError.noSessionDirectory(tried: [("/run", busy), ("/tmp", busy)])
    #expect(
      line(error) == "no place for a session directory; tried /run: Permission denied; "
        + "/tmp: Permission denied"
    )
    #expect("\(error)".hasSuffix("lifetrace doctor"))
  }
}
