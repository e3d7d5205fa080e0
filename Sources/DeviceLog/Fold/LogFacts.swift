// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What has been read of one file or of several, before it becomes the lives of apps.
struct LogFacts {
  var names: Names
  /// The names of the files, by ``LogProcess/file``.
  var files: [String]
  var facts: [LogFact]
  var processes: [LogProcess]
  /// The earliest and the latest time of a line.
  var firstTime: Int64?
  var lastTime: Int64
  var dating: Dating
  /// What lines of the apps' own stand for.
  var map: LogMap?
  /// Where the clock of the device was set back, for one log alone.
  var clock = LogClock()

  /// What is known of the days and the zone of times.
  struct Dating: Equatable {
    /// Whether times are nanoseconds since 1970; else since midnight before the first line.
    var isDated: Bool
    /// Whether the zone was said; without it, a dated time is that of the clock on the wall.
    var hasZone: Bool
    /// Seconds east of Greenwich in which times are shown.
    var zone: Int64
  }
}

/// One file that was handed in, as it was read.
struct LogInput {
  let path: String
  /// What it is, such as `a crash report`.
  var what: String
  var facts: LogFacts
  var bytes: Int
  /// Lines of a log; reports have none.
  var lines = 0
  var linesRecognized = 0
  var linesWithPrefix = 0
  var factsDropped = 0
  var linesUnattributed = 0
  /// See ``LogReader/digest``.
  var digest: (UInt64, UInt64)
  var systemVersion: Int64?
  /// What the patterns of a map have found; nil without one.
  var hits: LogMapHits?
  /// What it says beside its facts, for the summary.
  var notes: [String] = []
  /// How it was put on the time of the others, in words; empty where nothing had to be done.
  var placed = ""

  /// Reads a log in text, whatever it is.
  init(
    log path: String,
    names: Names = Names(),
    map: LogMap? = nil,
    from fill: ((UnsafeMutablePointer<UInt8>, Int) -> Int)? = nil
  ) throws(LogImportError) {
    var scan = LogScan(names: names, map: map)
    var reader = LogReader(path: path)
    if let fill {
      try reader.read(into: &scan, from: fill)
    } else {
      try reader.read(into: &scan)
    }
    guard reader.bytes > 0 else { throw .empty(path: path) }
    if !scan.facts.contains(where: \.pattern.tellsLife), let found = reader.unread {
      throw .foreign(path: path, what: found.what, advice: found.advice)
    }
    guard scan.linesWithPrefix > 0 else { throw .notALog(path: path, sample: reader.sample) }
    self.path = path
    what = "a log"
    bytes = reader.bytes
    digest = reader.digest
    lines = scan.lines
    linesRecognized = scan.linesRecognized
    linesWithPrefix = scan.linesWithPrefix
    factsDropped = scan.factsDropped
    linesUnattributed = scan.linesUnattributed
    systemVersion = scan.systemVersion
    hits = scan.hits
    facts = scan.facts(of: LogImport.fileName(path))
  }

  /// A report of the system, which is no log.
  init(report path: String, what: String, facts: LogFacts, bytes: [UInt8]) {
    self.path = path
    self.what = what
    self.facts = facts
    self.bytes = bytes.count
    var reader = LogReader(path: path)
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      reader.mix(LogText(base, buffer.count))
    }
    digest = reader.digest
  }
}

extension LogPattern {
  /// Whether it says something of an app's life, more than that a process runs.
  fileprivate var tellsLife: Bool {
    switch self {
    case .activity, .boot, .clockSet: false
    default: true
    }
  }
}
