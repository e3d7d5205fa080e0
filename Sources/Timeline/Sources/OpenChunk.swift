// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A decoded chunk, with the times by which its events are ordered.
///
/// The order time of an event is the greatest time of its stream so far: a late
/// event stands where it arrived. Most chunks hold no late event, and then it
/// is the event's own time and takes no room.
package final class OpenChunk {
  /// The stream it belongs to.
  package let stream: StreamID
  /// Its index among the chunks of the stream.
  package let number: Int
  /// The index in the stream of its first event.
  package let firstIndex: Int
  /// The events, in sequence order.
  package let events: [Event]
  /// The state before the first event, encoded; empty where it carries none.
  package let keyframe: [UInt8]
  /// Whether the chunk cannot be read, and each event stands for one that it held.
  package let isDamaged: Bool
  let shift: Int64
  let floor: Int64
  /// Nil where the times themselves never fall below the floor nor go back.
  let orderTimes: [Int64]?
  var lastUse = 0

  init(
    stream: StreamID,
    number: Int,
    firstIndex: Int,
    content: SourceChunk,
    shift: Int64,
    floor: Int64,
    lifts: ArraySlice<Lift>
  ) {
    self.stream = stream
    self.number = number
    self.firstIndex = firstIndex
    events = content.events
    keyframe = content.keyframe
    isDamaged = content.isDamaged
    self.shift = shift
    self.floor = floor
    var isPlain = lifts.isEmpty
    var latest = floor
    for event in content.events where isPlain {
      let time = event.time.ordered(by: shift)
      isPlain = time >= latest
      latest = time
    }
    guard !isPlain else {
      orderTimes = nil
      return
    }
    var times: [Int64] = []
    times.reserveCapacity(content.events.count)
    latest = floor
    var lift = lifts.startIndex
    for (offset, event) in content.events.enumerated() {
      latest = max(latest, event.time.ordered(by: shift))
      while lift < lifts.endIndex, lifts[lift].index <= firstIndex + offset {
        latest = max(latest, lifts[lift].time)
        lift += 1
      }
      times.append(latest)
    }
    orderTimes = times
  }

  /// The indices in the stream that it covers.
  package var indices: Range<Int> { firstIndex..<firstIndex + events.count }

  /// The order time of the event with this index in the stream.
  @inline(__always)
  func orderTime(_ index: Int) -> Int64 {
    let local = index - firstIndex
    return orderTimes?[local] ?? events[local].time.ordered(by: shift)
  }

  /// The first index whose order time is not below `time`; the end where all are.
  func lowerBound(_ time: Int64) -> Int {
    var low = firstIndex
    var high = firstIndex + events.count
    while low < high {
      let middle = low + (high - low) / 2
      if orderTime(middle) < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// From this index on, a stream's order times are at least this: a message that
/// it received there was sent then.
struct Lift: Sendable {
  var index: Int
  var time: Int64
}
