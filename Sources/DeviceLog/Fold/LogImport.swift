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
    /// What lines of the apps' own stand for.
    package var map: LogMap?
    /// By how many nanoseconds the clock of the device may be wrong, as its user says; nil for unknown.
    package var clockWithin: Int64?

    /// Everything, with the profile of the log.
    package init(
      profile: String? = nil,
      app: String? = nil,
      map: LogMap? = nil,
      clockWithin: Int64? = nil
    ) {
      self.profile = profile
      self.app = app
      self.map = map
      self.clockWithin = clockWithin
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
    try self.init([LogInput(log: path, map: options.map)], options)
  }

  /// Reads a log that is in memory.
  package init(bytes: [UInt8], name: String) throws(LogImportError) {
    var rest = bytes[...]
    let input = try LogInput(log: name) { buffer, room in
      let part = rest.prefix(room)
      for (index, byte) in part.enumerated() { buffer[index] = byte }
      rest = rest.dropFirst(part.count)
      return part.count
    }
    try self.init([input], Options())
  }

  /// Reads logs and reports of one device, each for what it is, and makes them one.
  ///
  /// - Throws: ``LogImportError`` for the first that cannot be read, or is of no use.
  package init(joining paths: [String], options: Options = Options()) throws(LogImportError) {
    try self.init(Self.inputs(paths, options), options)
  }

  private static func inputs(_ paths: [String], _ options: Options) throws(LogImportError)
    -> [LogInput]
  {
    var inputs: [LogInput] = []
    for path in paths {
      let names = inputs.last?.facts.names ?? Names()
      if let report = try DeviceReport.read(path, names) {
        inputs.append(report)
      } else {
        inputs.append(try LogInput(log: path, names: names, map: options.map))
      }
    }
    return inputs
  }

  /// What the patterns of the map of `options` find in the logs at `paths`; makes nothing of it.
  package static func rehearse(_ paths: [String], _ options: Options) throws(LogImportError)
    -> LogMapHits
  {
    var hits = LogMapHits(rules: options.map?.rules.count ?? 0)
    for input in try inputs(paths, options) {
      if let own = input.hits { hits.add(own, of: fileName(input.path)) }
    }
    return hits
  }

  private init(_ read: [LogInput], _ options: Options) throws(LogImportError) {
    var inputs = read
    let facts = LogJoin.join(&inputs)
    var fold = LogFold(facts)
    fold.run()
    var names = fold.names
    let profile = options.profile ?? Self.profile(inputs, facts)
    let declared = options.clockWithin.map {
      Payload.Device(what: names.intern(ClockDeclaration.name), number: $0)
    }
    self.names = names
    streams = Self.streams(fold, facts, inputs, profile, options, declared)
    let path = inputs.map(\.path).joined(separator: ", ")
    if streams.isEmpty, let wanted = options.app {
      let known = Set(fold.lives.filter { !$0.events.isEmpty }.map { fold.apps.apps[$0.app].id })
      if !known.isEmpty { throw .noSuchApp(path: path, wanted: wanted, known: known.sorted()) }
    }
    summary = LogSummary(inputs, facts, streams, names, profile: profile)
    guard !streams.isEmpty else {
      if let report = inputs.first, inputs.allSatisfy({ $0.lines == 0 }) {
        let advice = "It names daemons only. Import the device's log of that time."
        throw .foreign(path: path, what: "\(report.what) without an app", advice: advice)
      }
      throw .nothingRecognized(
        path: path,
        lines: inputs.reduce(0) { $0 + $1.lines },
        processes: Self.busiest(facts.processes)
      )
    }
  }

  private static func streams(
    _ fold: LogFold,
    _ facts: LogFacts,
    _ inputs: [LogInput],
    _ profile: String,
    _ options: Options,
    _ declared: Payload.Device?
  ) -> [Stream] {
    let digest = inputs.dropFirst().reduce(inputs[0].digest) {
      ($0.0 &* 31 ^ $1.digest.0, $0.1 &* 31 ^ $1.digest.1)
    }
    let ids = fold.lives.indices.map { writerID(fold, $0, digest) }
    var streams: [Stream] = []
    for (index, life) in fold.lives.enumerated() where !life.events.isEmpty {
      let app = fold.apps.apps[life.app]
      if let wanted = options.app, !app.id.contains(wanted) { continue }
      var attributes = WriterAttributes(app: app.id, process: app.process, role: role(app.role))
      attributes.pid = life.pid
      attributes.started = HostTime(rawValue: life.started)
      attributes.previous = fold.previous[index].map { ids[$0] }
      attributes.evidence = .log
      attributes.clock = facts.dating.isDated ? .real : .timeOfDay
      if facts.dating.isDated { attributes.realOffset = facts.dating.zone * 1_000_000_000 }
      attributes.profile = profile
      var events = life.events
      // Behind the first, which says how the process began.
      if let declared {
        events.insert(Event(declared, at: events[0].time, observer: .import), at: 1)
      }
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

  static func fileName(_ path: String) -> String {
    path == "-" ? "stdin" : String(path.split(separator: "/").last ?? "log")
  }

  /// The generation of deadlines by the version of the system, else by the time that a kill says was
  /// permitted, else by the daemon that does the killing: assertiond did until iOS 12.
  private static func profile(_ inputs: [LogInput], _ read: LogFacts) -> String {
    if let version = inputs.lazy.compactMap(\.systemVersion).first {
      return profile(systemVersion: version)
    }
    let permitted = read.facts.lazy.filter { $0.pattern == .beyondPermitted }.map(\.a).max()
    if let permitted, permitted >= 600_000_000_000 { return "ios4" }
    let isOld = read.processes.contains { $0.name == "assertiond" }
    return isOld || permitted ?? 0 >= 180_000_000_000 ? "ios7" : profile(systemVersion: nil)
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
