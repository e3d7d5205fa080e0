// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace

/// What writes an export in one form; the pass hands it everything once, in the order of the timeline.
///
/// A format keeps what it has written until ``ExportPass`` drains it, some kilobytes at a time. It is called for each event: it allocates nothing there but room for bytes.
package protocol ExportFormat: ~Copyable {
  /// Whether it wants lanes, slices, instants and counters; else it sees events only.
  static var wantsPicture: Bool { get }
  /// Whether it wants ``event(_:at:)``.
  static var wantsEvents: Bool { get }

  /// How many bytes were written and not taken away.
  var pending: Int { get }
  /// Takes them away.
  mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows

  /// What stands before everything else.
  mutating func begin(_ facts: ExportFacts)
  /// A lane that will be used; its parent came before.
  mutating func lane(_ lane: Lane)
  /// Something begins in a lane, inside what is open there.
  mutating func begin(_ slice: Slice, _ names: borrowing Names)
  /// What was begun last in its lane ends, or is cut off by the end of its process.
  mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  )
  /// Something happened.
  mutating func instant(_ instant: Instant, _ names: borrowing Names)
  /// A counter has a value from here on.
  mutating func counter(_ lane: Lane.ID, _ value: Int64, at time: Int64)
  /// A rule says that something is wrong, or may be.
  mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  )
  /// Any event, whatever else becomes of it.
  mutating func event(_ event: borrowing Event, at time: Int64, _ names: borrowing Names)
  /// The end of a process, or of what was recorded of it, and what is not saved there.
  mutating func end(of stream: StreamID, _ state: LifeState, _ names: borrowing Names)
  /// What of a recording could not be read: its file, and a line about it.
  mutating func damage(_ file: String, _ problem: String)
  /// What stands behind everything else.
  mutating func finish()
}

// A format that wants no picture, or no events, says nothing of them.
extension ExportFormat where Self: ~Copyable {
  package mutating func lane(_ lane: Lane) {}
  package mutating func begin(_ slice: Slice, _ names: borrowing Names) {}
  package mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {}
  package mutating func instant(_ instant: Instant, _ names: borrowing Names) {}
  package mutating func counter(_ lane: Lane.ID, _ value: Int64, at time: Int64) {}
  package mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  ) {}
  package mutating func event(_ event: borrowing Event, at time: Int64, _ names: borrowing Names) {}
  package mutating func end(of stream: StreamID, _ state: LifeState, _ names: borrowing Names) {}
  package mutating func damage(_ file: String, _ problem: String) {}
  package mutating func finish() {}
}

/// What an export knows of the recording before its first event.
package struct ExportFacts: Sendable {
  /// The recording, as its user named it.
  package let title: String
  /// The version of the program.
  package let version: String
  /// How the processes are called, by stream.
  package let labels: [String]
  /// The processes, by stream.
  package let writers: [(id: WriterID, attributes: WriterAttributes)]
  /// The processes that are exported.
  package let streams: Set<StreamID>
  /// Nanoseconds since 1970 at trace time zero, where known.
  package let realStart: Int64?
  /// By stream: how its times lie on the axis of the recording.
  let clocks: [StreamClock]

  /// Makes them.
  package init(
    title: String,
    version: String,
    labels: [String],
    writers: [(id: WriterID, attributes: WriterAttributes)],
    streams: Set<StreamID>,
    alignment: Alignment
  ) {
    self.title = title
    self.version = version
    self.labels = labels
    self.writers = writers
    self.streams = streams
    realStart = alignment.realStart
    clocks = alignment.clocks
  }

  /// Whether a process is exported, by stream.
  func isWanted(_ stream: Int) -> Bool { streams.contains(StreamID(rawValue: UInt32(stream))) }
}

/// Something with an extent.
package struct Slice: Sendable {
  /// How a slice ends.
  package enum Ending: UInt8, Sendable {
    /// With the event that ends it.
    case ended
    /// With its process: nothing else has ended it.
    case cut
    /// It is open where the recording ends.
    case open
  }

  /// Where it stands.
  package var lane: Lane.ID
  /// What is written on it.
  package let title: Title
  /// When it begins, on the axis of the recording.
  package let time: Int64
  /// The event that begins it, which says the rest.
  package let event: Event
}

/// Something that happened at one time.
package struct Instant: Sendable {
  /// Where it stands.
  package let lane: Lane.ID
  /// What is written on it.
  package let title: Title
  /// When, on the axis of the recording.
  package let time: Int64
  /// The event.
  package let event: Event
  /// The flows that begin here.
  package var begins: Flows = Flows()
  /// The flows that end here.
  package var ends: Flows = Flows()
}
