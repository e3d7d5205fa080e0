// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension EventSource {
  /// The messages of all streams; nil where there are none.
  ///
  /// Of chunks whose headers have a table of their messages only those are decoded in which events are
  /// missing, or, where somebody sets deadlines, messages say what led to them.
  ///
  /// `ask` is called before each chunk, and what it throws ends it.
  func recordedMessages<Failure>(ask: () throws(Failure) -> Void) throws(Failure)
    -> RecordedMessages?
  {
    let ends = try messageEnds(ask)
    guard !ends.isEmpty else { return nil }
    let labels = AppLife.labels(streams.map { (id: $0.writer, attributes: $0.attributes) })
    let heard = Set(ends.lazy.filter { !$0.isSend }.map(\.flow))
    // Nobody asks for what is missing where all has arrived.
    let isLost = ends.contains { $0.isSend && !heard.contains($0.flow) }
    var recorded: [RecordedStream] = []
    for stream in streams.indices {
      recorded.append(try recordedStream(stream, labels[stream], looksForHoles: isLost, ask))
    }
    return RecordedMessages(
      ends,
      replies: try replies(ends, ask),
      streams: recorded,
      clocks: SourceClocks(self)
    )
  }

  private func messageEnds<Failure>(
    _ ask: () throws(Failure) -> Void
  ) throws(Failure) -> [RecordedMessages.End] {
    let buffer = StrideBuffer()
    var ends: [RecordedMessages.End] = []
    for (stream, facts) in streams.enumerated() {
      let id = StreamID(rawValue: UInt32(stream))
      for (number, chunk) in facts.chunks.enumerated() {
        try ask()
        for edge in messages(chunk: number, of: id, in: buffer) {
          ends.append(
            RecordedMessages.End(
              flow: edge.flow,
              stream: id,
              sequence: chunk.firstSequence &+ UInt64(edge.row),
              time: edge.time,
              isSend: edge.isSend
            )
          )
        }
        // They are not looked at then; how many there are beyond does not matter.
        if ends.count > RecordedMessages.endsMax { return ends }
      }
    }
    return ends
  }

  // MARK: - Replies

  /// The answers to what is sent by processes that set deadlines.
  private func replies<Failure>(
    _ ends: [RecordedMessages.End],
    _ ask: () throws(Failure) -> Void
  ) throws(Failure) -> [RecordedMessages.Reply] {
    let askers = streams.indices.filter { stream in
      streams[stream].chunks.contains { $0.kinds.contains(.deadlineOpen) }
    }
    guard !askers.isEmpty else { return [] }
    var askerOf: [UInt64: Int] = [:]
    for end in ends where end.isSend && askers.contains(Int(end.stream.rawValue)) {
      askerOf[end.flow] = Int(end.stream.rawValue)
    }
    var replies: [RecordedMessages.Reply] = []
    for stream in streams.indices {
      var requestOf: [UInt64: UInt64] = [:]
      var peerOf: [UInt64: NameID] = [:]
      var sends: [RecordedMessages.End] = []
      try eachEvent(KindSet([.messageTrace, .messageSend]), of: stream, ask) { event, _ in
        if event.kind == .messageTrace {
          let parent = Payload.MessageTrace(event).parent
          if parent != 0, askerOf[parent] != nil { requestOf[event.identity] = parent }
        } else if peerOf.updateValue(Payload.MessageSend(event).peer, forKey: event.identity) == nil
        {
          sends.append(
            RecordedMessages.End(
              flow: event.identity,
              stream: StreamID(rawValue: UInt32(stream)),
              sequence: event.sequence,
              time: event.time,
              isSend: true
            )
          )
        }
      }
      for send in sends {
        guard let request = requestOf[send.flow], let asker = askerOf[request], asker != stream,
          let peer = peerOf[send.flow]
        else { continue }
        // What the request led to elsewhere is no answer to it.
        let attributes = streams[asker].attributes
        guard [attributes.app, attributes.process, attributes.host].contains(names[peer]) else {
          continue
        }
        replies.append(RecordedMessages.Reply(to: request, send))
      }
    }
    return replies
  }

  // MARK: - What is recorded of a stream

  private func recordedStream<Failure>(
    _ stream: Int,
    _ label: String,
    looksForHoles: Bool,
    _ ask: () throws(Failure) -> Void
  ) throws(Failure) -> RecordedStream {
    let facts = streams[stream]
    let filled = facts.chunks.filter { $0.eventCount > 0 }
    let first = filled.map(\.firstTime).min()
    let last = filled.map(\.lastTime).max()
    return RecordedStream(
      StreamID(rawValue: UInt32(stream)),
      label,
      facts.attributes,
      span: first.flatMap { first in last.map { first...$0 } },
      hasEnded: filled.last?.kinds.contains(.processExit) ?? false,
      hasReceived: filled.contains { $0.kinds.contains(.messageReceive) },
      holes: looksForHoles ? try holes(stream, filled, ask) : []
    )
  }

  private func holes<Failure>(
    _ stream: Int,
    _ chunks: [ChunkSummary],
    _ ask: () throws(Failure) -> Void
  ) throws(Failure) -> [RecordedStream.Hole] {
    var holes: [RecordedStream.Hole] = []
    var next: UInt64 = 0
    var end = chunks.first?.firstTime ?? HostTime(rawValue: 0)
    for chunk in chunks {
      if chunk.firstSequence > next {
        let missing = chunk.firstSequence - next
        holes.append(.init(from: end, to: chunk.firstTime, "\(count: missing, of: "event")"))
      }
      for loss in chunk.losses where Self.mayBeMessages(loss.family) {
        let words: Sentence = "\(count: loss.count, of: "event") lost"
        holes.append(.init(from: end, to: chunk.lastTime, words))
      }
      (next, end) = (chunk.endSequence, chunk.lastTime)
    }
    try eachEvent(KindSet([.loss]), of: stream, ask) { event, chunk in
      let loss = Payload.Loss(event)
      guard Self.mayBeMessages(loss.family.value ?? .unknown) else { return }
      holes.append(
        .init(
          from: loss.from.map { HostTime(rawValue: $0) } ?? chunk.firstTime,
          to: event.time,
          "\(count: loss.count, of: "event") lost"
        )
      )
    }
    return holes.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  private static func mayBeMessages(_ family: EventFamily) -> Bool {
    family == .message || family == .unknown
  }
}

