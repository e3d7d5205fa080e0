// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// The clocks of a recording's streams, by what is proved about them.
package protocol ComparedClocks: Sendable {
  /// The number of the clock that the times of a stream are on.
  func clock(of stream: StreamID) -> Int
  /// When `time` of one stream was, by the clock of another.
  func bounds(_ time: HostTime, of stream: StreamID, on other: StreamID) -> TimeBounds
  /// What compares the clocks of two streams around a time of the first; nil where it is one clock.
  func evidence(_ one: StreamID, _ other: StreamID, at time: HostTime) -> ClockEvidence?
  /// Whether what a message says of the clocks of two streams was set aside, as the rest contradicts it.
  func isSetAside(_ flow: UInt64, from sender: StreamID, to receiver: StreamID) -> Bool
}

/// Between which times of a clock something was; open where nothing bounds it.
package struct TimeBounds: Hashable, Sendable {
  /// No earlier than this.
  package var earliest: HostTime?
  /// No later than this.
  package var latest: HostTime?

  /// From `earliest` to `latest`.
  package init(earliest: HostTime?, latest: HostTime?) {
    (self.earliest, self.latest) = (earliest, latest)
  }

  /// Nanoseconds from `start` to it, in its middle and by how much that may be wrong; nil where it is open.
  func since(_ start: HostTime) -> (length: Int64, error: Int64)? {
    guard let earliest, let latest else { return nil }
    let (least, most) = (earliest - start, latest - start)
    let half = most.subtractingSaturated(least) / 2 + most.subtractingSaturated(least) % 2
    return (least.addingSaturated(half), half)
  }
}

/// The messages by which two clocks are compared.
package struct ClockEvidence: Hashable, Sendable {
  /// What people call the machines of the two.
  package var hosts: (String, String) { (first, second) }
  private var first, second: String
  /// How many messages from the first to the second, and the other way, count.
  package var forward, back: Int
  /// Nanoseconds from the time that was asked about to the nearest of them, before or behind; nil for none.
  package var nearest: Int64?

  /// What compares the clocks of two machines.
  package init(_ hosts: (String, String), forward: Int, back: Int, nearest: Int64?) {
    (first, second) = hosts
    (self.forward, self.back, self.nearest) = (forward, back, nearest)
  }

  /// `The clocks of phone and server are compared by 3 messages there and 2 back, the nearest 41 s away`.
  var words: Sentence {
    let both: Sentence = "the clocks of \(name: first) and \(name: second)"
    guard let nearest else {
      return "no message between them compares \(both)"
    }
    let there: Sentence = "\(count: UInt64(forward), of: "message") there and \(back) back"
    return "\(both) are compared by \(there), the nearest \(duration: nearest) away"
  }
}
