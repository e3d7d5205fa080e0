// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetracePlatform
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Apps and recorders in namespaces of their own.
@Suite(.waits) struct NamespaceTests {
  /// Whether this user may make namespaces.
  static var mayUnshare: Bool {
    var status: Int32 = -1
    guard getuid() == 0, let recording = try? Recording(),
      let child = try? recording.recorder.launch(["unshare", "-pf", "true"])
    else { return false }
    status = child.wait(nanoseconds: 60_000_000_000)?.shellCode ?? -1
    _ = try? recording.recorder.stop()
    return status == 0
  }

  /// What the process says is its number is somebody else's here.
  @Test(.needs(NamespaceTests.mayUnshare, "namespaces need root"))
  func anAppInAnotherPIDNamespaceIsRecordedToItsEnd() throws {
    let recording = try Recording()
    let path = recording.directory + "/progress"
    let child = try recording.recorder.launch([
      "unshare", "-pf", Recording.products + "/Emitter", "progress", path, "2", "20000", "30",
    ])
    #expect(child.wait(nanoseconds: 60_000_000_000)?.shellCode == 0)
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    #expect(trace.apps.count == 1)
    let app = try #require(trace.apps.first)
    KillTests.check(app, try KillTests.progress(path, threads: 2))
    #expect(app.events.last?.kind == .processExit)
    #expect(app.events.count == 40_002)
  }

  /// What hides the session from an app does not hide the app from the recorder.
  @Test(
    .needs(NamespaceTests.mayUnshare, "namespaces need root"),
    arguments: [
      (
        "unshare -m sh -c 'mount -t tmpfs none DIRECTORY && EMITTER numbers 5'", "cannot be reached"
      ),
      // It is the process that was launched: one below it may be gone before it is known as such.
      ("exec setpriv --reuid 65534 --clear-groups EMITTER numbers 5", "another user"),
    ]
  )
  func whoCannotJoinIsCounted(command: String, why: String) throws {
    let recording = try Recording()
    let script = command.replacing("DIRECTORY", with: recording.directory)
      .replacing("EMITTER", with: Recording.products + "/Emitter")
    var options = LaunchOptions()
    let errors = open(recording.directory + "/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    options.errorOutput = errors
    let child = try recording.recorder.launch(["sh", "-c", script], options)
    close(errors)
    #expect(child.wait(nanoseconds: 60_000_000_000)?.shellCode == 0)
    let said = SmallFile.lineIfReadable(recording.directory + "/errors") ?? ""
    #expect(said.hasPrefix("lifetrace: not recording this process: "), "\(said)")
    let summary = try recording.recorder.stop()
    #expect(summary.notJoined == 1)
    #expect(summary.processes == 0)
    let trace = try ReadTrace(recording.output)
    #expect(trace.apps.isEmpty)
    let notes = trace.names.strings.filter { $0.contains("is not recorded: ") }
    #expect(notes.count == 1 && notes.allSatisfy { $0.contains(why) }, "\(notes)")
  }

  /// In a network of its own it cannot even tell that: it is found by what it has in its memory.
  @Test(.needs(NamespaceTests.mayUnshare, "namespaces need root"), arguments: [false, true])
  func whoCannotTellThatItCannotJoinIsFound(again: Bool) throws {
    let recording = try Recording()
    let elsewhere = try Recording.makeDirectory()
    defer { Recording.remove(elsewhere) }
    let path = elsewhere + "/progress"
    let emitter = Recording.products + "/Emitter"
    let script =
      "mount -t tmpfs none \(recording.directory) && exec \(emitter) progress \(path) 1 0 200"
    let child = try recording.recorder.launch(["unshare", "-mn", "sh", "-c", script])
    KillTests.waitForAnEmit(path)
    // Whether it is found while it runs or at the end, it is counted once.
    if again { usleep(2_500_000) }
    let summary = try recording.recorder.stop()
    #expect(kill(child.pid, SIGKILL) == 0)
    #expect(summary.notJoined == 1)
    #expect(summary.processes == 0)
    let trace = try ReadTrace(recording.output)
    let notes = trace.names.strings.filter { $0.contains("is not recorded: ") }
    #expect(notes.count == 1 && notes.allSatisfy { $0.contains("cannot be reached") }, "\(notes)")
  }

  /// In the recorder's pid namespace the sender has no number: the kernel tells 0.
  @Test(.needs(NamespaceTests.mayUnshare, "namespaces need root"))
  func whoCannotJoinFromAnotherPIDNamespaceIsNotSaidToBeProcessZero() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    #expect(mkfifo(directory + "/go", 0o600) == 0)
    let front = try Front(
      ["-o", output, "--", "/bin/sh", "-c", "read line < \(directory)/go"],
      sessionsIn: directory,
      through: ["unshare", "-pf", "--mount-proc"]
    )
    // Its command waits: the session is there and the recorder listens.
    let go = open(directory + "/go", O_WRONLY | O_CLOEXEC)
    let session = try #require(namesInDirectory(directory).first { $0.hasPrefix("lifetrace-") })
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.dropFirst().copyBytes(from: session.utf8) }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + 1 + session.utf8.count }
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(sender) }
    var reason = UInt8(LT_ABSENT_FORBIDDEN)
    let sent = try withUnsafePointer(to: &address) { address in
      try address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(sender, &reason, 1, 0, $0, socklen_t(try #require(size)))
      }
    }
    #expect(sent == 1, "\(errno)")
    #expect(write(go, "\n", 1) == 1)
    close(go)
    #expect(front.wait() == 0)
    let notes = try ReadTrace(output).names.strings.filter { $0.contains("is not recorded: ") }
    #expect(
      notes == ["a process of another pid namespace is not recorded: it runs as another user"]
    )
  }

  /// Whether a number can be had again.
  static var mayChooseNumbers: Bool {
    getuid() == 0 && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0
  }

  /// Two processes of one number in one recording: two streams, two ends, and nobody takes one for
  /// the other's.
  @Test(.needs(NamespaceTests.mayChooseNumbers, "choosing a pid needs root"))
  func aNumberThatIsUsedAgainIsAnotherProcess() throws {
    let recording = try Recording()
    let first = try recording.launch("numbers", "7")
    #expect(first.wait(nanoseconds: 60_000_000_000) == .code(0))
    var again: ChildProcess?
    for _ in 0..<2_000 where again == nil {
      let file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC)
      let digits = Array("\(first.pid - 1)".utf8)
      _ = write(file, digits, digits.count)
      close(file)
      let path = recording.directory + "/progress"
      let child = try recording.launch("progress", path, "1", "0", "50")
      if child.pid == first.pid { again = child }
      KillTests.waitForAnEmit(path)
      // Others that start processes at this moment were quicker.
      #expect(kill(child.pid, SIGKILL) == 0)
      #expect(child.wait(nanoseconds: 60_000_000_000) == .signal(SIGKILL))
      unlink(path)
    }
    let second = try #require(again)
    #expect(first.status == .code(0))
    #expect(second.status == .signal(SIGKILL))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    let both = trace.apps.filter { $0.stream.attributes.pid == UInt32(first.pid) }
    #expect(both.count == 2)
    let causes = both.map { app in
      trace.names[NameID(rawValue: UInt32(app.events.last?.arguments.0 ?? 0))]
    }
    #expect(Set(causes) == ["exit", "signal"])
    #expect(both.allSatisfy { $0.events.last?.kind == .processExit })
  }
}
