// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import Support
import TestThreads
import LifetracePlatform
import LifetraceTrace
import Testing

/// What the front does as long as nobody has told it which process the command is.
@Suite(.serialized, .waits) struct FrontTests {
  /// A front whose recorder stands in the middle of the start of the command.
  ///
  /// In the front's process group is somebody else, who is the front's child as well.
  private final class Scene {
    let directory: String
    let front: Front
    let recorder: Int32
    let bystander: Int32
    let held: HeldFile

    init(_ script: String, holding place: Held = .command) throws {
      directory = try Recording.makeDirectory()
      let command = directory + "/command"
      let output = directory + "/run.lifetrace"
      try Self.write("#!/bin/sh\n\(script)\n", to: command)
      if place == .output { try Self.write("", to: output) }
      held = try HeldFile(place == .command ? command : output)
      front = try Front(
        ["--force", "-o", output, "--", command],
        sessionsIn: directory,
        through: ["/bin/sh", "-c", "sleep 100 & exec \"$@\"", "sh"]
      )
      try held.waitForWhoOpensIt()
      let children = ProcFS.children(of: front.pid)
      bystander = try #require(children.first { ProcFS.program(of: $0) == "sleep" })
      recorder = try #require(children.first { ProcFS.program(of: $0) == "lifetrace" })
    }

    enum Held { case command, output }

    deinit {
      kill(bystander, SIGKILL)
      Recording.remove(directory)
    }

    private static func write(_ text: String, to path: String) throws {
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
      try #require(file >= 0)
      #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
      close(file)
    }

    /// Sends a signal to the front, and waits until it has taken note of it.
    func send(_ signal: Int32) {
      #expect(kill(front.pid, signal) == 0)
      Front.wait {
        let status = SmallFile.bytesIfReadable("/proc/\(front.pid)/status") ?? []
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        let pending = lines.first { $0.hasPrefix("ShdPnd:") }?.split(separator: "\t").last
        return pending.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << (signal - 1) == 0 }
          != false
      }
      // Who has sent it to its own group as well would get it without end.
      if !isBystanderWell { kill(front.pid, SIGKILL) }
    }

    /// The front reaps it once the command has become itself: until then that holds the pipe open.
    func killRecorder() {
      #expect(kill(recorder, SIGKILL) == 0)
      Front.wait { ProcFS.status(of: recorder).map { $0.state == UInt8(ascii: "Z") } != false }
    }

    /// Whether nobody has killed it: a signal to process 0 goes to the whole group.
    var isBystanderWell: Bool {
      ProcFS.status(of: bystander).map { $0.state != UInt8(ascii: "Z") } == true
    }
  }

  @Test(arguments: [SIGTERM, SIGUSR2])
  func aSignalThatComesBeforeTheCommandIsKeptForItAlone(signal: Int32) throws {
    let scene = try Scene("exec sleep 100")
    scene.send(signal)
    scene.held.letGo()
    #expect(scene.front.wait() == 128 + signal)
    #expect(scene.isBystanderWell)
  }

  @Test func theCommandOfARecorderThatDidNotLiveToTellOfItIsTheChildItLeft() throws {
    let scene = try Scene("exit 7")
    scene.killRecorder()
    scene.held.letGo()
    #expect(scene.front.wait() == 7)
    #expect(scene.isBystanderWell)
  }

  @Test func theCommandThatWasGuessedGetsTheSignalsThatCameBefore() throws {
    let scene = try Scene("exec sleep 100")
    scene.send(SIGTERM)
    scene.killRecorder()
    scene.held.letGo()
    #expect(scene.front.wait() == 128 + SIGTERM)
    #expect(scene.isBystanderWell)
  }

  /// Whoever wants to end the command tells the front; the recorder alone ends no recording.
  @Test func theRecorderGoesOnUntilItsCommandHasEnded() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, errors) = (directory + "/run.lifetrace", directory + "/errors")
    #expect(mkfifo(directory + "/go", 0o600) == 0)
    let file = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let front = try Front(
      ["-o", output, "--", "/bin/sh", "-c", "read line < \(directory)/go; exit 5"],
      sessionsIn: directory,
      errors: file
    )
    close(file)
    let go = open(directory + "/go", O_WRONLY | O_CLOEXEC)
    let recorder = try #require(front.recorder)
    #expect(SmallFile.lineIfReadable("/proc/\(recorder)/comm") == "lifetrace-rec")
    func said() -> String { SmallFile.lineIfReadable(errors) ?? "" }
    #expect(kill(recorder, SIGTERM) == 0)
    Front.wait { said().contains("goes on until the command has ended") }
    #expect(said().contains("To end that: kill \(front.pid)"))
    #expect(write(go, "\n", 1) == 1)
    close(go)
    #expect(front.wait() == 5)
    #expect(!said().contains("still running"), "\(said())")
    let trace = try ReadTrace(output)
    #expect(trace.hasEnd)
    // By an event where it was there for a moment, by a stream where it was there for longer.
    let ends = trace.streams.flatMap(\.events).filter {
      $0.kind == .processSeen || $0.kind == .processExit
    }
    #expect(!ends.isEmpty)
  }

  /// Without a front nobody hands on a code: then the recorder can be ended, and says what goes on.
  @Test func aRecorderWhoseFrontIsGoneCanBeEnded() throws {
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
    let go = open(directory + "/go", O_WRONLY | O_CLOEXEC)
    defer { close(go) }
    let recorder = try #require(front.recorder)
    #expect(kill(front.pid, SIGKILL) == 0)
    #expect(front.wait() == 128 + SIGKILL)
    #expect(kill(recorder, SIGTERM) == 0)
    func said() -> String { SmallFile.lineIfReadable(errors) ?? "" }
    Front.wait { said().contains("1 process still running, no longer recorded") }
    #expect(said().contains("1 process still running, no longer recorded"), "\(said())")
    #expect(try ReadTrace(output).hasEnd)
  }

  @Test func whereNoCommandWasStartedNobodyIsTakenForIt() throws {
    let scene = try Scene("exit 7", holding: .output)
    scene.send(SIGTERM)
    scene.killRecorder()
    #expect(scene.front.wait() == 125)
    scene.held.letGo()
    #expect(scene.isBystanderWell)
  }
}
