// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
internal import LifetraceTrace

/// What an import has read, in the few lines that a user wants to see.
package struct LogSummary: Sendable, CustomStringConvertible {
  /// One process of an app.
  package struct App: Sendable {
    /// The bundle id or the executable's name.
    package var id: String
    /// 0 where the log does not say.
    package var pid: UInt32
    /// How many events it has.
    package var events: Int
    /// How many background tasks began.
    package var tasks: Int
    /// Intervals in which the system could have suspended it.
    package var suspensionsPossible: Int
    /// Suspensions that the log reports.
    package var suspensions: Int
  }

  /// Bytes of the log.
  package var bytes: Int
  /// How many lines there are in all.
  package var lines: Int
  /// Lines that report something about a life cycle.
  package var recognized: Int
  /// Lines of a known form that do not.
  package var unrecognized: Int
  /// Lines that go on with the message before them, and comments.
  package var continued: Int
  /// Facts that were not kept, for want of room.
  package var dropped: Int
  /// Lines of processes beyond those that are distinguished.
  package var unattributed: Int
  /// Nanoseconds from the first line to the last.
  package var span: Int64
  /// How often the clock of the device was set back.
  package var clockSteps: Int
  /// How many midnights were counted where times go back in a log that says no days.
  package var midnights: Int
  /// Whether it is a Mac's: the system manages none of its processes.
  package var isMac: Bool
  /// The name of the profile that was chosen.
  package var profile: String
  /// What the patterns of a map have found; nil without one.
  package var hits: LogMapHits?
  /// The files, in the order in which they were given.
  package var files: [File]
  /// The apps, by first line.
  package var apps: [App]

  /// One of several files.
  package struct File: Sendable {
    /// Its name, without folders.
    package var name: String
    /// What it is.
    package var what: String
    /// How it was put on the time of the others; empty where nothing had to be done.
    package var placed: String
    /// What it says beside its facts.
    package var notes: [String]
  }

  init(
    _ inputs: [LogInput],
    _ read: LogFacts,
    _ streams: [LogImport.Stream],
    _ names: Names,
    profile: String
  ) {
    func sum(_ count: (LogInput) -> Int) -> Int { inputs.reduce(0) { $0 + count($1) } }
    bytes = sum(\.bytes)
    lines = sum(\.lines)
    recognized = sum(\.linesRecognized)
    unrecognized = sum { $0.linesWithPrefix - $0.linesRecognized }
    continued = sum { $0.lines - $0.linesWithPrefix }
    dropped = sum(\.factsDropped)
    unattributed = sum(\.linesUnattributed)
    span = read.firstTime.map { max(0, read.lastTime.subtractingReportingOverflow($0).0) } ?? 0
    clockSteps = sum { $0.facts.clock.steps.count }
    midnights = sum { $0.facts.clock.midnights }
    for input in inputs {
      guard let own = input.hits else { continue }
      if hits == nil { hits = LogMapHits(rules: own.hits.count) }
      hits?.add(own, of: LogImport.fileName(input.path))
    }
    isMac = read.facts.contains { $0.pattern == .unmanaged }
    files = inputs.map {
      File(name: LogImport.fileName($0.path), what: $0.what, placed: $0.placed, notes: $0.notes)
    }
    self.profile = profile
    let possible = names.find(ResourceClass.suspensionPossible)
    apps = streams.map { stream in
      var app = App(
        id: stream.attributes.app,
        pid: stream.attributes.pid,
        events: stream.events.count,
        tasks: 0,
        suspensionsPossible: 0,
        suspensions: 0
      )
      for event in stream.events {
        switch event.kind {
        case .taskBegin: app.tasks += 1
        case .suspend: app.suspensions += 1
        case .resourceAcquire where event.identityName == possible: app.suspensionsPossible += 1
        default: break
        }
      }
      return app
    }
  }

  /// Several lines, the last without a newline.
  package var description: String {
    func grouped(_ count: Int) -> String { Quantity.grouped(UInt64(count)) }
    var text = "\(Quantity.duration(span))"
    if lines > 0 {
      text = "\(Quantity.count(UInt64(lines), "line")) over \(text): "
      text += "\(grouped(recognized)) recognised, \(grouped(unrecognized)) "
      text += "\(unrecognized == 1 ? "other" : "others"), \(grouped(continued)) without a prefix"
    }
    text += "; profile \(profile)"
    if files.count > 1 || files.contains(where: { $0.what != "a log" }) {
      for file in files {
        text += "\n  \(Printable.line(file.name)): \(file.what)"
        if !file.placed.isEmpty { text += "; \(Printable.line(file.placed))" }
        for note in file.notes.prefix(Self.appsShownMax) { text += "\n    \(Printable.line(note))" }
      }
    }
    if let hits {
      let found = hits.hits.count { $0.count > 0 }
      let lines = hits.hits.reduce(0) { $0 + $1.count }
      text += "\n  map: \(Quantity.count(UInt64(lines), "line")) of \(found) of "
      text += Quantity.count(UInt64(hits.hits.count), "pattern")
      if found < hits.hits.count { text += "; import dry-run shows which find nothing" }
    }
    if dropped > 0 {
      text +=
        "\n  \(Quantity.count(UInt64(dropped), "fact")) beyond \(LogScan.factsMax) were not kept"
    }
    if unattributed > 0 {
      text += "\n  \(Quantity.count(UInt64(unattributed), "line")) of processes beyond "
      text += "\(grouped(LogScan.processesMax)) could not be told apart"
    }
    if clockSteps > 0 {
      text += "\n  the clock was set back \(Quantity.count(UInt64(clockSteps), "time")): what "
      text += "follows keeps its order, with times that come again"
    }
    if midnights > 0 {
      text += "\n  no line says its day: times go back "
      text += "\(Quantity.count(UInt64(midnights), "time")), and each begins a new day"
    }
    if isMac {
      text += "\n  a Mac's log: its system suspends no app and kills no launch, so an app that it "
      text += "does not manage has no states here"
    }
    for app in apps.prefix(Self.appsShownMax) {
      text +=
        "\n  \(Printable.line(app.id))\(app.pid == 0 ? "" : " (pid \(app.pid))"): \(Quantity.count(UInt64(app.events), "event"))"
      if app.tasks > 0 { text += ", \(Quantity.count(UInt64(app.tasks), "background task"))" }
      if app.suspensions > 0 {
        text += ", suspended \(Quantity.count(UInt64(app.suspensions), "time"))"
      }
      if app.suspensionsPossible > 0 {
        text +=
          ", suspension possible in "
          + Quantity.count(UInt64(app.suspensionsPossible), "interval")
      }
    }
    if apps.count > Self.appsShownMax { text += "\n  and \(apps.count - Self.appsShownMax) more" }
    return text
  }

  private static let appsShownMax = 20
}
