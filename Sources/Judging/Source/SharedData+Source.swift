// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

extension EventSource {
  /// What the processes say of files that two apps of a machine may share; nil where no two apps have any.
  ///
  /// Then no chunk is decoded; else each that has such an event. `ask` is called before each, and what it
  /// throws ends it.
  func sharedData<Failure>(ask: () throws(Failure) -> Void) throws(Failure) -> SharedData? {
    let kinds = KindSet([.dataDurable, .dataRestored, .dataDiscarded])
    // Who only saves shares nothing that the other could look for.
    let looks = KindSet([.dataRestored])
    let sharers = streams.indices.filter { index in
      streams[index].attributes.role.isJudged
        && streams[index].chunks.contains { !$0.kinds.isDisjoint(with: looks) }
    }
    guard Set(sharers.map { streams[$0].attributes.app }).count > 1 else { return nil }
    let labels = AppLife.labels(streams.map { (id: $0.writer, attributes: $0.attributes) })
    var deeds: [SharedData.Deed] = []
    for stream in sharers where deeds.count <= SharedData.deedsMax {
      try eachEvent(kinds, of: stream, ask) { event, _ in
        if let deed = deed(event, of: stream) { deeds.append(deed) }
      }
    }
    let parties = streams.indices.map { index in
      let attributes = streams[index].attributes
      return SharedData.Party(
        label: labels[index],
        app: attributes.app,
        clock: "\(attributes.host)/\(attributes.boot)/\(attributes.deviceBoot)/\(attributes.clock)",
        isIncomplete: isIncomplete(index)
      )
    }
    return SharedData(deeds, parties: parties)
  }

  private func deed(_ event: Event, of stream: Int) -> SharedData.Deed? {
    let (act, version, hash): (SharedData.Act, UInt64, UInt64)
    switch event.kind {
    case .dataDurable:
      let save = Payload.DataDurable(event)
      guard let level = save.level.value, level >= .kernel else { return nil }
      (act, version, hash) = (.saved, save.version, save.hash)
    case .dataRestored:
      let found = Payload.DataRestored(event)
      let isNothing = found.version == 0 && found.bytes == 0
      (act, version, hash) = (isNothing ? .missed : .read, found.version, found.hash)
    default: (act, version, hash) = (.discarded, Payload.DataDiscarded(event).version, 0)
    }
    guard version > 0 || act == .missed else { return nil }
    return SharedData.Deed(
      act,
      names[event.identityName],
      version: version,
      hash: hash,
      stream: StreamID(rawValue: UInt32(stream)),
      sequence: event.sequence,
      time: event.time
    )
  }

  /// Whether events about data may be missing in the stream.
  private func isIncomplete(_ stream: Int) -> Bool {
    var next: UInt64 = 0
    for chunk in streams[stream].chunks {
      let isLossy = chunk.losses.contains { $0.family == .data || $0.family == .unknown }
      if chunk.firstSequence > next || isLossy || chunk.kinds.contains(.loss) { return true }
      next = chunk.endSequence
    }
    return false
  }
}
