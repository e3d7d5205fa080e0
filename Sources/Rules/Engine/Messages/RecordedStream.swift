// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
package import LifetraceWords

/// How much of a writer a recording holds: whether it would show a message that arrived there.
package struct RecordedStream: Sendable {
  /// Events that are missing, with the times between which they happened.
  package struct Hole: Sendable {
    package var from: HostTime
    package var to: HostTime
    /// What is missing, such as `3 message events lost`.
    package var words: Sentence

    /// `words` happened between two times.
    package init(from: HostTime, to: HostTime, _ words: Sentence) {
      (self.from, self.to, self.words) = (from, to, words)
    }
  }

  /// Its number.
  package var id: StreamID
  /// How it is called: `server#1`.
  package var label: String
  /// The names by which others know it.
  package var app, process, host: String
  /// The first and the last time on its clock; nil without events.
  package var span: ClosedRange<HostTime>?
  /// Whether the process is seen to end.
  package var hasEnded: Bool
  /// Whether it has ever reported a message that arrived.
  package var hasReceived: Bool
  /// Where events that may have been receives are missing, in order.
  package var holes: [Hole]

  /// What the recording holds of a stream.
  package init(
    _ id: StreamID,
    _ label: String,
    _ attributes: WriterAttributes,
    span: ClosedRange<HostTime>?,
    hasEnded: Bool,
    hasReceived: Bool,
    holes: [Hole]
  ) {
    (self.id, self.label) = (id, label)
    (app, process, host) = (attributes.app, attributes.process, attributes.host)
    (self.span, self.hasEnded, self.hasReceived) = (span, hasEnded, hasReceived)
    self.holes = holes
  }

  /// How long a message may be on its way: so much later its receive is no longer to come.
  static let onTheWayMax: Int64 = 10_000_000_000

  /// Why a message that was sent between `sent` on its clock may have arrived without being recorded.
  func doubt(ofMessageSent sent: TimeBounds) -> Sentence? {
    guard let span else { return "nothing of \(name: label) is recorded" }
    guard let earliest = sent.earliest, let latest = sent.latest else {
      return "nothing says when it was sent by the clock of \(name: label)"
    }
    guard span.lowerBound <= earliest else {
      return "the recording of \(name: label) begins \(duration: span.lowerBound - earliest) later"
    }
    if let hole = holes.first(where: { $0.to >= earliest }) {
      return "it may be among what is missing of \(name: label): \(hole.words)"
    }
    guard hasReceived else {
      return "\(name: label) reports no message that arrives"
    }
    guard !hasEnded, span.upperBound - latest < Self.onTheWayMax else { return nil }
    let rest = max(0, span.upperBound - latest)
    return
      "the recording of \(name: label) ends \(duration: rest) later: it may have been on its way"
  }

  /// Whether it was over before a message was sent, so that it could not have received it.
  func isOver(before sent: TimeBounds) -> Bool {
    guard let span, let earliest = sent.earliest else { return false }
    return hasEnded && span.upperBound < earliest
  }
}
