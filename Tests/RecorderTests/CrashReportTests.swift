// SPDX-License-Identifier: Apache-2.0
import Support
import Testing
import LifetraceTrace
@testable import LifetraceRecorder

/// What is kept of a report in the shape that the runtime prints.
@Suite struct CrashReportTests {
  private static let report = """
    Store.swift:12: Fatal error: no draft
    *** Signal 4: Backtracing from 0x7f717a36df7f... done ***

    *** Program crashed: Illegal instruction at 0x00007f717a36df7f ***

    Platform: x86_64 Linux

    Thread 0 "notes" crashed:

      0      0x00007f717a36df7f _assertionFailure(_:_:file:line:flags:) + 302 in libswiftCore.so
      1 [ra] 0x000055bb07ffff51 closure #1 in Store.flush() + 32 in notes at /src/a in b/Store.swift:140:34
      2 [ra] [thunk] 0x000055bb07fffeed Store.save(_:) + 60 in notes at //<compiler-generated>
    ...

    Thread 1:

      0      0x00007f717a36df70 other() + 3 in notes at /src/Other.swift:1:1

    Registers:

    rax 0x0000000000000000  73 65 63 72 65 74  secret

    Backtrace took 0.03s
    """

  @Test func theStackOfTheThreadThatCrashedIsKept() {
    var report = CrashReport()
    let lines = Self.report.split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init
    )
    let kept = lines.map { line -> CrashReport.Line in
      _ = report.begins(with: Array(line.utf8), at: HostTime(rawValue: 7))
      return report.take(line)
    }.filter { $0 != .left }
    #expect(
      kept == [
        .ordinary, .headline, .headline,
        .frame(function: "_assertionFailure(_:_:file:line:flags:)", file: "", line: 0),
        .frame(function: "a closure in Store.flush()", file: "/src/a in b/Store.swift", line: 140),
        .frame(function: "Store.save(_:)", file: "", line: 0),
      ]
    )
    #expect(report.begun == HostTime(rawValue: 7))
  }

  @Test func theRuntimesOwnStackDoesNotHideTheError() {
    var report = CrashReport()
    let lines = [
      "Fatal error: no draft", "Current stack trace:",
      "0    libswiftCore.so     0x00007fe92fb6d530 swift_reportError + 36",
      "1    notes               0x0000557ee86aeae1 <unavailable> + 76513", "after it",
    ]
    #expect(
      lines.map { report.take($0) } == [
        .ordinary, .left, .frame(function: "swift_reportError", file: "", line: 0), .left,
        .ordinary,
      ]
    )
  }

  @Test func aCrashIsKnownBeforeItsFirstLineEnds() {
    var report = CrashReport()
    func begins(_ text: String, _ time: Int64) -> Bool {
      report.begins(with: Array(text.utf8), at: HostTime(rawValue: time))
    }
    let others = [
      "*** Sig", "*** Signal 4 of something else", "x *** Signal 4: Backtracing from 0",
    ]
    for text in others { #expect(!begins(text, 1), "\(text)") }
    #expect(begins("*** Signal 11: Backtracing from 0x7f71", 2))
    // The first time counts.
    #expect(!begins("*** Signal 11: Backtracing from 0x7f71", 3))
    #expect(report.begun == HostTime(rawValue: 2))
  }
}
