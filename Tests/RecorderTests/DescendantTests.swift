// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Dispatch
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import Synchronization
import TestThreads
import Testing
import LifetraceTrace

/// Processes without the SDK: each is seen, or said to be missed.
@Suite(.serialized, .waits) struct DescendantTests {
  /// Whether the kernel tells of forks here: it does so to root, outside containers.
  static var mayListen: Bool {
    // The number of the first pid namespace is part of the kernel's interface (PROC_PID_INIT_INO).
    var namespace = stat()
    return geteuid() == 0 && stat("/proc/self/ns/pid", &namespace) == 0
      && namespace.st_ino == 4_026_531_836
  }

  @Test(.needs(DescendantTests.mayListen, "the kernel's events need root outside containers"))
  func theKernelAgreesToTell() {
    let socket = cplatform_proc_events_open(1 << 16)
    defer { close(socket) }
    #expect(socket >= 0)
  }

  /// Processes that keep all processors busy until they are killed.
  private func busy(_ count: Int) -> [Int32] {
    (0..<count).map { _ in Recording.spawn(["/bin/sh", "-c", "while :; do :; done"]) }
  }

  @Test(
    .needs(DescendantTests.mayListen, "the kernel's events need root outside containers"),
    arguments: [false, true]
  )
  func everyProcessOfAShortCommandIsSeen(isBusy: Bool) throws {
    let others = isBusy ? busy(4) : []
    defer {
      for pid in others {
        kill(pid, SIGKILL)
        var result = cplatform_wait_result()
        _ = cplatform_wait(pid, 0, 0, 1, &result)
      }
    }
    for round in 0..<(10 * KillTests.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      let output = directory + "/run.lifetrace"
      // Forked at once, while nobody has been told of the launch yet; and gone at once.
      let script =
        round.isMultiple(of: 2) ? "sleep 0.05 & sleep 0.05 & wait" : "(exit 1) & (exit 2) & wait"
      let front = try Front(["-o", output, "--", "sh", "-c", script], sessionsIn: directory)
      #expect(front.wait() == 0)
      let trace = try ReadTrace(output)
      let seen = trace.streams.flatMap(\.events).filter { $0.kind == .processSeen }
      #expect(seen.count == 3, "round \(round)")
      let codes = seen.map { Payload.ProcessSeen($0).status }.sorted()
      #expect(codes == (round.isMultiple(of: 2) ? [0, 0, 0] : [0, 1, 2]))
    }
  }

  @Test(.needs(DescendantTests.mayListen, "the kernel's events need root outside containers"))
  func whatTheKernelHadNoRoomForIsCounted() throws {
    let socket = cplatform_proc_events_open(4_096)
    defer { close(socket) }
    #expect(cplatform_proc_events_dropped(socket) == 0)
    let count = 50
    #expect(TestProgram.shell("for i in $(seq \(count)); do (exit 0); done").code == 0)
    var events = [cplatform_proc_event](repeating: cplatform_proc_event(), count: 1_024)
    let read = cplatform_proc_events_read(socket, &events, 1_024)
    #expect(read > 0)
    // Of each process a fork and an exit.
    #expect(Int(read) + Int(cplatform_proc_events_dropped(socket)) >= 2 * count)
    // And it goes on.
    #expect(TestProgram.shell("(exit 0)").code == 0)
    #expect(cplatform_proc_events_read(socket, &events, 1_024) > 0)
  }

  @Test(.needs(DescendantTests.mayListen, "the kernel's events need root outside containers"))
  func processesThatWereMissedAreSaidToBeMissing() throws {
    let recording = try Recording {
      $0.seesBystanders = true
      $0.kernelEventsBytes = 4_096
    }
    // The recorder stands still while processes come and go.
    let (stands, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Atomic(true)
    recording.recorder.onExit { _ in
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      stands.signal()
      goesOn.wait()
    }
    _ = try recording.recorder.launch(["true"])
    stands.wait()
    let done = recording.directory + "/done"
    #expect(mkfifo(done, 0o600) == 0)
    let script = "i=0; while [ $i -lt 50 ]; do (exit 0); i=$((i+1)); done; echo > \(done)"
    let second = try recording.recorder.launch(["sh", "-c", script])
    let end = open(done, O_RDONLY | O_CLOEXEC)
    var byte: UInt8 = 0
    #expect(read(end, &byte, 1) == 1)
    close(end)
    goesOn.signal()
    #expect(second.wait(nanoseconds: 60_000_000_000) == .code(0))
    let summary = try recording.recorder.stop()
    #expect(summary.processEventsMissed > 0)
    #expect(summary.bystanders + Int(summary.processEventsMissed) >= 52)
    let trace = try ReadTrace(recording.output)
    #expect(trace.names.strings.contains { $0.contains("of the kernel's events had no room") })
  }

  /// Where the kernel does not tell of forks they are looked for, and that is said.
  @Test(.needs(NamespaceTests.mayUnshare, "namespaces need root"))
  func whoIsLookedForBySamplesMayBeMissing() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, errors) = (directory + "/run.lifetrace", directory + "/errors")
    #expect(mkfifo(directory + "/hold", 0o600) == 0)
    let hold = open(directory + "/hold", O_RDWR | O_CLOEXEC)
    let file = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let front = try Front(
      ["-o", output, "--", "sh", "-c", "cat \(directory)/hold & wait"],
      sessionsIn: directory,
      errors: file,
      through: ["unshare", "-pf", "--mount-proc"]
    )
    close(file)
    // It is there for as long as somebody looks for it.
    func seen() -> Int {
      guard let trace = try? ReadTrace(output) else { return 0 }
      return trace.streams.filter { $0.stream.attributes.role == .bystander }.count
    }
    Front.wait { seen() == 2 }
    #expect(seen() == 2)
    close(hold)
    #expect(front.wait() == 0)
    let said = SmallFile.lineIfReadable(errors) ?? ""
    #expect(said.contains("looked for by samples (short ones may be missing)"), "\(said)")
  }
}
