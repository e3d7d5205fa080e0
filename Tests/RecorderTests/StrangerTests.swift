// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import Support
import TestThreads
import Testing
import LifetracePlatform
import LifetraceTrace

@testable import LifetraceRecorder

/// What processes do to a recording, or to what one has left, that are none of it.
@Suite(.serialized, .waits) struct StrangerTests {
  private func wait(_ pid: Int32) -> Int32 {
    var result = cplatform_wait_result()
    _ = cplatform_wait(pid, 0, 0, 1, &result)
    return result.value
  }

  @Test(.needs(getuid() == 0, "another user is had by root"))
  func anotherUserCannotMakeUpWhoCouldNotJoin() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, errors) = (directory + "/run.lifetrace", directory + "/errors")
    #expect(mkfifo(directory + "/go", 0o600) == 0)
    let file = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let front = try Front(
      ["-o", output, "--", "/bin/sh", "-c", "read line < \(directory)/go"],
      sessionsIn: directory,
      errors: file
    )
    close(file)
    // Its command waits: the session is there and the recorder listens.
    let go = open(directory + "/go", O_WRONLY | O_CLOEXEC)
    let session = try #require(namesInDirectory(directory).first { $0.hasPrefix("lifetrace-") })
    #expect(wait(Recording.spawn([Recording.products + "/Emitter", "liars", session, "40"])) == 0)
    #expect(write(go, "\n", 1) == 1)
    close(go)
    #expect(front.wait() == 0)
    let said = SmallFile.lineIfReadable(errors) ?? ""
    #expect(said.contains("none lost") && !said.contains("could not join"), "\(said)")
    let notes = try ReadTrace(output).names.strings.filter { $0.contains("is not recorded: ") }
    #expect(notes.isEmpty, "\(notes)")
  }

  /// A process of the recording that has become another user is believed, and so when it is gone.
  @Test(
    .needs(
      getuid() == 0 && DescendantTests.mayListen,
      "another user is had by root"
    )
  )
  func whoHasBecomeAnotherUserIsCountedThoughItIsGone() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    let emitter = Recording.products + "/Emitter"
    let front = try Front(
      [
        "-o", output, "--", "/bin/sh", "-c",
        "i=0; while [ $i -lt 20 ]; do \(emitter) nobody 1; i=$((i+1)); done",
      ],
      sessionsIn: directory
    )
    #expect(front.wait() == 0)
    let trace = try ReadTrace(output)
    let notes = trace.streams.flatMap(\.events).filter { event in
      event.kind == .log
        && trace.names[NameID(rawValue: UInt32(event.arguments.0))].contains("is not recorded: ")
    }
    #expect(notes.count == 20)
  }

  /// A session whose recorder was killed, without anybody who lives in it.
  private func orphan(in directory: String) throws -> String {
    let front = try Front(
      ["-o", directory + "/run.lifetrace", "--", "sleep", "1000"],
      sessionsIn: directory
    )
    Front.wait { !ProcFS.children(of: front.recorder ?? 0).isEmpty }
    let recorder = try #require(front.recorder)
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    #expect(kill(front.pid, SIGTERM) == 0)
    #expect(front.wait() == 128 + SIGTERM)
    return try #require(SessionDirectory.orphans(in: [directory]).first)
  }

  /// Somebody who holds the lock of the session until `release` is closed.
  private func holder(of session: String, goes: Bool) throws -> (pid: Int32, release: Int32) {
    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    #expect(pipe(&input) == 0 && pipe(&output) == 0)
    _ = fcntl(input[1], F_SETFD, FD_CLOEXEC)
    _ = fcntl(output[0], F_SETFD, FD_CLOEXEC)
    let emitter = Recording.products + "/Emitter"
    let pid = Recording.spawn(
      [emitter, "holder", session + "/session", goes ? "1" : "0"],
      input: input[0],
      output: output[1]
    )
    close(input[0])
    close(output[1])
    var byte: UInt8 = 0
    #expect(read(output[0], &byte, 1) == 1)
    close(output[0])
    if goes {
      Front.wait { ProcFS.status(of: pid).map { $0.state == UInt8(ascii: "Z") } == true }
    }
    return (pid, input[1])
  }

  @Test func aRecoveryWaitsForARecorderThatIsDying() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let session = try orphan(in: directory)
    let (pid, release) = try holder(of: session, goes: true)
    // It is left already, and is told of.
    #expect(SessionDirectory.orphans(in: [directory]) == [session])
    let recovery = try Front(["--recover", session], sessionsIn: directory)
    // It asks for the lock, and does not go away.
    Front.wait { isWaiting(recovery.pid) }
    #expect(isWaiting(recovery.pid))
    close(release)
    #expect(recovery.wait() == 0)
    #expect(wait(pid) == 0)
    #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
  }

  /// Whether the process has the session's file open.
  private func isWaiting(_ pid: Int32) -> Bool {
    namesInDirectory("/proc/\(pid)/fd").contains { name in
      var buffer = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/\(pid)/fd/\(name)", &buffer, buffer.count)
      let path = String(
        decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) },
        as: UTF8.self
      )
      return path.hasSuffix("/session")
    }
  }

  @Test func aRecoveryDoesNotWaitForARecorderThatLives() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let session = try orphan(in: directory)
    let (pid, release) = try holder(of: session, goes: false)
    #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
    do throws(RecorderError) {
      _ = try SessionDirectory(adopting: session)
      Issue.record("the session was adopted")
    } catch {
      #expect("\(error)" == "\(session): another recorder is at work there")
    }
    close(release)
    #expect(wait(pid) == 0)
    _ = try SessionDirectory(adopting: session)
  }

  @Test(.needs(StrangerTests.mayMakeGroups, "cgroups of version 2 that may be written"))
  func emptyGroupsOfRecordersThatAreGoneAreRemoved() throws {
    let home = try #require(ControlTree()?.directory(of: getpid()))
    let number = UInt64.random(in: .min ... .max)
    func path(_ index: UInt64) -> String {
      "\(home)/lifetrace-\(getuid())-\(String(number &+ index, radix: 16))"
    }
    for index in 0..<3 as Range<UInt64> {
      #expect(mkdir(path(index), 0o755) == 0)
      #expect(mkdir(path(index) + "/launch-1", 0o755) == 0)
    }
    // One is empty, one has a recorder that lives, in one somebody lives.
    let lock = open(path(1), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(cplatform_lock(lock) == 0)
    let sleeper = Recording.spawn(["/bin/sleep", "1000"])
    let procs = open(path(2) + "/launch-1/cgroup.procs", O_WRONLY | O_CLOEXEC)
    let digits = Array("\(sleeper)".utf8)
    #expect(write(procs, digits, digits.count) == digits.count)
    close(procs)
    func tidied(_ index: UInt64) -> AbandonedGroup? {
      AbandonedGroup.tidy().first { $0.path == path(index) }
    }
    let living = tidied(2)
    #expect(living?.processes == [sleeper])
    #expect(living?.isRemoved == false)
    #expect(access(path(0), F_OK) != 0)
    #expect(access(path(1), F_OK) == 0)
    close(lock)
    #expect(kill(sleeper, SIGKILL) == 0)
    _ = wait(sleeper)
    // A recovery says what it does about them, unless the recorder of another test is quicker.
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let removals = (1...2 as ClosedRange<UInt64>).map { "removed \(path($0)), the empty cgroup" }
    var said = ""
    for _ in 0..<5 where !removals.allSatisfy(said.contains) {
      for index in 1...2 as ClosedRange<UInt64> { mkdir(path(index), 0o755) }
      let file = open(directory + "/errors", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      let front = try Front(["--recover"], sessionsIn: directory, errors: file)
      close(file)
      #expect(front.wait() == 0)
      said = SmallFile.lineIfReadable(directory + "/errors") ?? ""
      for index in 1...2 as ClosedRange<UInt64> { #expect(access(path(index), F_OK) != 0) }
    }
    for removal in removals { #expect(said.contains(removal), "\(said)") }
  }

  static var mayMakeGroups: Bool {
    guard let home = ControlTree()?.directory(of: getpid()) else { return false }
    return access(home, W_OK) == 0
  }
}
