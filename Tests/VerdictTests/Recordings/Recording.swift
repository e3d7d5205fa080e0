// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import LifetraceTesting
import LifetraceTimeline
import LifetraceTrace

/// The recording of a simulated life, to be spoiled and judged anew.
struct Recording {
  var streams: [MemorySource.Writer]
  private var names: Names

  init(_ life: SimulatedLife) {
    streams = life.streams.map {
      MemorySource.Writer(id: $0.writer, attributes: $0.attributes, events: $0.events)
    }
    names = life.names
  }

  /// A checker that has seen all of it.
  func checker(profile: Profile) -> Checker {
    Judgement(profile: profile).checker(of: MemorySource(streams, names: names))
  }

  /// What all rules find fault with in it.
  func complaints(profile: Profile) -> [Verdict] {
    checker(profile: profile).finish().filter { $0.outcome == .violated }
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
      guard let asleep = Self.lastingSuspension(events) else { return false }
      let time = HostTime(rawValue: events[asleep].time.rawValue + Self.lasting / 2)
      events.insert(contentsOf: payloads.map { Event($0, at: time, site: site) }, at: asleep + 1)
      return true
    }
  }

  private static func lastingSuspension(_ events: [Event]) -> Int? {
    events.indices.dropLast().first {
      events[$0].kind == .suspend
        && events[$0 + 1].time.rawValue - events[$0].time.rawValue > lasting
    }
  }

  /// Nanoseconds.
  private static let lasting: Int64 = 2_000_000_000

  /// Puts names into its table.
  mutating func name(_ words: [String]) -> [NameID] { words.map { names.intern($0) } }

  /// Lets changes happen in the middle of the first suspension that lasts, and one of them come to the
  /// app as soon as it runs again.
  mutating func wait(
    posts: [Payload.NotificationPosted],
    delivery: Payload.NotificationDelivered
  ) -> Bool {
    change { events in
      guard let asleep = Self.lastingSuspension(events),
        events[asleep + 1].kind == .resume
      else { return false }
      let (slept, resumed) = (events[asleep].time, events[asleep + 1].time)
      events.insert(Event(delivery, at: resumed), at: asleep + 2)
      let time = HostTime(rawValue: slept.rawValue + Self.lasting / 2)
      let posted = posts.map { Event($0, at: time, observer: .host) }
      events.insert(contentsOf: posted, at: asleep + 1)
      return true
    }
  }

  /// Changes the first delivery of what was posted while the app was suspended; false removes it.
  mutating func changeWaited(_ body: (inout Event) -> Bool) -> Bool {
    change { events in
      var (waiting, isAsleep): (Set<NameID>, Bool) = ([], false)
      for index in events.indices {
        switch events[index].kind {
        case .suspend: (waiting, isAsleep) = ([], true)
        case .resume: isAsleep = false
        case .notificationPosted where isAsleep: waiting.insert(events[index].identityName)
        case .notificationDelivered where waiting.contains(events[index].identityName):
          if !body(&events[index]) { events.remove(at: index) }
          return true
        default: break
        }
      }
      return false
    }
  }

  /// Adds a key to the app's configuration.
  mutating func declare(_ key: String, _ value: String) -> Bool {
    let pair = Payload.ProcessConfig(key: names.intern(key), value: names.intern(value))
    return change { events in
      guard let start = events.first, start.kind == .processStart else { return false }
      events.insert(Event(pair, at: start.time), at: 1)
      return true
    }
  }

  /// The first launch onto the screen was for another reason.
  mutating func launch(because reason: String) -> Bool {
    let reason = names.intern(reason)
    return change { events in
      guard let start = events.firstIndex(where: { $0.kind == .processStart }),
        let first = events.first(where: { $0.kind == .transition }),
        first.goes(from: .notRunning, to: .inactive)
      else { return false }
      var payload = Payload.ProcessStart(events[start])
      payload.reason = reason
      events[start].put(payload)
      return true
    }
  }

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

  /// Calls it behind the first run of another callback.
  mutating func call(_ name: String, behind callback: Callback) -> Bool {
    let isMeant = { [self] in $0.kind == .callbackEnd && isCallback($0, callback) }
    return call(name, behind: isMeant)
  }

  /// Calls it behind the first event that is meant.
  mutating func call(_ name: String, behind isMeant: (Event) -> Bool) -> Bool {
    let site = names.intern(Site(name: names.intern(name)))
    let id = UInt64(1) << 40
    return change { events in
      guard let index = events.firstIndex(where: isMeant) else { return false }
      let time = events[index].time
      events.insert(
        contentsOf: [
          Event(Payload.CallbackBegin(id: id), at: time, site: site),
          Event(Payload.CallbackEnd(id: id), at: time, site: site),
        ],
        at: index + 1
      )
      return true
    }
  }

  /// Another cause for the first end of an app that is suspended.
  mutating func endAsleep(by cause: String) -> Bool {
    let cause = names.intern(cause)
    return change { events in
      var isAsleep = false
      for index in events.indices {
        switch events[index].kind {
        case .suspend: isAsleep = true
        case .resume: isAsleep = false
        case .purge where isAsleep: return false
        case .processExit where isAsleep:
          var exit = Payload.ProcessExit(events[index])
          exit.cause = cause
          events[index].put(exit)
          return true
        default: break
        }
      }
      return false
    }
  }

  /// The first return to the screen takes so much longer, and all behind it comes later on the whole device.
  ///
  /// False where the app is always in the midst of a callback then.
  mutating func stall(seconds: Int64) -> Bool {
    let later = seconds * 1_000_000_000
    for stream in streams.indices where streams[stream].attributes.role == .app {
      let events = streams[stream].events
      guard let place = Self.idleReturn(events) else { continue }
      let time = events[place].time
      for index in streams.indices {
        for number in streams[index].events.indices
        where index == stream ? number >= place : streams[index].events[number].time > time {
          streams[index].events[number].time = HostTime(
            rawValue: streams[index].events[number].time.rawValue + later
          )
        }
        if streams[index].attributes.started > time {
          let started = streams[index].attributes.started.rawValue
          streams[index].attributes.started = HostTime(rawValue: started + later)
        }
      }
      return true
    }
    return false
  }

  /// A place between a return to the screen and its becoming active at which the app is in no callback.
  private static func idleReturn(_ events: [Event]) -> Int? {
    var (depth, isBack) = (0, false)
    for (index, event) in events.enumerated() {
      if isBack, depth == 0 { return index }
      switch event.kind {
      case .callbackBegin, .turnBegin, .workBegin: depth += 1
      case .callbackEnd, .turnEnd, .workEnd: depth -= 1
      case .transition where event.goes(from: .background, to: .inactive): isBack = true
      case .transition where event.goes(from: .inactive, to: .active): isBack = false
      default: break
      }
    }
    return nil
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
  func goes(from: AppState, to: AppState) -> Bool {
    let change = Payload.Transition(self)
    return change.from == Coded(from) && change.to == Coded(to)
  }
}
