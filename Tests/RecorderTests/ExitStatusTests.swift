// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import LifetraceRecorder
import LifetracePlatform
import TestThreads
import Testing
import LifetraceTrace

/// How a process ended that is not ours to wait for.
@Suite(.waits) struct ExitStatusTests {
  /// Linux tells the status of any process by its pidfd since 6.15.
  static var kernelTells: Bool {
    guard let text = SmallFile.lineIfReadable("/proc/sys/kernel/osrelease") else { return false }
    let numbers = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 15)
  }

  @Test(arguments: [("exit 7", Int32(7), false), ("kill -9 $$", 9, true)])
  func aPidfdTellsTheStatusWhereTheKernelDoes(script: String, value: Int32, isSignal: Bool) throws {
    let gate = try Recording.makeDirectory()
    defer { Recording.remove(gate) }
    #expect(mkfifo(gate + "/go", 0o600) == 0)
    let words = ["/bin/sh", "-c", "read line < \(gate)/go; \(script)"]
    var strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    strings.append(nil)
    defer { for string in strings { free(string) } }
    var stage: Int32 = 0
    let pid = strings.withUnsafeBufferPointer { strings -> Int32 in
      var request = cplatform_spawn_request()
      request.arguments = strings.baseAddress
      request.environment = UnsafePointer(environ)
      request.standard = (-1, -1, -1)
      return cplatform_spawn(&request, &stage)
    }
    try #require(pid > 0)
    let pidfd = cplatform_pidfd_open(pid)
    #expect(pidfd >= 0)
    defer { close(pidfd) }
    var status: Int32 = -1
    // It lives: nothing is told.
    #expect(cplatform_pidfd_exit_status(pidfd, &status) != 0)
    let go = open(gate + "/go", O_WRONLY | O_CLOEXEC)
    #expect(write(go, "\n", 1) == 1)
    close(go)
    var result = cplatform_wait_result()
    #expect(cplatform_wait(pid, 0, 0, 1, &result) == 0)
    #expect(cplatform_pidfd_exit_status(pidfd, &status) == (Self.kernelTells ? 0 : -1))
    guard Self.kernelTells else { return }
    let told = cplatform_split_status(pid, status)
    #expect(told.value == value)
    #expect((told.change == Int32(bitPattern: CPLATFORM_SIGNALED.rawValue)) == isSignal)
  }

  @Test func theEndOfAGrandchildIsToldByItsPidfdOrSaidToBeUnknown() throws {
    let recording = try Recording()
    let path = recording.directory + "/progress"
    // The shell waits for it, not we.
    let child = try recording.recorder.launch([
      "/bin/sh", "-c", "\(Recording.products)/Emitter progress '\(path)' 1 0 50; exit 0",
    ])
    // Who is gone before anybody has looked at it has no pidfd.
    while recording.recorder.livingProcesses.isEmpty { usleep(1_000) }
    for process in recording.recorder.livingProcesses { #expect(kill(process, SIGKILL) == 0) }
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let exit = try #require(trace.apps.first?.events.last)
    #expect(exit.kind == .processExit)
    let cause = trace.names[NameID(rawValue: UInt32(exit.arguments.0))]
    let evidence = trace.names[NameID(rawValue: UInt32(exit.arguments.2))]
    #expect(cause == (Self.kernelTells ? "signal" : "unknown"))
    #expect(exit.arguments.1 == (Self.kernelTells ? 9 : 0))
    #expect(evidence == "pidfd")
  }
}
