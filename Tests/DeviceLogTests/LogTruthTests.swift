// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDeviceLog
import LifetraceInterop
import Support
import Testing
import LifetraceTrace

/// Logs made from seeds: the import has to find the truth behind them.
@Suite struct LogTruthTests {
  @Test(arguments: UInt64(1)...6)
  func recoversStatesTasksAndExits(seed: UInt64) throws {
    let log = SampleLog(seed: seed, apps: 5, sessions: 10, noise: 30)
    let text = log.text(.console)
    #expect(text.utf8.count > 1_000_000)
    try expectTruth(log, text, .console, "seed \(seed)")
  }

  @Test(arguments: SampleLog.Format.allCases)
  func readsEveryFormat(format: SampleLog.Format) throws {
    let log = SampleLog(seed: 42, apps: 3, sessions: 5, noise: 2, disorder: 0)
    try expectTruth(log, log.text(format), format, "\(format)")
  }

  @Test func goesOnBehindMidnight() throws {
    let log = SampleLog(seed: 9, apps: 3, sessions: 12, start: 86_300_000_000)
    try expectTruth(log, log.text(.console), .console, "midnight")
  }

  private func expectTruth(
    _ log: SampleLog,
    _ text: String,
    _ format: SampleLog.Format,
    _ label: String
  ) throws {
    let imported = try importText(text)
    #expect(imported.streams.map(\.attributes.app).sorted() == log.lives.map(\.app).sorted())
    for life in log.lives {
      let found = imported.streams.filter {
        $0.attributes.pid == UInt32(life.pid) && $0.attributes.app == life.app
      }
      guard let stream = found.first else {
        Issue.record("\(label): no stream for \(life.app) pid \(life.pid)")
        continue
      }
      #expect(found.count == 1)
      expectLegal(stream, imported)
      let name = "\(label) \(life.app) \(life.pid)"
      let zone: Int64 = format.isDated ? SampleLog.epoch : 0
      expectStates(life, stream, imported, format, zone, name)
      expectTasks(life, stream, imported, format, zone, name)
    }
  }

  private func time(_ microseconds: Int64, _ format: SampleLog.Format, _ zone: Int64) -> Int64 {
    microseconds / format.resolution * format.resolution * 1_000 + zone
  }

  private func expectStates(
    _ life: SampleLog.Life,
    _ stream: LogImport.Stream,
    _ imported: LogImport,
    _ format: SampleLog.Format,
    _ zone: Int64,
    _ name: String
  ) {
    let expected = life.states.map { "\(time($0.time, format, zone)) \($0.state)" }
    var states = imported.states(stream).map { "\($0.time) \($0.state)" }
    if let start = stream.events.first(where: { $0.kind == .processStart }) {
      states.insert("\(start.time.rawValue) notRunning", at: 0)
    }
    #expect(states == expected, "\(name)")
    let exit = stream.events.first { $0.kind == .processExit }
    #expect((exit == nil) == (life.exit == nil), "\(name)")
    if let exit, let truth = life.exit {
      let cause = imported.names[NameID(rawValue: UInt32(truncatingIfNeeded: exit[0]))]
      #expect(cause == truth.cause, "\(name)")
      #expect(exit[1] == truth.code, "\(name)")
    }
  }

  private func expectTasks(
    _ life: SampleLog.Life,
    _ stream: LogImport.Stream,
    _ imported: LogImport,
    _ format: SampleLog.Format,
    _ zone: Int64,
    _ name: String
  ) {
    var tasks: [SampleLog.Task] = []
    var possible: [String] = []
    for event in stream.events {
      let time = event.time.rawValue
      switch event.kind {
      case .taskBegin:
        let name = imported.names[NameID(rawValue: UInt32(truncatingIfNeeded: event[0]))]
        tasks.append(SampleLog.Task(id: Int64(event.identity), name: name, begin: time))
      case .taskEnd:
        let open = tasks.lastIndex { $0.id == Int64(event.identity) }
        if let open { tasks[open].end = time }
      case .resourceAcquire where imported.names[event.identityName] == "suspension possible":
        possible.append("\(time)")
      case .resourceRelease where imported.names[event.identityName] == "suspension possible":
        possible[possible.count - 1] += " to \(time)"
      default: break
      }
    }
    let expected = life.tasks.map { task in
      SampleLog.Task(
        id: task.id,
        name: task.name,
        begin: self.time(task.begin, format, zone),
        end: task.end.map { self.time($0, format, zone) }
      )
    }
    #expect(tasks == expected, "\(name)")
    // One that begins and ends in the same moment of the log's clock is none.
    let seen = life.possible.filter { interval in
      interval.end.map { self.time($0, format, zone) } != self.time(interval.begin, format, zone)
    }
    let intervals = seen.map { interval in
      "\(self.time(interval.begin, format, zone))"
        + (interval.end.map { " to \(self.time($0, format, zone))" } ?? "")
    }
    #expect(possible == intervals, "\(name)")
  }
}

/// Writes `text` to a file of its own, imports it, and removes the file.
func importText(_ text: String) throws -> LogImport { try importBytes(Array(text.utf8)) }

func importBytes(_ bytes: [UInt8]) throws -> LogImport {
  var path = Array("\(TestProgram.temporary)/lifetrace-console-XXXXXX".utf8CString)
  let file = mkstemp(&path)
  defer {
    close(file)
    unlink(path)
  }
  var written = 0
  while written < bytes.count {
    let count = bytes[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { break }
    written += count
  }
  return try LogImport(path: String(decoding: path.dropLast().map(UInt8.init), as: UTF8.self))
}