/// The clocks of a source, as rules compare them.
private struct SourceClocks: ComparedClocks {
  private let recording: RecordingClocks
  private let setAside: Set<UInt64>

  init(_ source: some EventSource) {
    recording = RecordingClocks(source)
    setAside = recording.flowsSetAside
  }

  func clock(of stream: StreamID) -> Int { recording.clockOfStream[Int(stream.rawValue)] }

  func bounds(_ time: HostTime, of stream: StreamID, on other: StreamID) -> TimeBounds {
    let found = recording.interval(time, of: stream, on: other)
    return TimeBounds(
      earliest: found.low.map { HostTime(rawValue: $0) },
      latest: found.high.map { HostTime(rawValue: $0) }
    )
  }

  func evidence(_ one: StreamID, _ other: StreamID, at time: HostTime) -> ClockEvidence? {
    let (here, there) = (clock(of: one), clock(of: other))
    guard here != there else { return nil }
    let found = recording.messages(one, other, near: time)
    return ClockEvidence(
      (name(here), name(there)),
      forward: found?.forward ?? 0,
      back: found?.back ?? 0,
      nearest: found?.nearest
    )
  }

  private func name(_ clock: Int) -> String {
    recording.clocks[clock].hosts.first ?? "a host without a name"
  }

  func isSetAside(_ flow: UInt64, from sender: StreamID, to receiver: StreamID) -> Bool {
    clock(of: sender) != clock(of: receiver)
      && (setAside.contains(flow) || recording.areSetAside(sender, receiver))
  }
}
