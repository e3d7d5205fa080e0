// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import Synchronization
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// What others do to the file of a recording, and what is there at the end.
@Suite(.waits) struct OutputTests {
  /// Records lines in small chunks, does something to the file, and records more.
  private final class Scene {
    let recording: Recording
    var output: String { recording.recorder.output }
    private let lines = Mutex(0)

    init(_ change: (inout RecorderOptions) -> Void = { _ in }) throws {
      recording = try Recording(change)
    }

    /// A chunk each.
    func record(_ chunks: Int) throws {
      for _ in 0..<chunks {
        for _ in 0..<20 {
          let line = lines.withLock { lines in
            defer { lines += 1 }
            return lines
          }
          recording.recorder.record(
            RecordedEvent(observer: .recorder) {
              Payload.Log(text: $0.name("line \(line)"), level: .info)
            },
            about: recording.recorder.deviceWriter
          )
        }
        recording.recorder.catchUp()
        try recording.recorder.flush()
      }
    }

    /// Whether all lines are in the file, each once, and nothing is wrong with it.
    func expectWhole(_ path: String) throws {
      let reader = try TraceReader(path: path)
      try reader.verify()
      #expect(reader.problems.isEmpty, "\(reader.problems)")
      try expectLines(path)
    }

    /// The same of a recording that has not ended.
    func expectBeginning(_ path: String) throws {
      let reader = try TraceReader(path: path)
      try reader.verify()
      #expect(reader.problems.map(\.kind) == [.noEnd], "\(reader.problems)")
      try expectLines(path)
    }

    private func expectLines(_ path: String) throws {
      let trace = try ReadTrace(path)
      let texts = trace.streams.flatMap(\.events).filter { $0.kind == .log }.map {
        trace.names[NameID(rawValue: UInt32($0.arguments.0))]
      }
      #expect(texts == (0..<lines.withLock { $0 }).map { "line \($0)" })
    }
  }

  private func inode(_ path: String) -> UInt64? {
    var facts = stat()
    return stat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
  }

  @Test(arguments: ["file", "directory"], [1, 6])
  func aFileThatWasRemovedIsWrittenAgain(what: String, chunks: Int) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    #expect(mkdir(directory + "/runs", 0o755) == 0)
    let output = directory + "/runs/run.lifetrace"
    let scene = try Scene { $0.output = output }
    try scene.record(chunks)
    #expect(chmod(output, 0o600) == 0)
    #expect(unlink(output) == 0)
    if what == "directory" { #expect(rmdir(directory + "/runs") == 0) }
    try scene.record(chunks)
    let summary = try scene.recording.recorder.stop()
    try scene.expectWhole(output)
    #expect(summary.isAsAsked && summary.gone == 0 && summary.output == output)
    #expect(summary.remarks.count == 1 && summary.remarks[0].contains("written again"))
    var facts = stat()
    #expect(stat(output, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    #expect(summary.bytes == UInt64(facts.st_size))
    #expect(namesInDirectory(directory + "/runs") == ["run.lifetrace"])
  }

  /// As an editor or a backup does it: what is there is the beginning, in another file.
  @Test(arguments: [1, 100, Int.max])
  func aCopyOfTheBeginningIsGoneOnWith(bytes: Int) throws {
    let scene = try Scene()
    try scene.record(3)
    let whole = try TestFile.read(scene.output)
    let copy = scene.recording.directory + "/copy"
    try TestFile.write(Array(whole.prefix(bytes)), to: copy)
    #expect(rename(copy, scene.output) == 0)
    try scene.record(3)
    let summary = try scene.recording.recorder.stop()
    try scene.expectWhole(scene.output)
    #expect(summary.isAsAsked)
  }

  /// What stands at the path is somebody's, or cannot even be looked at.
  @Test(
    arguments: ["hard link", "link", "link to nothing much", "loop", "pipe", "device"],
    [RecorderOptions.Retention.all, .bytes(1 << 24)]
  )
  func besideWhatMayNotBeGoneOnWithTheRecordingIsSaved(
    what: String,
    retention: RecorderOptions.Retention
  ) throws {
    let scene = try Scene { $0.retention = retention }
    try scene.record(3)
    let backup = scene.recording.directory + "/backup"
    let beginning = what == "link to nothing much" ? [] : try TestFile.read(scene.output)
    try TestFile.write(beginning, to: backup)
    #expect(unlink(scene.output) == 0)
    switch what {
    case "hard link": #expect(link(backup, scene.output) == 0)
    case "loop": #expect(symlink(scene.output, scene.output) == 0)
    case "pipe": #expect(mkfifo(scene.output, 0o600) == 0)
    case "device": #expect(symlink("/dev/null", scene.output) == 0)
    default: #expect(symlink(backup, scene.output) == 0)
    }
    try scene.record(3)
    let summary = try scene.recording.recorder.stop()
    #expect(summary.output == "\(scene.output).saved-\(getpid())" && !summary.isAsAsked)
    try scene.expectWhole(summary.output)
    #expect(try TestFile.read(backup) == beginning)
  }

