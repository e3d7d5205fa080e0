// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
import LifetraceTesting
import LifetraceTimeline
import LifetraceTrace

/// A mistake of the system, or of who recorded it, put into the recording of a correct life.
///
/// No app can make these, and the simulated system does not.
struct RecordingFault: Sendable {
  /// The rule that has to find it.
  var rule: String
  /// What others may say of it too, each with the reason.
  var others: [String: String] = [:]
  /// Words for a failure.
  var words: String
  /// Changes the recording; false where it gives no chance to.
  var change: @Sendable (inout Recording) -> Bool

  static let all: [RecordingFault] = transitions + notifications + ends

  private static let transitions: [RecordingFault] = [
    RecordingFault(
      rule: "ST01",
      words: "no inactive between active and background"
    ) { recording in
      recording.remove { $0.kind == .transition && $0.goes(from: .active, to: .inactive) }
    },
    RecordingFault(
      rule: "ST02",
      words: "didBecomeActive twice"
    ) { $0.repeatCallback(.didBecomeActive) },
    RecordingFault(
      rule: "ST03",
      others: ["ST02": "it becomes active again without having resigned"],
      words: "didEnterBackground without willResignActive"
    ) { $0.removeCallbacks(.willResignActive) },
    RecordingFault(
      rule: "ST06",
      others: ["ST07": "code of the app ran"],
      words: "willTerminate while suspended"
    ) { $0.call(.willTerminate) },
    RecordingFault(rule: "ST07", words: "a callback while suspended") {
      $0.call(.didReceiveMemoryWarning)
    },
    RecordingFault(
      rule: "ST12",
      others: ["ST07": "the app had to handle it"],
      words: "a touch while suspended"
    ) { $0.insert([Payload.Touch(view: .empty)]) },
    RecordingFault(
      rule: "BT05",
      others: ["ST07": "code of the app ran"],
      words: "a task begun while suspended"
    ) {
      $0.insert([
        Payload.TaskBegin(id: 4711, name: .empty, handler: true), Payload.TaskEnd(id: 4711),
      ])
    },
  ]

  private static let notifications: [RecordingFault] = [
    RecordingFault(rule: "NQ01", words: "a delivery twice") { recording in
      recording.repeatFirst { $0.kind == .notificationDelivered }
    },
    RecordingFault(
      rule: "NQ06",
      others: ["ST07": "the app had to handle it"],
      words: "a delivery while suspended"
    ) { recording in
      guard let delivered = recording.first({ $0.kind == .notificationDelivered }) else {
        return false
      }
      return recording.insert([Payload.NotificationDelivered(delivered)])
    },
  ]

  private static let ends: [RecordingFault] = [
    RecordingFault(rule: "SY01", words: "killed for the heat") {
      $0.end(by: "thermal", code: TerminationCode.thermal)
    },
    RecordingFault(rule: "SY03", words: "it ends itself") { $0.end(by: "exit", code: 1) },
    RecordingFault(rule: "SY02", words: "a crash") { $0.end(by: "signal", code: UInt64(SIGSEGV)) },
  ]
}

/// The recording of a simulated life, to be spoiled and judged anew.
struct Recording {
  private var streams: [SimulatedLife.Stream]
  private var names: Names

  init(_ life: SimulatedLife) {
    streams = life.streams
    names = life.names
  }

  /// What all rules find fault with in it.
  func complaints(profile: Profile) -> [Verdict] {
    let writers = streams.map {
      MemorySource.Writer(id: $0.writer, attributes: $0.attributes, events: $0.events)
    }
    return Judgement(profile: profile).checker(of: MemorySource(writers, names: names)).finish()
      .filter { $0.outcome == .violated }
  }

  func first(_ matches: (Event) -> Bool) -> Event? {
    streams.lazy.flatMap(\.events).first(where: matches)
  }

  /// Changes the events of the first app where `body` does something.
  private mutating func change(_ body: (inout [Event]) -> Bool) -> Bool {
    for index in streams.indices where streams[index].attributes.role == .app {
      guard body(&streams[index].events) else { continue }
      for number in streams[index].events.indices {
        streams[index].events[number].sequence = UInt64(number)
      }
      return true
    }
    return false
  }

  mutating func remove(_ matches: (Event) -> Bool) -> Bool {
    change { events in
      guard let index = events.firstIndex(where: matches) else { return false }
      events.remove(at: index)
      return true
    }
  }

  mutating func repeatFirst(_ matches: (Event) -> Bool) -> Bool {
    change { events in
      guard let index = events.firstIndex(where: matches) else { return false }
      events.insert(events[index], at: index)
      return true
    }
  }

  /// Lets the app say something in the middle of its first suspension that lasts.
  mutating func insert(_ payloads: [any EventPayload], at site: SiteID = .none) -> Bool {
    change { events in
      let asleep = events.indices.dropLast().first {
        events[$0].kind == .suspend
          && events[$0 + 1].time.rawValue - events[$0].time.rawValue > Self.lasting
      }
      guard let asleep else { return false }
      let time = HostTime(rawValue: events[asleep].time.rawValue + Self.lasting / 2)
      events.insert(contentsOf: payloads.map { Event($0, at: time, site: site) }, at: asleep + 1)
      return true
    }
  }

  /// Nanoseconds.
  private static let lasting: Int64 = 2_000_000_000

  private func isCallback(_ event: Event, _ callback: Callback) -> Bool {
    guard event.kind == .callbackBegin || event.kind == .callbackEnd else { return false }
    return Callback(named: names[names[event.site].name]) == callback
  }

  mutating func removeCallbacks(_ callback: Callback) -> Bool {
    let isMeant = { [self] in isCallback($0, callback) }
    return change { events in
      let before = events.count
      events.removeAll(where: isMeant)
      return events.count < before
    }
  }

  /// Calls it a second time as soon as it has returned.
  mutating func repeatCallback(_ callback: Callback) -> Bool {
    let isMeant = { [self] in isCallback($0, callback) }
    return change { events in
      guard
        let begin = events.firstIndex(where: isMeant),
        let end = events[(begin + 1)...].firstIndex(where: isMeant)
      else { return false }
      for (offset, event) in [events[begin], events[end]].enumerated() {
        var again = event
        again.time = events[end].time
        // Another span: its identity is its own.
        again.identity &+= 1 << 40
        events.insert(again, at: end + 1 + offset)
      }
      return true
    }
  }

  /// Calls it while the app is suspended.
  mutating func call(_ callback: Callback) -> Bool {
    let site = names.intern(Site(name: names.intern(callback.rawValue)))
    let id = UInt64(1) << 40
    return insert([Payload.CallbackBegin(id: id), Payload.CallbackEnd(id: id)], at: site)
  }

  /// Another end for the first life that ends while the app runs.
  mutating func end(by cause: String, code: UInt64) -> Bool {
    let cause = names.intern(cause)
    return change { events in
      guard let index = events.firstIndex(where: { $0.kind == .processExit }) else { return false }
      let exit = Payload.ProcessExit(events[index])
      events[index].put(Payload.ProcessExit(cause: cause, code: code, evidence: exit.evidence))
      return true
    }
  }
}

extension Event {
  fileprivate func goes(from: AppState, to: AppState) -> Bool {
    let change = Payload.Transition(self)
    return change.from == Coded(from) && change.to == Coded(to)
  }
}
