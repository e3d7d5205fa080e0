// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace

/// What virtual time lacks and the recording of a real process has, put into the recording of a simulated
/// life: some rules have an occasion nowhere else.
enum Surroundings: String, CaseIterable {
  /// The host samples the memory and the processor time of its processes.
  case samples = "with the host's samples"
  /// A server that the app asks is recorded too.
  case server = "with a server"
  /// Nobody but the log of a device tells of it.
  case log = "as a log tells it"

  /// The rules that have an occasion there alone.
  var rules: [String] {
    switch self {
    case .samples: ["RS08", "RS12", "RS13"]
    case .server: ["MS02"]
    case .log: ["PR06", "ST15"]
    }
  }

  /// Where a rule has its occasions; nil for one that has them in virtual time.
  static func of(_ rule: String) -> Surroundings? { allCases.first { $0.rules.contains(rule) } }
}

extension Recording {
  /// Puts what a correct app and its server do into it.
  mutating func add(_ surroundings: Surroundings) {
    switch surroundings {
    case .samples: addSamples()
    case .server: addServer()
    case .log: _ = tellAsLog()
    }
  }

  // MARK: Samples

  /// What an app uses of the device.
  struct Use {
    /// Bytes while it is in front, in the background, and behind a memory warning.
    var (front, behind, warned) = (UInt64(120_000_000), UInt64(40_000_000), UInt64(60_000_000))
    /// Processor time in the background, of each second.
    var share = 0.1
  }

  /// The samples that the host takes: of memory where the app leaves the screen, is suspended, warned or purged, of
  /// processor time at the end of each stay in the background.
  mutating func addSamples(_ use: Use = Use()) {
    let warning = name(["memory-warning"])[0]
    for index in streams.indices where streams[index].attributes.role == .app {
      var events: [Event] = []
      var state = AppState.notRunning
      var (entered, isWarned): (HostTime?, Bool) = (nil, false)
      for event in streams[index].events {
        let change = event.kind == .transition ? Payload.Transition(event) : nil
        let isPurge = event.kind == .purge && state != .suspended
        let isWarning = event.kind == .device && Payload.Device(event).what == warning
        if change?.from.value == .active || event.kind == .suspend || isPurge || isWarning {
          let bytes =
            event.kind == .suspend ? use.behind : isWarned && !isWarning ? use.warned : use.front
          events.append(
            Event(Payload.MemorySample(footprint: bytes), at: event.time, observer: .host)
          )
        }
        let leaves =
          change?.from.value == .background || event.kind == .suspend
          || event.kind == .processExit
        if leaves, let since = entered {
          let wall = event.time.rawValue - since.rawValue
          let sample = Payload.CpuSample(cpu: Int64(Double(wall) * use.share), wall: wall)
          if wall > 0, event.kind != .processExit {
            events.append(Event(sample, at: event.time, observer: .host))
          }
          entered = nil
        }
        if isWarning { isWarned = true }
        if let to = change?.to.value { state = to }
        if event.kind == .suspend { state = .suspended }
        if event.kind == .resume { state = .background }
        if state == .background, change != nil || event.kind == .resume { entered = event.time }
        events.append(event)
      }
      streams[index].events = Self.numbered(events)
    }
  }

  // MARK: A log

  /// The same told by the log of a device: states by the reasons to be inactive, and nothing for certain that the
  /// system alone knows.
  mutating func tellAsLog() -> Bool {
    let names = name(["deactivation reason 5 added", "deactivation reason 5 removed"])
    var isTold = false
    for index in streams.indices where streams[index].attributes.role == .app {
      streams[index].attributes.evidence = .log
      for number in streams[index].events.indices {
        guard streams[index].events[number].kind == .transition else { continue }
        var change = Payload.Transition(streams[index].events[number])
        switch (change.from.value, change.to.value) {
        case (.active?, .inactive?): change.cause = names[0]
        case (.inactive?, .active?): change.cause = names[1]
        default: continue
        }
        streams[index].events[number].put(change)
        isTold = true
      }
    }
    return isTold
  }

  static func numbered(_ events: [Event]) -> [Event] {
    var events = events
    for number in events.indices { events[number].sequence = UInt64(number) }
    return events
  }
}
