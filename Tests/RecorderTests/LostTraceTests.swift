// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// A recorder is killed, and by the time that somebody goes on its file is not what it was.
@Suite(.serialized, .waits) struct LostTraceTests {
  /// An app that emits while its recorder is killed, and all that was written by then.
  private final class Scene {
    let directory: String
    let front: Front
    var output: String { directory + "/run.lifetrace" }
    /// A second name of the file that the recorder writes to.
    var written: String { directory + "/written.lifetrace" }
    private var progress: String { directory + "/progress" }

    init() throws {
      directory = try Recording.makeDirectory()
      front = try Front(
        [
          "-o", directory + "/run.lifetrace", "--", Recording.products + "/Emitter", "progress",
          directory + "/progress", "2", "0", "1000",
        ],
        sessionsIn: directory
      )
      waitForEvents(moreThan: 1_000, in: output)
      #expect(link(output, written) == 0)
    }

    deinit { Recording.remove(directory) }

    var session: String {
      get throws { try #require(SessionDirectory.orphans(in: [directory]).first) }
    }

    func events(_ path: String) -> Int {
      let streams = (try? TraceReader(path: path))?.streams ?? []
      return streams.flatMap(\.chunks).reduce(0) { $0 + $1.eventCount }
    }

    private func waitForEvents(moreThan count: Int, in path: String) {
      Front.wait { events(path) > count }
    }

    /// Kills the recorder once it has written more than there was; by the second chunk it is done
    /// with the first one.
    func killRecorder() throws {
      for _ in 0..<2 { waitForEvents(moreThan: events(written), in: written) }
      let recorder = try #require(front.recorder)
      #expect(kill(recorder, SIGKILL) == 0)
      front.waitUntilRecorderIsGone(recorder)
    }

    /// Goes on, and ends the app.
    func recover(into other: String? = nil) throws -> RecordingSummary {
      let adopted = try Recorder(adopting: session, output: other)
      try adopted.start()
      for app in adopted.livingProcesses { #expect(kill(app, SIGKILL) == 0) }
      _ = front.wait()
      while !adopted.livingProcesses.isEmpty { usleep(1_000) }
      return try adopted.stop()
    }

    /// Together they are the recording: each event once, under a number of its own.
    func expectWhole(_ parts: [String]) throws {
      let merged = directory + "/merged.lifetrace"
      _ = try TraceCopy.make(merged, from: parts)
      let reader = try TraceReader(path: merged)
      try reader.verify()
      #expect(reader.problems.allSatisfy { $0.kind == .noEnd }, "\(reader.problems)")
      let app = try #require(ReadTrace(merged).apps.first)
      let said = try KillTests.progress(progress, threads: 2)
      KillTests.check(app, said)
      #expect(app.events.allSatisfy { $0.kind != .loss })
    }

    /// The file says itself how many events it does not hold.
    func expectMissing(_ count: UInt64, in path: String) throws {
      let reader = try TraceReader(path: path)
      try reader.verify()
      #expect(reader.census.missing.count == count)
      #expect(reader.problems.count == 1, "\(reader.problems)")
    }
  }

  @Test func behindACopyOfTheBeginningTheNumbersGoOn() throws {
    let scene = try Scene()
    let copy = scene.directory + "/copy"
    try TestFile.write(TestFile.read(scene.output), to: copy)
    #expect(rename(copy, scene.output) == 0)
    try scene.killRecorder()
    let missing = scene.events(scene.written) - scene.events(scene.output)
    #expect(missing > 0)
    let summary = try scene.recover()
    #expect((1...UInt64(missing)).contains(summary.elsewhere) && !summary.isAsAsked)
    #expect(summary.remarks.count == 1, "\(summary.remarks)")
    try scene.expectMissing(summary.elsewhere, in: scene.output)
    try scene.expectWhole([scene.written, scene.output])
  }

  @Test func theRestOfAFileThatWasMovedHasNumbersOfItsOwn() throws {
    let scene = try Scene()
    #expect(unlink(scene.output) == 0)
    try scene.killRecorder()
    #expect(throws: RecorderError.self) { try Recorder(adopting: scene.session) }
    let rest = scene.directory + "/rest.lifetrace"
    let summary = try scene.recover(into: rest)
    let all = UInt64(scene.events(scene.written))
    #expect((1...all).contains(summary.elsewhere) && !summary.isAsAsked)
    try scene.expectWhole([scene.written, rest])
  }

  /// Neither is waited for without end, and a new file takes what is left.
  @Test(.timeLimit(.minutes(5)), arguments: ["a pipe", "a device", "a directory"])
  func whatIsNoFileIsNotOpened(what: String) throws {
    let scene = try Scene()
    try scene.killRecorder()
    #expect(unlink(scene.output) == 0)
    switch what {
    case "a pipe": #expect(mkfifo(scene.output, 0o600) == 0)
    case "a device": #expect(symlink("/dev/full", scene.output) == 0)
    default: #expect(mkdir(scene.output, 0o700) == 0)
    }
    #expect {
      try Recorder(adopting: scene.session)
    } throws: { error in
      "\(error)".contains("is not what the killed recorder was writing")
        && "\(error)".contains("-o OUT")
    }
    let rest = scene.directory + "/rest.lifetrace"
    let summary = try scene.recover(into: rest)
    #expect(summary.output == rest)
    try scene.expectWhole([scene.written, rest])
  }

  @Test func ofAFileThatWasCutTheLossIsCounted() throws {
    let scene = try Scene()
    try scene.killRecorder()
    let all = scene.events(scene.output)
    let chunks = try TraceReader(path: scene.output).streams.flatMap(\.chunks)
    let last = try #require(chunks.map(\.offset).sorted().suffix(2).first)
    #expect(truncate(scene.output, off_t(last)) == 0)
    let missing = all - scene.events(scene.output)
    #expect(missing > 0)
    let summary = try scene.recover()
    #expect((1...UInt64(missing)).contains(summary.elsewhere) && !summary.isAsAsked)
    try scene.expectMissing(summary.elsewhere, in: scene.output)
  }

  /// As `record -f` does it: what was left is not the other recording's.
  @Test func theFileOfAnotherRecordingIsLeftAsItIs() throws {
    let scene = try Scene()
    try scene.killRecorder()
    let other = try Recording()
    #expect(try other.run("numbers", "10") == 0)
    _ = try other.recorder.stop()
    #expect(rename(other.output, scene.output) == 0)
    let bytes = try TestFile.read(scene.output)
    #expect {
      try Recorder(adopting: scene.session)
    } throws: { error in
      "\(error)".contains("is not what the killed recorder was writing")
        && "\(error)".contains("-o OUT")
    }
    #expect(try TestFile.read(scene.output) == bytes)
    let rest = scene.directory + "/rest.lifetrace"
    let summary = try scene.recover(into: rest)
    let all = UInt64(scene.events(scene.written))
    #expect((1...all).contains(summary.elsewhere) && !summary.isAsAsked)
    #expect(try TestFile.read(scene.output) == bytes)
    try scene.expectWhole([scene.written, rest])
  }
}
