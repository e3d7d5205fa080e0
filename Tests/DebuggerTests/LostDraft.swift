// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

@testable import LifetraceDebugger

/// A draft that is edited, not saved in didEnterBackground, and purged.
struct LostDraft {
  var names = Names()
  var events: [Event] = []
  /// Of the next launch.
  private var next: [Event] = []

  init() {
    add(0, .processStart, arguments: [name("icon"), name("notes")])
    add(0.2, .transition, arguments: [1, 2, name("launch")])
    add(0.3, .transition, arguments: [2, 3, name("launch")])
    add(1.0, .dataDirty, name("draft.txt"), [1, 900], at: ("Notes/Editor.swift", 41))
    add(1.1, .dataFlushing, name("draft.txt"), [1, 900])
    add(1.2, .dataDurable, name("draft.txt"), [1, 2, 900])
    add(2.104, .dataDirty, name("draft.txt"), [2, 1_204], at: ("Notes/Editor.swift", 41))
    add(3.0, .transition, arguments: [3, 2, name("home")])
    add(3.1, .transition, arguments: [2, 4, name("home")])
    add(3.1, .callbackBegin, 1, named: "applicationDidEnterBackground:")
    add(3.2, .taskBegin, 7, [name("upload"), 30_000_000_000, 1])
    add(3.3, .callbackEnd, 1, named: "applicationDidEnterBackground:")
    add(3.4, .taskEnd, 7)
    add(3.5, .transition, arguments: [4, 5])
    add(3.6, .notificationPosted, name("NSCurrentLocaleDidChange"), [0, name("sv")])
    add(9.0, .purge, arguments: [name("memory")])
  }

  private mutating func name(_ text: String) -> UInt64 { UInt64(names.intern(text).rawValue) }

  private mutating func add(
    _ seconds: Double,
    _ kind: EventKind,
    _ identity: UInt64 = 0,
    _ values: [UInt64] = [],
    arguments: [UInt64] = [],
    named: String = "",
    at place: (String, UInt32)? = nil
  ) {
    let values = values + arguments
    var event = Event(
      kind,
      at: HostTime(rawValue: Int64(seconds * 1_000) * 1_000_000),
      identity: identity,
      argumentCount: UInt8(values.count)
    )
    for (index, value) in values.enumerated() { event[index] = value }
    if !named.isEmpty || place != nil {
      event.site = names.intern(
        Site(
          name: names.intern(named),
          file: names.intern(place?.0 ?? ""),
          line: place?.1 ?? 0
        )
      )
    }
    events.append(event)
  }

  /// The app is launched again, finds version 1, and the draft is edited anew.
  mutating func launchAgain() {
    let first = events.count
    add(10, .processStart, arguments: [name("icon"), name("notes")])
    add(10.1, .dataRestored, name("draft.txt"), [1, 900])
    add(10.5, .dataDirty, name("draft.txt"), [2, 77], at: ("Notes/Editor.swift", 43))
    next = Array(events[first...])
    events.removeSubrange(first...)
  }

  func session() -> Session {
    var writers = [
      MemorySource.Writer(
        id: WriterID(high: 0, low: 1),
        attributes: WriterAttributes(app: "notes"),
        events: events
      )
    ]
    if !next.isEmpty {
      var attributes = WriterAttributes(app: "notes")
      attributes.previous = writers[0].id
      attributes.started = next[0].time
      writers.append(.init(id: WriterID(high: 0, low: 2), attributes: attributes, events: next))
    }
    let player = Player(Timeline(MemorySource(writers, names: names)))
    return Session(
      player: player,
      title: "lost.lifetrace",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
  }
}

extension Session {
  /// Runs a line as the prompt would and returns what it says.
  func say(_ line: String) throws -> [String] {
    guard let (command, words) = try CommandTable.read(line) else { return [] }
    return try command.run(self, words).lines(self)
  }
}
