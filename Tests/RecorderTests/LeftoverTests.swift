// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// What killed recorders leave beside a trace, and who tidies it.
@Suite(.serialized, .waits) struct LeftoverTests {
  private func trace(_ path: String, lines: Int) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    var options = RecorderOptions(output: path)
    options.sessionParents = [directory]
    let recorder = try Recorder(options)
    try recorder.start()
    for line in 0..<lines {
      recorder.record(
        RecordedEvent(observer: .recorder) {
          Payload.Log(text: $0.name("\(path) \(line)"), level: .info)
        },
        about: recorder.deviceWriter
      )
    }
    _ = try recorder.stop()
    // What another test was just starting may have inherited the lock for a moment.
    Front.wait { (try? TraceLock(path)) != nil }
  }

  /// A recorder is killed between the replacement of the trace and the start of the command.
  private func killedAtReplacing(_ output: String, in directory: String) throws {
    let command = directory + "/command"
    try TestFile.write("#!/bin/sh\nexit 0\n", to: command)
    #expect(chmod(command, 0o755) == 0)
    let held = try HeldFile(command)
    let front = try Front(["--force", "-o", output, "--", command], sessionsIn: directory)
    try held.waitForWhoOpensIt()
    let recorder = try #require(front.recorder)
    #expect(kill(recorder, SIGKILL) == 0)
    held.letGo()
    _ = front.wait()
    unlink(command)
  }

  private func record(_ arguments: [String], in directory: String) throws -> (Int32, String) {
    let said = directory + "/said"
    let errors = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let front = try Front(arguments, sessionsIn: directory, errors: errors)
    let code = front.wait()
    defer { unlink(said) }
    return (code, String(decoding: try TestFile.read(said), as: UTF8.self))
  }

  private func besides(_ directory: String) -> [String] {
    namesInDirectory(directory).filter { $0.hasPrefix("run.lifetrace.") }
  }

  @Test func theTraceThatWasToBeReplacedIsBackWhereTheNewOneHoldsNothing() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    let old = try TestFile.read(output)
    try killedAtReplacing(output, in: directory)
    #expect(besides(directory).count == 1)
    #expect(try TestFile.read(directory + "/" + besides(directory)[0]) == old)
    // Readers name it and leave it.
    let hints = Leftovers.hints(beside: output)
    #expect(hints.count == 1 && hints[0].contains("lifetrace info \(directory)/"), "\(hints)")
    #expect(besides(directory).count == 1)
    // What the killed one has left belongs into the new file; once it is in, or given up, that is.
    for session in SessionDirectory.orphans(in: [directory]) {
      let adopted = try Recorder(adopting: session)
      try adopted.start()
      let summary = try adopted.stop()
      if summary.events == 0 { break }
    }
    let isEmpty = try TraceReader(path: output).streams.isEmpty
    // What another test was just starting may have inherited the lock of the adopting one.
    Front.wait { (try? TraceLock(output)) != nil }
    let said = Leftovers.tidy(beside: output)
    #expect(said.count == 1)
    #expect(besides(directory) == [], "\(said)")
    #expect(try TestFile.read(output) == old || !isEmpty)
  }

  @Test func whatIsCertainlyNotNeededGoes() throws {
    let folder = try TestFolder()
    let output = folder.file("run.lifetrace")
    try trace(output, lines: 3)
    let whole = try folder.read("run.lifetrace")
    try trace(folder.file("run.lifetrace.before-1"), lines: 2)
    try folder.write(Array(whole.prefix(50)), to: "run.lifetrace.2.compact")
    try folder.write("", to: "run.lifetrace.before-3")
    // Names that are somebody's own.
    let own = ["run.lifetrace.before-", "run.lifetrace.before-x", "run.lifetrace.compact"]
    for name in own { try folder.write("mine", to: name) }
    #expect(Leftovers.hints(beside: output).count == 3)
    #expect(Leftovers.tidy(beside: output).count == 3)
    #expect(folder.names == ["run.lifetrace"] + own)
    #expect(try folder.read("run.lifetrace") == whole)
  }

  @Test func theOldTraceIsPutBackAndNothingElseIsReplacedByIt() throws {
    let folder = try TestFolder()
    let output = folder.file("run.lifetrace")
    let before = folder.file("run.lifetrace.before-1")
    try trace(before, lines: 2)
    let old = try TestFile.read(before)
    // A text is no trace that holds nothing; where nothing is at all the user may have meant that.
    for text in ["precious", nil] {
      if let text { try folder.write(text, to: "run.lifetrace") } else { unlink(output) }
      let said = Leftovers.tidy(beside: output)
      #expect(said.count == 1 && said[0].contains("rm \(before)"), "\(said)")
      #expect(try TestFile.read(before) == old)
    }
    try folder.write("", to: "run.lifetrace")
    #expect(Leftovers.tidy(beside: output).count == 1)
    #expect(try TestFile.read(output) == old)
    #expect(folder.names == ["run.lifetrace"])
  }

  /// As long as its recorder lives nobody touches it.
  @Test func whatALivingRecorderNeedsStays() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    let old = try TestFile.read(output)
    var options = RecorderOptions(output: output)
    options.overwrite = true
    options.sessionParents = [directory]
    let recorder = try Recorder(options)
    try recorder.start()
    #expect(besides(directory).count == 1)
    #expect(Leftovers.tidy(beside: output).isEmpty)
    #expect(Leftovers.hints(beside: output).isEmpty)
    #expect(besides(directory).count == 1)
    recorder.discard()
    #expect(try TestFile.read(output) == old)
    #expect(besides(directory) == [])
  }

  /// Until an event of the new recording is in the file, and no longer.
  @Test func theOldTraceStaysUntilTheNewOneHoldsSomething() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    let old = try TestFile.read(output)
    var options = RecorderOptions(output: output)
    options.overwrite = true
    options.sessionParents = [directory]
    let recorder = try Recorder(options)
    try recorder.start()
    let child = try recorder.launch(["/bin/sleep", "1000"])
    recorder.catchUp()
    #expect(try TraceReader(path: output).streams.isEmpty)
    #expect(besides(directory).count == 1)
    #expect(try besides(directory).map { try TestFile.read(directory + "/" + $0) } == [old])
    recorder.record(
      RecordedEvent(observer: .recorder) { Payload.Log(text: $0.name("new"), level: .info) },
      about: recorder.deviceWriter
    )
    try recorder.flush()
    #expect(besides(directory) == [])
    #expect(kill(child.pid, SIGKILL) == 0)
    _ = try recorder.stop()
    #expect(try ReadTrace(output).hasEnd)
    #expect(besides(directory) == [])
  }

  @Test func theNextRecordingTidies() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    try trace(output + ".before-1", lines: 2)
    let (code, said) = try record(["-f", "-o", output, "--", "true"], in: directory)
    #expect(code == 0, "\(said)")
    #expect(said.contains("run.lifetrace.before-1: removed"), "\(said)")
    #expect(besides(directory) == [])
  }
}
