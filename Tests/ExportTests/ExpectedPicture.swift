// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

/// What an export has to hold, reckoned from the events and from the states of a player.
///
/// Slow and plain: it asks for the state at each event anew, and matches begins with ends by a
/// dictionary. Nothing of it is shared with what writes exports.
struct ExpectedPicture {
  struct Extent: Hashable {
    var process: String
    var event: UInt64
    var begin: Int64
    /// -1 where it did not end, -2 where its process ended.
    var length: Int64
  }

  var extents: [Extent: Int] = [:]
  var states: [String] = []
  var unsaved: [Extent: Int] = [:]
  /// By process: the numbers of the events that are instants.
  var instants: [String: [UInt64]] = [:]
  var samples: [String: [[Int64]]] = [:]
  /// How often there is such an arrow of a message.
  var arrows: [Arrow: Int] = [:]

  /// From the first send of a message to a receive of it: `a#1:3` is an event of a process.
  struct Arrow: Hashable {
    var from: String
    var to: String
  }

  private static let ends: [EventKind: EventKind] = [
    .callbackEnd: .callbackBegin, .turnEnd: .turnBegin, .workEnd: .workBegin, .waitEnd: .waitBegin,
    .taskEnd: .taskBegin, .wakeCompletion: .wakeBegin, .deadlineClose: .deadlineOpen,
    .testEnd: .testBegin, .resourceRelease: .resourceAcquire,
  ]

  init(_ exported: Exported) {
    let player = Player(exported.timeline)
    for stream in exported.timeline.streams { add(stream, exported, player) }
    addArrows(exported)
  }

  /// Each receive is behind the first send of its flow, where but one process sends that, or behind the
  /// first one of the other process, where two do.
  private mutating func addArrows(_ exported: Exported) {
    struct End {
      var stream: Int
      var sequence: UInt64
      var order: Int
      var time: Int64
    }
    var sends: [UInt64: [End]] = [:]
    var receives: [UInt64: [End]] = [:]
    for (stream, facts) in exported.timeline.streams.enumerated() {
      for (index, event) in exported.events(of: stream).enumerated() where event.identity != 0 {
        guard event.kind == .messageSend || event.kind == .messageReceive else { continue }
        let order = exported.timeline.number(of: EventPlace(stream: facts.id, index: index))
        let time = exported.time(event)
        let end = End(stream: stream, sequence: event.sequence, order: order, time: time)
        if event.kind == .messageSend {
          sends[event.identity, default: []].append(end)
        } else {
          receives[event.identity, default: []].append(end)
        }
      }
    }
    for (flow, ends) in receives {
      let senders = Set(sends[flow, default: []].map(\.stream))
      for end in ends {
        let others = senders.subtracting([end.stream])
        let from = senders.count == 1 ? senders.first : senders.count == 2 ? others.first : nil
        guard let from, senders.count == 1 || others.count == 1 else { continue }
        let first = sends[flow]?.filter { $0.stream == from }.min { $0.order < $1.order }
        // A trace processor goes by time, and knows of no arrow backward.
        guard let first, first.order < end.order, first.time <= end.time else { continue }
        let arrow = Arrow(
          from: "\(exported.labels[from]):\(first.sequence)",
          to: "\(exported.labels[end.stream]):\(end.sequence)"
        )
        arrows[arrow, default: 0] += 1
      }
    }
  }

  private struct Key: Hashable {
    var kind: EventKind
    var words: [UInt64]

    init(_ kind: EventKind, _ event: Event) {
      self.kind = kind
      let isResource = kind == .resourceAcquire
      words = [event.identity] + (isResource ? [event[0], event[2]] : [])
    }
  }

  private mutating func add(_ stream: StreamIndex, _ exported: Exported, _ player: Player) {
    let label = exported.labels[Int(stream.id.rawValue)]
    let events = exported.events(of: Int(stream.id.rawValue))
    var open: [Key: Event] = [:]
    var unsavedSince: [NameID: Event] = [:]
    var shown = AppState.unknown
    var hasEnded = false
    func extent(_ event: Event, _ length: Int64) -> Extent {
      Extent(process: label, event: event.sequence, begin: exported.time(event), length: length)
    }
    for (index, event) in events.enumerated() {
      let time = exported.time(event)
      let state = player.state(of: stream.id, after: index + 1)
      var isDrawn = false
      if let begin = Self.ends[event.kind] {
        if let known = open.removeValue(forKey: Key(begin, event)) {
          extents[extent(known, max(0, time - exported.time(known))), default: 0] += 1
          isDrawn = true
        }
      } else if event.kind == .taskBegin, Payload.TaskBegin(event).isRefused {
        // It opens nothing: an instant.
      } else if Self.ends.values.contains(event.kind) {
        if let known = open.updateValue(event, forKey: Key(event.kind, event)) {
          extents[extent(known, -2), default: 0] += 1
        }
        isDrawn = true
      } else if event.kind == .memorySample {
        sample(label, "memory footprint", time, Int64(clamping: state.footprint))
        isDrawn = true
      } else if event.kind == .cpuSample {
        isDrawn = true
      }
      for object in state.data.values where !hasEnded {
        let isUnsaved = object.isUnsaved(at: .kernel)
        if isUnsaved, unsavedSince[object.name] == nil { unsavedSince[object.name] = event }
        if !isUnsaved, let since = unsavedSince.removeValue(forKey: object.name) {
          unsaved[extent(since, time - exported.time(since)), default: 0] += 1
        }
      }
      let ends = !hasEnded && state.process.ending != nil
      if state.appState != shown, !hasEnded {
        shown = state.appState
        if shown != .unknown, !ends {
          states.append("\(label) \(shown) \(exported.time(event))")
          if [.transition, .suspend, .resume].contains(event.kind) { isDrawn = true }
        }
      }
      if !hasEnded {
        let sum = Int64(clamping: state.unsavedBytes())
        sample(label, "unsaved", time, ends ? 0 : sum, isChange: event.kind.family == .data)
        let isNews = event.kind.family == .notification
        let waiting = Int64(state.notifications.count)
        sample(label, "waiting notifications", time, ends ? 0 : waiting, isChange: isNews)
        if ends { sample(label, "memory footprint", time, 0, isChange: false) }
      }
      if ends {
        hasEnded = true
        for event in open.values { extents[extent(event, -2), default: 0] += 1 }
        for event in unsavedSince.values { unsaved[extent(event, -2), default: 0] += 1 }
        (open, unsavedSince) = ([:], [:])
      }
      if !isDrawn { instants[label, default: []].append(event.sequence) }
    }
    let rest: Int64 = hasEnded ? -2 : -1
    for event in open.values { extents[extent(event, rest), default: 0] += 1 }
    for event in unsavedSince.values { unsaved[extent(event, rest), default: 0] += 1 }
  }

  private mutating func sample(
    _ label: String,
    _ name: String,
    _ time: Int64,
    _ value: Int64,
    isChange: Bool = true
  ) {
    let key = "\(label) \(name)"
    guard let last = samples[key]?.last else {
      if isChange, value != 0 || name == "memory footprint" { samples[key] = [[time, value]] }
      return
    }
    if last[1] != value { samples[key, default: []].append([time, value]) }
  }
}
