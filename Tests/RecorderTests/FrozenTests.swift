// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LifetraceRecorder
import LifetracePlatform
import TestThreads
import Testing
import LifetraceTrace

@Suite(.waits) struct FrozenTests {
  /// Where cgroups of version 2 are, for who may make some.
  private static let tree: String? = {
    guard geteuid() == 0 else { return nil }
    return SmallFile.lineIfReadable("/proc/self/mountinfo")?.split(separator: "\n")
      .first { $0.contains(" - cgroup2 ") }?.split(separator: " ")[4]
      .description
  }()

  @Test(.needs(tree != nil, "the freezer needs root and cgroups of version 2"))
  func aProcessThatOthersFreezeIsSeen() throws {
    let recording = try Recording()
    let (suspended, resumed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    recording.recorder.watch([.suspend, .resume]) { found in
      for one in found where one.kind == .suspend { suspended.signal() }
      for one in found where one.kind == .resume { resumed.signal() }
    }
    let path = recording.directory + "/progress"
    let app = try recording.launch("progress", path, "1", "0", "50")
    KillTests.waitForAnEmit(path)
    let group = try #require(Self.tree) + "/frozen-test-\(app.pid)"
    #expect(mkdir(group, 0o755) == 0)
    defer { rmdir(group) }
    func write(_ text: String, _ file: String) {
      let fd = open("\(group)/\(file)", O_WRONLY | O_CLOEXEC)
      #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count)
      close(fd)
    }
    write("\(app.pid)", "cgroup.procs")
    write("1", "cgroup.freeze")
    #expect(suspended.wait(timeout: .now() + .seconds(60)) == .success)
    write("0", "cgroup.freeze")
    #expect(resumed.wait(timeout: .now() + .seconds(60)) == .success)
    #expect(kill(app.pid, SIGKILL) == 0)
    _ = app.wait()
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let seen = trace.apps.flatMap(\.events).filter { [.suspend, .resume].contains($0.kind) }
    #expect(seen.map(\.kind) == [.suspend, .resume])
    #expect(seen.allSatisfy { $0.flags.contains(.sampled) && $0.observer == .recorder })
  }
}
