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

  /// No process has a number like that.
  private static let gone = Int32.max

  private func beside(_ output: String, _ kind: SideFile, by process: Int32 = gone) -> String {
    "\(output).\(kind.rawValue)\(process)"
  }

  /// A recording in several chunks, with a copy that was taken before they became fewer.
  private func traceWithCopy(_ output: String, _ copy: String) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    var options = RecorderOptions(output: output)
    options.sessionParents = [directory]
    options.compacts = false
    let recorder = try Recorder(options)
    try recorder.start()
    for line in 0..<8 {
      recorder.record(
        RecordedEvent(observer: .recorder) {
          Payload.Log(text: $0.name("line \(line)"), level: .info)
        },
        about: recorder.deviceWriter
      )
      try recorder.flush()
    }
    _ = try recorder.stop()
    Front.wait { (try? TraceLock(output)) != nil }
    try TestFile.write(TestFile.read(output), to: copy)
    try TraceWriter(path: output, options: .append).finish(end: true)
    let chunks = try [output, copy].map { try TraceReader(path: $0).streams[0].chunks.count }
    #expect(chunks[0] < chunks[1], "\(chunks)")
  }

  @Test(arguments: SideFile.allCases)
  func whatStandsInTheTraceGoes(kind: SideFile) throws {
    let folder = try TestFolder()
    let output = folder.file("run.lifetrace")
    let leftover = beside(output, kind)
    try traceWithCopy(output, leftover)
    let (whole, copy) = try (TestFile.read(output), TestFile.read(leftover))
    // The chunks of either lie within those of the other; a torn tail holds no event.
    for (trace, other) in [(whole, copy), (copy, whole), (whole, Array(copy.dropLast(10)))] {
      try TestFile.write(trace, to: output)
      try TestFile.write(other, to: leftover)
      #expect(Leftovers.hints(beside: output).count == 1)
      let said = Leftovers.tidy(beside: output)
      #expect(said.count == 1 && said[0].contains("removed, all that it holds"), "\(said)")
      #expect(folder.names == ["run.lifetrace"])
      #expect(try TestFile.read(output) == trace)
    }
  }

  @Test(arguments: SideFile.allCases)
  func whatIsNotProvedToStandInTheTraceStays(kind: SideFile) throws {
    let folder = try TestFolder()
    let output = folder.file("run.lifetrace")
    let leftover = beside(output, kind)
    try traceWithCopy(output, leftover)
    try trace(folder.file("other"), lines: 2)
    let (whole, copy) = try (TestFile.read(output), TestFile.read(leftover))
    let other = try folder.read("other")
    var damaged = whole
    let chunk = try TraceReader(path: output).streams[0].chunks[0]
    damaged[chunk.headerBytes + chunk.payloadBytes / 2] ^= 1
    let cut = Array(copy.prefix(copy.count / 2))
    // Another recording; more than the trace has; what the trace has no more; a text; nothing at all.
    let cases = [
      (whole, other), (cut, whole), (damaged, whole), (damaged, copy), (whole, other + copy),
      (whole, Array("notes".utf8)), (whole, []),
    ]
    for (trace, left) in cases {
      try TestFile.write(trace, to: output)
      try TestFile.write(left, to: leftover)
      let said = Leftovers.tidy(beside: output)
      #expect(said.count == 1 && said[0].contains("rm \(leftover)"), "\(said)")
      #expect(try TestFile.read(leftover) == left)
      #expect(try TestFile.read(output) == trace)
    }
    // And whose process lives, or that have another name, are not even named.
    unlink(leftover)
    try TestFile.write(whole, to: output)
    let own = [
      beside(output, kind, by: 1), output + ".before-1", output + ".2.compact",
      output + ".\(kind.rawValue)", output + ".\(kind.rawValue)007", output + ".\(kind.rawValue)x",
    ]
    for path in own { try TestFile.write(whole, to: path) }
    #expect(Leftovers.tidy(beside: output).isEmpty)
    #expect(Leftovers.hints(beside: output).isEmpty)
    for path in own { #expect(try TestFile.read(path) == whole) }
  }

  @Test func theOldTraceIsPutBackAndNothingElseIsReplacedByIt() throws {
    let folder = try TestFolder()
    let output = folder.file("run.lifetrace")
    let before = beside(output, .before)
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

  /// Whether it records or refuses, it removes no file: it names what may be a leftover.
  @Test(arguments: [false, true]) func theNextRecordingRemovesNothing(force: Bool) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    let own = [
      output + ".before-20261122", output + ".2.compact", beside(output, .before),
      beside(output, .compact),
    ]
    for path in own { try trace(path, lines: 2) }
    // The only copy of what is about to be replaced.
    try TestFile.write(TestFile.read(output), to: own[3])
    let bytes = try own.map { try TestFile.read($0) }
    let arguments = (force ? ["-f"] : []) + ["-o", output, "--", "true"]
    let (code, said) = try record(arguments, in: directory)
    #expect(code == (force ? 0 : 125), "\(said)")
    #expect(!said.contains("removed"), "\(said)")
    #expect(said.contains("rm \(own[3])") == force, "\(said)")
    #expect(try own.map { try TestFile.read($0) } == bytes)
  }

  /// What somebody puts at the path in the moment in which the old trace is replaced.
  @Test func whatIsPutThereWhileTheTraceIsReplacedIsKeptAndNamed() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/run.lifetrace"
    try trace(output, lines: 3)
    let others = directory + "/others"
    try TestFile.write("precious", to: others)
    let said = directory + "/said"
    let errors = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let held = try HeldFile(output)
    let front = try Front(
      ["--force", "-o", output, "--", "true"],
      sessionsIn: directory,
      errors: errors
    )
    try held.waitForWhoOpensIt()
    #expect(rename(others, output) == 0)
    held.letGo()
    #expect(front.wait() == 0)
    let words = String(decoding: try TestFile.read(said), as: UTF8.self)
    let kept = try #require(besides(directory).first, "\(words) \(namesInDirectory(directory))")
    #expect(besides(directory).count == 1)
    #expect(try TestFile.read(directory + "/" + kept) == Array("precious".utf8))
    #expect(words.contains("another file was put there"), "\(words)")
    #expect(words.contains(directory + "/" + kept), "\(words)")
    #expect(Leftovers.tidy(beside: output).count == 1)
    #expect(besides(directory) == [kept])
  }
}
