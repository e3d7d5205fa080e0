// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
package import LifetraceJudging
import LifetraceRules
import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// A trace for Perfetto: packets of its protocol, with names interned, on one sequence.
///
/// Lanes are tracks; processes and threads say so, others are their children. Slices begin and end,
/// counters have units, arrows are flows. Each slice and instant carries the arguments of its event by
/// name, the number of the event (`event`, as in `notes#1:22`) and the place in the source.
package struct PerfettoFormat: ExportFormat, ~Copyable {
  package static var wantsPicture: Bool { true }
  package static var wantsEvents: Bool { false }

  /// More than any packet takes without its texts.
  static let packetBytesMax = 512
  private static let sequence: UInt64 = 1
  /// The track of what could not be read; those of lanes have 32 bits.
  private static let damageTrack: UInt64 = 1 << 33

  var bytes = OutputBytes()
  var interning = PerfettoInterning()
  var facts: ExportFacts?
  /// The name of the argument that has the number of the event.
  var eventNumber: UInt64 = 0
  /// By stream.
  var pids: [UInt64] = []
  /// The tracks of threads, by stream and thread.
  private var threads: [UInt64: Lane.ID] = [:]
  private var hasDamageTrack = false

  /// Nothing is written yet.
  package init() {}

  package var pending: Int { bytes.count }

  package mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.take(body)
  }

  // MARK: Around

  package mutating func begin(_ facts: ExportFacts) {
    self.facts = facts
    pids = Self.pids(facts)
    packet(flags: Perfetto.cleared) { bytes in
      guard let real = facts.realStart, real > 0 else { return }
      bytes.putMessage(Perfetto.Packet.clockSnapshot) { bytes in
        for (id, time) in [(Perfetto.Clocks.boot, UInt64(0)), (Perfetto.Clocks.real, UInt64(real))]
        {
          bytes.putMessage(Perfetto.Clocks.clock) { bytes in
            bytes.putField(Perfetto.Clocks.id, id)
            bytes.putField(Perfetto.Clocks.time, time)
          }
        }
        bytes.putField(Perfetto.Clocks.primary, Perfetto.Clocks.boot)
      }
    }
    for family in EventFamily.allCases {
      intern(Perfetto.Interned.categories, UInt64(family.rawValue) + 1, "\(family)")
    }
    eventNumber = number(ofName: "event")
  }

  /// Numbers of processes that are numbers of one process each: viewers tell them apart by that.
  private static func pids(_ facts: ExportFacts) -> [UInt64] {
    var taken: Set<UInt64> = []
    return facts.writers.enumerated().map { stream, writer in
      let own = UInt64(writer.attributes.pid)
      let pid = own > 0 && own < 1 << 30 && !taken.contains(own) ? own : 1 << 30 + UInt64(stream)
      taken.insert(pid)
      return pid
    }
  }

  // MARK: Lanes

  package mutating func lane(_ lane: Lane) {
    let pid = lane.stream.map { pids[Int($0.rawValue)] } ?? 0
    var parent = lane.parent
    var tid: UInt64?
    if case .thread(let thread) = lane.kind {
      let key = pid << 32 | UInt64(thread.rawValue)
      if let known = threads[key] {
        // What does not nest is a track of its own below the thread's.
        parent = known
      } else {
        threads[key] = lane.id
        tid = thread == .main ? pid : UInt64(thread.rawValue)
      }
    }
    packet(flags: Perfetto.needsInterned) { bytes in
      bytes.putMessage(Perfetto.Packet.trackDescriptor) { bytes in
        bytes.putField(Perfetto.Track.uuid, Self.uuid(lane.id))
        if let parent { bytes.putField(Perfetto.Track.parent, Self.uuid(parent)) }
        bytes.putField(Perfetto.Track.name, lane.name)
        bytes.putField(Perfetto.Track.rank, UInt64(lane.rank))
        bytes.putField(Perfetto.Track.childOrdering, Perfetto.Track.explicit)
        switch lane.kind {
        case .process:
          bytes.putMessage(Perfetto.Track.process) { bytes in
            bytes.putField(Perfetto.Process.pid, pid)
            bytes.putField(Perfetto.Process.name, lane.name)
          }
        case .counter(let unit):
          bytes.putMessage(Perfetto.Track.counter) { bytes in
            switch unit {
            case .count: bytes.putField(Perfetto.Counter.unit, Perfetto.Counter.count)
            case .bytes: bytes.putField(Perfetto.Counter.unit, Perfetto.Counter.bytes)
            case .percent: bytes.putField(Perfetto.Counter.unitName, "%")
            }
          }
        default: break
        }
        guard let tid else { return }
        bytes.putMessage(Perfetto.Track.thread) { bytes in
          bytes.putField(Perfetto.Thread.pid, pid)
          bytes.putField(Perfetto.Thread.tid, tid)
          bytes.putField(Perfetto.Thread.name, lane.name)
        }
      }
    }
  }

  @inline(__always)
  private static func uuid(_ lane: Lane.ID) -> UInt64 { UInt64(lane) + 1 }

  // MARK: Slices, instants, counters

  package mutating func begin(_ slice: Slice, _ names: borrowing Names) {
    let title = number(of: slice.title, names)
    learn(slice.event, names)
    let event = openEvent(slice.lane, slice.time, Perfetto.EventType.sliceBegin)
    putTitle(title, slice.event)
    putArguments(of: slice.event, names)
    close(event)
  }

  package mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    // What is open where the recording ends has no end: viewers say so.
    guard ending != .open else { return }
    let cut = ending == .cut ? number(ofName: "cut") : 0
    let event = openEvent(slice.lane, time, Perfetto.EventType.sliceEnd)
    if cut > 0 { putFlag(cut) }
    close(event)
  }

  package mutating func instant(_ instant: Instant, _ names: borrowing Names) {
    let title = number(of: instant.title, names)
    learn(instant.event, names)
    bytes.makeRoom((instant.begins.more.count + instant.ends.more.count) * 10)
    let event = openEvent(instant.lane, instant.time, Perfetto.EventType.instant)
    putTitle(title, instant.event)
    putArguments(of: instant.event, names)
    putFlows(Perfetto.Event.flows, instant.begins)
    putFlows(Perfetto.Event.endingFlows, instant.ends)
    close(event)
  }

  package mutating func counter(_ lane: Lane.ID, _ value: Int64, at time: Int64) {
    let event = openEvent(lane, time, Perfetto.EventType.counter)
    bytes.putField(Perfetto.Event.counterValue, signed: value)
    close(event)
  }

  package mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  ) {
    let texts = FindingText(finding, labels: facts?.labels ?? [])
    var keys: [UInt64] = []
    for (key, _) in texts.pairs { keys.append(number(ofName: key)) }
    packet(flags: Perfetto.needsInterned) { bytes in
      bytes.putField(Perfetto.Packet.timestamp, UInt64(max(0, time)))
      bytes.putMessage(Perfetto.Packet.trackEvent) { bytes in
        bytes.putField(Perfetto.Event.type, Perfetto.EventType.instant)
        bytes.putField(Perfetto.Event.track, Self.uuid(lane))
        bytes.putField(Perfetto.Event.category, texts.outcome)
        bytes.putField(Perfetto.Event.plainName, texts.title)
        for (key, (_, text)) in zip(keys, texts.pairs) {
          bytes.putMessage(Perfetto.Event.annotations) { bytes in
            bytes.putField(Perfetto.Annotation.name, key)
            bytes.putField(Perfetto.Annotation.text, text)
          }
        }
      }
    }
  }

  /// An instant at the begin, on a track of its own: what is gone has no time.
  package mutating func damage(_ file: String, _ problem: String) {
    if !hasDamageTrack {
      hasDamageTrack = true
      packet(flags: Perfetto.needsInterned) { bytes in
        bytes.putMessage(Perfetto.Packet.trackDescriptor) { bytes in
          bytes.putField(Perfetto.Track.uuid, Self.damageTrack)
          bytes.putField(Perfetto.Track.name, "damage")
        }
      }
    }
    let key = number(ofName: "file")
    packet(flags: Perfetto.needsInterned) { bytes in
      bytes.putField(Perfetto.Packet.timestamp, 0)
      bytes.putMessage(Perfetto.Packet.trackEvent) { bytes in
        bytes.putField(Perfetto.Event.type, Perfetto.EventType.instant)
        bytes.putField(Perfetto.Event.track, Self.damageTrack)
        bytes.putField(Perfetto.Event.category, "damage")
        bytes.putField(Perfetto.Event.plainName, "damaged: \(problem)")
        bytes.putMessage(Perfetto.Event.annotations) { bytes in
          bytes.putField(Perfetto.Annotation.name, key)
          bytes.putField(Perfetto.Annotation.text, file)
        }
      }
    }
  }

  // MARK: Packets

  /// A packet that happens seldom.
  mutating func packet(flags: UInt64, _ body: (inout OutputBytes) -> Void) {
    bytes.putMessage(Perfetto.Trace.packet) { bytes in
      bytes.putField(Perfetto.Packet.sequence, Self.sequence)
      bytes.putField(Perfetto.Packet.sequenceFlags, flags)
      body(&bytes)
    }
  }

  private struct OpenEvent {
    let packet: OutputBytes.Message
    let event: OutputBytes.Message
  }

  @inline(__always)
  private mutating func openEvent(_ lane: Lane.ID, _ time: Int64, _ type: UInt64) -> OpenEvent {
    bytes.makeRoom(Self.packetBytesMax)
    let packet = bytes.beginMessage(Perfetto.Trace.packet, width: 2)
    bytes.putField(Perfetto.Packet.timestamp, UInt64(max(0, time)))
    bytes.putField(Perfetto.Packet.sequence, Self.sequence)
    bytes.putField(Perfetto.Packet.sequenceFlags, Perfetto.needsInterned)
    let event = bytes.beginMessage(Perfetto.Packet.trackEvent, width: 2)
    bytes.putField(Perfetto.Event.type, type)
    bytes.putField(Perfetto.Event.track, Self.uuid(lane))
    return OpenEvent(packet: packet, event: event)
  }

  @inline(__always)
  private mutating func close(_ open: OpenEvent) {
    bytes.end(open.event)
    bytes.end(open.packet)
  }

  @inline(__always)
  private mutating func putTitle(_ title: UInt64, _ event: borrowing Event) {
    bytes.putField(Perfetto.Event.categories, UInt64(event.kind.family.rawValue) + 1)
    bytes.putField(Perfetto.Event.name, title)
  }

  @inline(__always)
  private mutating func putFlows(_ field: UInt64, _ flows: Flows) {
    guard let first = flows.first else { return }
    bytes.putField(field, fixed: first)
    for flow in flows.more { bytes.putField(field, fixed: flow) }
  }
}
