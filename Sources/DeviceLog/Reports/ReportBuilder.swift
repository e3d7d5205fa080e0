// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Makes the facts of a report.
struct ReportBuilder {
  private(set) var read: LogFacts
  /// The major version of the system.
  var systemVersion: Int64?
  /// What the report says beside its facts, for the summary.
  var notes: [String] = []

  init(names: Names, file: String) {
    read = LogFacts(
      names: names,
      files: [file],
      facts: [],
      processes: [],
      lastTime: .min,
      dating: .init(isDated: false, hasZone: false, zone: 0)
    )
  }

  /// A process that the report is about; the facts that follow are of its writer.
  mutating func process(_ name: String, _ pid: UInt32) -> UInt32 {
    var process = LogProcess(name: name, pid: pid)
    process.lines = 1
    process.appLines = 1
    read.processes.append(process)
    return UInt32(read.processes.count - 1)
  }

  mutating func add(_ fact: LogFact, _ writer: UInt32, at time: Int64) {
    var fact = fact
    (fact.time, fact.order, fact.writer) = (time, time, writer)
    read.facts.append(fact)
    read.firstTime = min(read.firstTime ?? time, time)
    read.lastTime = max(read.lastTime, time)
    read.processes[Int(writer)].latest = max(read.processes[Int(writer)].latest, time)
  }

  mutating func name(_ text: String) -> NameID {
    text.isEmpty ? .empty : read.names.intern(String(text.prefix(LogRecognizer.textBytesMax)))
  }

  /// The times of the report are dated, and shown in that zone.
  mutating func setZone(_ time: ReportTime) {
    read.dating = .init(isDated: true, hasZone: time.hasZone, zone: time.zone)
  }

  /// Takes the version out of `iPhone OS 15.5 (19F77)`.
  mutating func setSystem(_ text: String) {
    let digits = text.split { !$0.isNumber }.first.flatMap { Int64($0) }
    if let digits, (2...99).contains(digits) { systemVersion = digits }
  }
}

/// A time as reports print it: `2018-04-19 15:58:17.6849 -0400`.
struct ReportTime {
  /// Nanoseconds since 1970; of the clock on the wall where no zone is said.
  let time: Int64
  /// Seconds east of Greenwich.
  let zone: Int64
  let hasZone: Bool

  init?(_ text: String) {
    var stamp = LogStamp()
    let length = Array(text.utf8).withUnsafeBufferPointer { bytes -> Int in
      guard let base = bytes.baseAddress, bytes.count > 12 else { return 0 }
      return stamp.read(LogText(base, bytes.count))
    }
    guard length > 0, case .full(let day) = stamp.day else { return nil }
    zone = stamp.zone
    hasZone = stamp.hasZone
    time = day * LogStamp.dayNanoseconds + stamp.timeOfDay - stamp.zone * 1_000_000_000
  }
}