  @Test(arguments: [false, true]) func whereTheFileWasMovedItIsFinished(isLoop: Bool) throws {
    let scene = try Scene()
    try scene.record(3)
    let moved = scene.recording.directory + "/moved"
    #expect(rename(scene.output, moved) == 0)
    if isLoop { #expect(symlink(scene.output, scene.output) == 0) }
    try scene.record(3)
    let summary = try scene.recording.recorder.stop()
    try scene.expectWhole(moved)
    #expect(!summary.isAsAsked && summary.output == moved && summary.gone == 0)
    #expect(access(scene.output, F_OK) != 0)
  }

  /// A recorder whose file was moved ends while another one records under the name.
  @Test func theFileOfAnotherRecorderIsLeftAlone() throws {
    let scene = try Scene()
    try scene.record(6)
    let moved = scene.recording.directory + "/moved"
    #expect(rename(scene.output, moved) == 0)
    let other = try Scene { $0.output = scene.output }
    try other.record(6)
    let file = inode(scene.output)
    let summary = try scene.recording.recorder.stop()
    #expect(summary.output == moved && !summary.isAsAsked)
    #expect(summary.bytes == UInt64(try TestFile.read(moved).count))
    #expect(inode(scene.output) == file)
    try other.record(6)
    let others = try other.recording.recorder.stop()
    #expect(others.isAsAsked && others.remarks.isEmpty)
    try scene.expectWhole(moved)
    try other.expectWhole(scene.output)
  }

  @Test(arguments: ["text", "nothing yet", "recorder"])
  func besideAnotherFileTheRecordingIsSaved(what: String) throws {
    let scene = try Scene()
    try scene.record(3)
    #expect(unlink(scene.output) == 0)
    var other: Recorder?
    let text = what == "text" ? "precious\n" : ""
    if what != "recorder" {
      try TestFile.write(text, to: scene.output)
    } else {
      var options = RecorderOptions(output: scene.output)
      options.sessionParents = [scene.recording.directory]
      other = try Recorder(options)
      try other?.start()
    }
    try scene.record(3)
    let summary = try scene.recording.recorder.stop()
    #expect(summary.output == "\(scene.output).saved-\(getpid())" && !summary.isAsAsked)
    try scene.expectWhole(summary.output)
    if let other {
      _ = try other.stop()
      #expect(try ReadTrace(scene.output).hasEnd)
    } else {
      #expect(try TestFile.read(scene.output) == Array(text.utf8))
    }
  }

  /// What was taken out of the file is nowhere else: it is counted, and the count is that of verify.
  @Test(arguments: ["cut", "emptied", "zeroed", "end"])
  func whatWasTakenOutIsCounted(what: String) throws {
    let scene = try Scene()
    try scene.record(3)
    let size = try TestFile.read(scene.output).count
    try scene.record(3)
    switch what {
    case "cut": #expect(truncate(scene.output, off_t(size - 10)) == 0)
    case "emptied": #expect(truncate(scene.output, 0) == 0)
    default:
      let file = open(scene.output, O_WRONLY | O_CLOEXEC)
      defer { close(file) }
      let zeros = [UInt8](repeating: 0, count: 100)
      let place = what == "end" ? try TestFile.read(scene.output).count - 100 : size - 50
      #expect(pwrite(file, zeros, 100, off_t(place)) == 100)
    }
    if what != "end" { try scene.record(1) }
    let summary = try scene.recording.recorder.stop()
    let reader = try TraceReader(path: scene.output)
    try reader.verify()
    #expect(summary.gone == ["cut": 80, "emptied": 120, "zeroed": 40, "end": 20][what])
    #expect(summary.gone == reader.census.lost.count)
    #expect(summary.events == UInt64(reader.census.events))
    #expect(!summary.isAsAsked && summary.output == scene.output)
    #expect(summary.remarks.contains { $0.contains("lifetrace repair") }, "\(summary.remarks)")
  }

  /// Where nothing can be written the recording is in the session, and a recovery has all of it.
  @Test(arguments: [false, true])
  func whatCanBeWrittenNowhereIsKeptInTheSession(isLoop: Bool) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    #expect(mkdir(directory + "/runs", 0o755) == 0)
    let output = directory + "/runs/run.lifetrace"
    let scene = try Scene { $0.output = output }
    try scene.record(3)
    // A file where the folder was: no folder can be made there, be it by the superuser.
    #expect(unlink(output) == 0 && rmdir(directory + "/runs") == 0)
    if isLoop {
      #expect(symlink("runs", directory + "/runs") == 0)
    } else {
      try TestFile.write("", to: directory + "/runs")
    }
    try scene.record(3)
    let error = #expect(throws: RecorderError.self) { try scene.recording.recorder.stop() }
    guard case .traceKept(let session, output, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("lifetrace record --recover \(session) -o OUT") == true)
    let lines = scene.recording.recorder
    #expect(lines.sessionDirectory == session)
    // The lock goes with the recorder's process, which this one is: the bytes are all that counts.
    let kept = directory + "/kept"
    try TestFile.write(try TestFile.read(session + "/trace"), to: kept)
    try scene.expectWhole(kept)
  }

