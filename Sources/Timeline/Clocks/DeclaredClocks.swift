// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// What users vouch for of the clocks of imported logs: within how much they agreed with those of others.
///
/// A log says it in a `device` event, whose number are the nanoseconds. Nothing else makes real time
/// evidence: a clock on a wall that nobody vouches for places events, and proves nothing.
struct DeclaredClocks {
  /// By clock: by how many nanoseconds it may be wrong; nil where nobody says.
  private var widths: [Int64?]

  /// Those of `source`, whose streams have these clocks; decodes chunks of imported logs alone.
  init(_ source: any EventSource, clockOfStream: [Int], count: Int) {
    widths = Array(repeating: nil, count: count)
    for (number, stream) in source.streams.enumerated()
    where stream.attributes.evidence == .log && stream.attributes.clock == .real {
      source.eachEvent(KindSet([.device]), of: number, {}) { event, _ in
        let said = Payload.Device(event)
        guard source.names[said.what] == ClockDeclaration.name, let width = said.number, width > 0
        else { return }
        let known = widths[clockOfStream[number]] ?? 0
        widths[clockOfStream[number]] = max(known, width)
      }
    }
  }

  /// That a declared clock and each other one whose real time is known showed the same, to within the
  /// width, each ten seconds from the first event of both to the last.
  func evidence(_ clocks: [RecordingClocks.Clock]) -> [Evidence] {
    var evidence: [Evidence] = []
    for (number, width) in widths.enumerated() {
      guard let width, let own = clocks[number].span else { continue }
      for (other, facts) in clocks.enumerated() where other != number && facts.domain == .monotonic
      {
        guard let span = facts.span, let real = facts.realOffset else { continue }
        func shown(_ time: Int64) -> Int64 { HostTime(rawValue: time).advanced(by: real).rawValue }
        let first = min(own.lowerBound, shown(span.lowerBound))
        let last = max(own.upperBound, shown(span.upperBound))
        let length = HostTime(rawValue: last) - HostTime(rawValue: first)
        let pieces = min(Self.piecesMax, max(1, length / Self.apart))
        for piece in 0...pieces {
          let part = Int64(Double(length) * Double(piece) / Double(pieces))
          let time = HostTime(rawValue: first).advanced(by: part)
          let there = time - HostTime(rawValue: real)
          evidence += Evidence.same(
            Moment(number, time.rawValue),
            Moment(other, there),
            within: width
          )
        }
      }
    }
    return evidence
  }

  /// Nanoseconds from one piece of evidence to the next, in which rates take away 12 ms at most.
  private static let apart: Int64 = 10_000_000_000
  /// Of a longer time there are no more, and they are farther apart.
  private static let piecesMax: Int64 = 1_000
}
