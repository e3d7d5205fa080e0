// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// An Apple device log, read as the lives of the apps in it.
///
///     let log = try LogImport(path: "hootowl.log")
///     log.streams[0].attributes.app        // "com.example.hootowl"
///     log.streams[0].events                // transitions, background tasks …
///     print(log.summary)
///
/// Reads exports of Console.app, idevicesyslog, `log show` and NSLog output, line
/// by line in any mixture. Two passes: bytes to facts, facts to events. Nothing
/// is known before the first evidence: states begin as unknown.
package struct LogImport: Sendable {
  /// What a user may choose.
  package struct Options: Sendable {
    /// The profile; nil takes it from the system version in the log, else `ios13`.
    package var profile: String?
    /// Only apps whose id contains this.
    package var app: String?

    /// Everything, with the profile of the log.
    package init(profile: String? = nil, app: String? = nil) {
      self.profile = profile
      self.app = app
    }
  }

  /// One process of one app.
  package struct Stream: Sendable {
    /// A hash of the log and the process: importing twice gives the same.
    package var id: WriterID
    /// The attributes of the writer.
    package var attributes: WriterAttributes
    /// In order; their ids are of ``LogImport/names``.
    package var events: [Event]
  }

  /// What ids in the events stand for.
  package var names: Names
  /// Processes of apps in order of their first line, without those that reported nothing.
  package var streams: [Stream]
  /// A summary of the lines that were read.
  package var summary: LogSummary

  /// Reads the log at `path`, or standard input for `-`.
  ///
  /// - Throws: ``LogImportError`` when it cannot be read or holds nothing that is known.
  package init(path: String, options: Options = Options()) throws(LogImportError) {
    var scan = LogScan()
    var reader = LogReader(path: path)
    try reader.read(into: &scan)
    try self.init(scan, reader, options)
  }

  /// Reads a log that is in memory.
  package init(bytes: [UInt8], name: String) throws(LogImportError) {
    var scan = LogScan()
    var reader = LogReader(path: name)
    var rest = bytes[...]
    try reader.read(into: &scan) { buffer, room in
      let part = rest.prefix(room)
      for (index, byte) in part.enumerated() { buffer[index] = byte }
      rest = rest.dropFirst(part.count)
      return part.count
    }
    try self.init(scan, reader, Options())
  }

  private init(
    _ scan: LogScan,
    _ reader: LogReader,
    _ options: Options
  ) throws(LogImportError) {
    let path = reader.path
    guard reader.bytes > 0 else { throw .empty(path: path) }
    guard scan.linesWithPrefix > 0 else {
      if let found = reader.unread {
        throw .foreign(path: path, what: found.what, advice: found.advice)
      }
      throw .notALog(path: path, sample: reader.sample)
    }
    var fold = LogFold(scan, file: Self.fileName(path))
    fold.run()
    names = fold.names
    let profile = options.profile ?? Self.profile(systemVersion: scan.systemVersion)
    streams = Self.streams(fold, scan, reader, profile, options)
    if streams.isEmpty, let wanted = options.app {
      let known = Set(fold.lives.filter { !$0.events.isEmpty }.map { fold.apps.apps[$0.app].id })
      if !known.isEmpty { throw .noSuchApp(path: path, wanted: wanted, known: known.sorted()) }
    }
    summary = LogSummary(scan, reader, streams, names, profile: profile)
    guard !streams.isEmpty else {
      throw .nothingRecognized(
        path: path,
        lines: scan.lines,
        processes: Self.busiest(scan.processes)
      )
    }
  }

  private static func streams(
    _ fold: LogFold,
    _ scan: LogScan,
    _ reader: LogReader,
    _ profile: String,
    _ options: Options
  ) -> [Stream] {
    let ids = fold.lives.indices.map { writerID(fold, $0, reader.digest) }
    var streams: [Stream] = []
    for (index, life) in fold.lives.enumerated() where !life.events.isEmpty {
      let app = fold.apps.apps[life.app]
      if let wanted = options.app, !app.id.contains(wanted) { continue }
      var attributes = WriterAttributes(app: app.id, process: app.process, role: role(app.role))
      attributes.pid = life.pid
      attributes.started = HostTime(rawValue: life.started)
      attributes.previous = fold.previous[index].map { ids[$0] }
      attributes.evidence = .log
      attributes.clock = scan.clock.isDated ? .real : .timeOfDay
      if scan.clock.isDated { attributes.realOffset = scan.clock.firstZone * 1_000_000_000 }
      attributes.profile = profile
      var events = life.events
      for place in events.indices { events[place].sequence = UInt64(place) }
      streams.append(Stream(id: ids[index], attributes: attributes, events: events))
    }
    return streams
  }

  private static func role(_ role: LogTarget.Role) -> ProcessRole {
    switch role {
    case .app: .app
    case .extension: .extension
    case .daemon, .executable: .daemon
    }
  }

  private static func writerID(
    _ fold: LogFold,
    _ index: Int,
    _ digest: (UInt64, UInt64)
  ) -> WriterID {
    let life = fold.lives[index]
    var (high, low) = digest
    for byte in fold.apps.apps[life.app].id.utf8 {
      high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    high = (high ^ UInt64(life.pid)) &* 0x9FB2_1C65_1E98_DF25
    low = (low ^ UInt64(index) ^ high >> 7) &* 0xD6E8_FEB8_6659_FD93
    return WriterID(high: high ^ high >> 31, low: low ^ low >> 29)
  }

  private static func fileName(_ path: String) -> String {
    path == "-" ? "stdin" : String(path.split(separator: "/").last ?? "log")
  }

  /// The generation of deadlines that a major version of iOS belongs to.
  static func profile(systemVersion: Int64?) -> String {
    switch systemVersion {
    case .some(...3): "classic"
    case .some(4...6): "ios4"
    case .some(7...12): "ios7"
    case .some(17...25): "ios17"
    case .some(26...): "ios26"
    default: "ios13"
    }
  }

  private static func busiest(_ processes: [LogProcess]) -> [String] {
    processes.sorted { $0.lines > $1.lines }.prefix(5).map(\.name)
  }
}
