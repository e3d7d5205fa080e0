// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceTrace

/// What a picture of a span of a recording holds, whoever draws it.
///
///     let layout = try Layout(of: player, span, findings)
///     layout.groups[0].lanes.map(\.name)            // ["", "main", "draft.txt"]
///     layout.axis(cutsMax: 8).pieces                // where time is drawn, and where it is cut
///
/// A value without ink: the prompt draws it in characters, the page on a canvas. All times are
/// nanoseconds since the start of the recording; all names are as the recording spells them.
package struct Layout: Sendable {
  /// From the first instant that is drawn to the last.
  package let span: ClosedRange<Int64>
  /// An app with all of its lives, or another process, each; in order of their start.
  package internal(set) var groups: [Group] = []
  /// Messages of which both ends are in the span, at most ``flowsMax``.
  package internal(set) var flows: [Flow] = []
  /// Messages beyond ``flowsMax``, or whose sends are too many to wait for.
  package internal(set) var flowsLeftOut = 0
  /// The violations in the span, in order of place.
  package internal(set) var violations: [Sign] = []
  /// Where nothing happens, the candidates for a cut, in order of time.
  package internal(set) var gaps: [Gap] = []
  /// Processes with nothing in the span that could be drawn.
  package internal(set) var quiet = 0
  /// How many events lie in the span.
  package internal(set) var events = 0

  /// More messages are counted.
  package static let flowsMax = 20_000

  /// An app with all of its lives, or another process.
  package struct Group: Sendable {
    /// What people call it: `notes`.
    package internal(set) var name: String
    /// Its processes, in order of their start.
    package internal(set) var lives: [Life]
    /// The state of the process first, then what matters most.
    package internal(set) var lanes: [Lane] = []
  }

  /// One process of a group.
  package struct Life: Sendable {
    /// Its stream.
    package let stream: StreamID
    /// What people call it: `notes#1`.
    package let label: String
    /// When its first event in the span happened.
    package internal(set) var begin: Int64
    /// When its last one did.
    package internal(set) var end: Int64
  }

  /// A message from one process to another.
  package struct Flow: Sendable {
    /// Where it left: the stream, the number of the event there, its time.
    package let from: Place
    /// Where it arrived.
    package let to: Place
  }

  /// An event, by its stream and its number there.
  package struct Place: Sendable, Hashable {
    package let stream: StreamID
    package let sequence: UInt64
    package let time: Int64
  }

  /// A violation, as far as the picture shows it.
  package struct Sign: Sendable {
    /// What `#3` means.
    package let number: Int
    package let rule: String
    package let severity: Severity
    /// Where it became so.
    package let place: Place
    /// The object that the rule names; may be empty.
    package let object: String
  }

  /// A length of time in which nothing happens.
  package struct Gap: Sendable, Hashable {
    package let begin: Int64
    package let end: Int64
    package var length: Int64 { end - begin }
  }

  /// How much data is shown as lost, and as perhaps lost.
  package var losses: Int {
    groups.flatMap(\.lanes).flatMap(\.instants)
      .reduce(0) { $0 + ($1.kind == .lost || $1.kind == .maybeLost ? Int($1.count) : 0) }
  }
}