  /// Where the session takes it neither it is held, and who waits for it is told the truth.
  @Test(arguments: [false, true]) func whatNoFileHasIsHeldForAWhile(isReleased: Bool) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    #expect(mkdir(directory + "/runs", 0o755) == 0)
    let output = directory + "/runs/run.lifetrace"
    let scene = try Scene {
      $0.output = output
      $0.holdSecondsMax = isReleased ? 60 : 1
    }
    try scene.record(3)
    #expect(unlink(output) == 0 && rmdir(directory + "/runs") == 0)
    try TestFile.write("", to: directory + "/runs")
    let session = scene.recording.recorder.sessionDirectory
    #expect(mkdir(session + "/trace", 0o700) == 0)
    let taken = directory + "/taken"
    let told = Mutex<[String]>([])
    scene.recording.recorder.onProblem { problem in
      told.withLock { $0.append(problem) }
      guard let held = problem.firstMatch(of: /cp (\S+) OUT/)?.1 else { return }
      try? TestFile.write((try? TestFile.read(String(held))) ?? [], to: taken)
      if isReleased { rmdir(session + "/trace") }
    }
    try scene.record(3)
    let error = #expect(throws: RecorderError.self) { try scene.recording.recorder.stop() }
    #expect(told.withLock { $0.filter { $0.contains("No file has the recording") }.count } == 1)
    // What was told can be done.
    try scene.expectBeginning(taken)
    guard isReleased else {
      guard case .traceLost(session, output, _, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.description.contains("it is lost") == true)
      #expect(rmdir(session + "/trace") == 0)
      return
    }
    guard case .traceKept(session, output, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let kept = directory + "/kept"
    try TestFile.write(try TestFile.read(session + "/trace"), to: kept)
    try scene.expectWhole(kept)
  }

  /// Who does not want to wait for room says so, and is told what that means; also where the process
  /// that hears it has not yet come round to reading that the command has ended.
  @Test(arguments: [false, true]) func theWaitForRoomCanBeEnded(isHeldBack: Bool) throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let output = directory + "/runs/run.lifetrace"
    let emitter = Recording.products + "/Emitter"
    let said = directory + "/said"
    let errors = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(errors) }
    #expect(mkdir(directory + "/runs", 0o755) == 0)
    // No folder can be made where a file is, and no file where a folder is.
    let script = """
      "\(emitter)" numbers 1000
      touch \(directory)/ready; until [ -e \(directory)/go ]; do :; done
      rm -r \(directory)/runs; touch \(directory)/runs; mkdir "$LIFETRACE_SESSION/trace"
      """
    let front = try Front(
      ["-o", output, "--", "sh", "-c", script],
      sessionsIn: directory,
      errors: errors
    )
    func words() -> String { String(decoding: (try? TestFile.read(said)) ?? [], as: UTF8.self) }
    Front.wait { access(directory + "/ready", F_OK) == 0 }
    if isHeldBack { #expect(kill(front.pid, SIGSTOP) == 0) }
    try TestFile.write([], to: directory + "/go")
    Front.wait { words().contains("it is held open") }
    #expect(words().contains("Ctrl-C or SIGTERM gives it up"), "\(words())")
    #expect(kill(front.pid, SIGTERM) == 0)
    if isHeldBack { #expect(kill(front.pid, SIGCONT) == 0) }
    let start = time(nil)
    #expect(front.wait() == 125)
    #expect(time(nil) - start < 20)
    #expect(words().contains("A signal ended the wait for room"), "\(words())")
  }

  @Test func whatBecameOfTheFileIsSaidAtOnce() throws {
    let scene = try Scene()
    let told = Mutex<[String]>([])
    let isTold = DispatchSemaphore(value: 0)
    scene.recording.recorder.onProblem { problem in
      told.withLock { $0.append(problem) }
      isTold.signal()
    }
    try scene.record(2)
    func wait(_ words: String) {
      #expect(isTold.wait(timeout: .now() + 60) == .success)
      let last = told.withLock { $0.last } ?? ""
      #expect(last.contains(words), "\(last)")
    }
    #expect(truncate(scene.output, 10) == 0)
    wait("was cut to 10 bytes of ")
    let moved = scene.recording.directory + "/moved"
    #expect(rename(scene.output, moved) == 0)
    wait("was moved; recording goes on in \(moved)")
    #expect(unlink(moved) == 0)
    wait("was removed while recording")
    try TestFile.write("other", to: scene.output)
    wait("another file stands there now")
    _ = try scene.recording.recorder.stop()
    #expect(told.withLock { $0.count } == 4)
  }
}
