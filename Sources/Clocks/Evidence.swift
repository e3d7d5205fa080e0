// SPDX-License-Identifier: Apache-2.0

/// What one clock showed at some moment.
package struct Moment: Hashable, Sendable {
  /// The number of the clock.
  package var clock: Int
  /// Nanoseconds on that clock, as it showed them.
  package var time: Int64

  /// The moment at which `clock` showed `time`.
  package init(_ clock: Int, _ time: Int64) {
    self.clock = clock
    self.time = time
  }
}

/// What is proved about two clocks: one moment was not after another.
///
///     Evidence(Moment(phone, sent), before: Moment(server, received), .message, label: flow)
///
/// A message is one of these, a round trip two, a ping with four stamps two, and two readings that are
/// known to be the same to within a width also two. Nothing else is believed.
package struct Evidence: Sendable {
  /// Where it comes from.
  package enum Source: UInt8, Sendable, CaseIterable {
    /// A send and its receive.
    case message
    /// Stamps that recorders have exchanged.
    case ping
    /// Two readings of one moment, to within a width that somebody vouches for.
    case declared
    /// One stream's events follow each other.
    case order
  }

  /// The moment that was not after the other.
  package var earlier: Moment
  /// The moment that was not before the other.
  package var later: Moment
  /// Where it comes from.
  package var source: Source
  /// How many pieces it stands for: itself, and those of about that time that bound no tighter.
  package var count: UInt32 = 1
  /// By which the one who handed it in knows it again, such as the flow of a message.
  package var label: UInt64

  /// `earlier` was not after `later`.
  package init(_ earlier: Moment, before later: Moment, _ source: Source, label: UInt64 = 0) {
    self.earlier = earlier
    self.later = later
    self.source = source
    self.label = label
  }

  /// Two readings of one moment that are at most `width` nanoseconds apart.
  package static func same(_ one: Moment, _ other: Moment, within width: Int64) -> [Evidence] {
    let (low, under) = other.time.subtractingReportingOverflow(width)
    let (high, over) = other.time.addingReportingOverflow(width)
    return [
      Evidence(one, before: Moment(other.clock, over ? .max : high), .declared),
      Evidence(Moment(other.clock, under ? .min : low), before: one, .declared),
    ]
  }
}

/// How far the rate of a clock may be from that of true time.
package enum ClockRate: UInt8, Sendable {
  /// A counter that nobody steers: 250 parts in a million, as cheap quartz has it.
  case counter
  /// A clock that is slewed to follow another one: 100 of its own and 500 of the slewing.
  case slewed

  /// The greatest error of the rate, as a fraction.
  package var errorMax: Double {
    switch self {
    case .counter: 250e-6
    case .slewed: 600e-6
    }
  }
}

/// The times between which a moment lies on some clock; infinite where nothing bounds it.
package struct ClockInterval: Hashable, Sendable {
  /// No earlier than this, in nanoseconds; nil where nothing says so.
  package var low: Int64?
  /// No later than this, in nanoseconds; nil where nothing says so.
  package var high: Int64?

  /// From `low` to `high`.
  package init(low: Int64?, high: Int64?) {
    self.low = low
    self.high = high
  }

  /// Nanoseconds from the one end to the other; nil where an end is missing.
  package var width: Int64? {
    guard let low, let high else { return nil }
    let (width, overflow) = high.subtractingReportingOverflow(low)
    return overflow ? .max : width
  }

  /// Whether `time` may be the moment.
  package func contains(_ time: Int64) -> Bool {
    (low.map { $0 <= time } ?? true) && (high.map { time <= $0 } ?? true)
  }
}

/// Which of two moments came first, as far as it is proved.
package enum MomentOrder: Sendable {
  case before
  case after
  /// The evidence allows both.
  case cannotSay
}
