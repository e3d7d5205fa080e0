// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

/// What happened in a recording, without when: by life, the events of each lane in their order.
///
/// Takes about 24 bytes an event.
struct RunShape {
  /// An event, and what it says.
  struct Item {
    var key: Int32
    var stream: Int32
    var index: Int
    var isOfOtherBytes = false
  }

  /// A launch of a process.
  struct Life {
    /// Such as `notes#2`.
    var label: String
    /// On the time axis of the recording, in nanoseconds.
    var start: Int64
    var lanes: [Int32: [Item]] = [:]
  }

  /// By label: two recordings are compared launch by launch.
  private(set) var lives: [String: Life] = [:]
  /// In order of their begin.
  private(set) var labels: [String] = []
  /// How long what has a begin and an end took, in nanoseconds, by app and by what it was.
  private(set) var lengths: [Timed: [Int64]] = [:]

  /// How many events of each kind are not compared, by its name.
  private(set) var leftOut: [String: Int] = [:]

  /// What was timed, of any life of an app.
  struct Timed: Hashable {
    var app: String
    var lane: Int32
    /// Of the begin.
    var key: Int32
  }

  /// Reads a recording whole; `progress` hears how many events were read.
  init(_ timeline: Timeline, _ words: inout Lanes.Words, progress: (Int) -> Void = { _ in }) {
    let names = Labels(timeline)
    var done = 0
    var skipped: [EventKind: Int] = [:]
    defer {
      for (kind, count) in skipped {
        let name = timeline.names.info(of: kind)?.name ?? "kind \(kind.rawValue)"
        leftOut[name, default: 0] += count
      }
    }
    for stream in timeline.startOrder {
      let label = names[StreamID(rawValue: UInt32(stream))]
      let app = String(label.prefix { $0 != "#" })
      var life = Life(label: label, start: 0)
      guard timeline.streams[stream].count > 0 else { continue }
      let first = EventPlace(stream: timeline.streams[stream].id, index: 0)
      life.start = timeline.orderTime(of: first)
      var lanes = Lanes()
      var open: [UInt64: (lane: Int32, key: Int32, time: HostTime)] = [:]
      var index = 0
      timeline.pass(0..<timeline.streams[stream].count, of: stream) { events, names in
        for row in events.indices {
          let event = events[row]
          if let placing = lanes.place(event, names, &words) {
            var item = Item(key: placing.key, stream: Int32(stream), index: index)
            item.isOfOtherBytes = placing.isOfOtherBytes
            life.lanes[placing.lane, default: []].append(item)
            switch placing.span {
            case .begins(let id): open[id] = (placing.lane, placing.key, event.time)
            case .ends(let id):
              if let begin = open.removeValue(forKey: id) {
                let what = Timed(app: app, lane: begin.lane, key: begin.key)
                lengths[what, default: []].append(
                  event.time.rawValue &- begin.time.rawValue
                )
              }
            case nil: break
            }
          } else {
            skipped[event.kind, default: 0] += 1
          }
          index += 1
        }
        done += events.count
        progress(done)
        return true
      }
      guard !life.lanes.isEmpty else { continue }
      lives[label] = life
      labels.append(label)
    }
  }
}
