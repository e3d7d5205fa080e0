// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace

/// Over the life of one process: from which event to which an end there would lose what.
///
///     let map = LossMap(player.timeline, stream)
///     map.stretches[0].object           // draft.txt, version 1, for 2 s
///
/// A stretch begins with the edit and ends with the save, or with the process. It costs a fold of the
/// stream, and is thrown out of when it is interrupted.
package struct LossMap: Sendable {
  /// An object that an end would lose, or might, for as long as that is so.
  package struct Stretch: Sendable {
    package var object: NameID
    /// The newest version in it, and its size.
    package var version: UInt64
    package var bytes: UInt64
    /// The events between which it is so: behind `first`, up to `last`.
    package var first: EventPlace
    package var last: EventPlace?
    package var begin: HostTime
    package var end: HostTime
    /// Why it might not be; nil where it would.
    package var doubt: Doubt?
    /// The process ended in it: it was lost, or may have been.
    package var isLost = false
  }

  /// Why what an end would lose is not certain.
  package enum Doubt: Sendable {
    /// A save is under way, which may come through; or the same bytes may stand there.
    case saveUnderWay
    /// It counts as saved, and its save wrote other bytes than the edit had.
    case otherBytes
  }

  /// The states of the app, in order, each from which event of the stream on.
  package private(set) var states: [(state: AppState, index: Int)] = []
  /// The objects in it, in order of their first stretch.
  package var objects: [NameID] {
    var seen: Set<NameID> = []
    return stretches.map(\.object).filter { seen.insert($0).inserted }
  }
  /// In the order of their begins.
  package private(set) var stretches: [Stretch] = []
  /// Whether there were more data objects than are followed.
  package private(set) var isFull = false
  /// When the stream ends.
  private var end = HostTime(rawValue: .min)
  /// More stretches than this are not kept.
  package static let stretchesMax = 100_000

  /// The map of `stream`; an end there survives what `level` survives.
  package init(
    _ timeline: Timeline,
    _ stream: Int,
    from state: LifeState,
    at level: DurabilityLevel = .kernel,
    isInterrupted: () -> Bool = { false }
  ) throws(SearchInterrupted) {
    var state = state
    var open: [NameID: Int] = [:]
    var index = 0
    var isOver = false
    var isStopped = false
    timeline.pass(0..<timeline.streams[stream].count, of: stream) { events, names in
      isStopped = isInterrupted()
      guard !isStopped else { return false }
      for at in events.indices {
        let event = events[at]
        end = max(end, event.time)
        let place = EventPlace(stream: StreamID(rawValue: UInt32(stream)), index: index)
        index += 1
        let wasAlive = state.process.ending == nil
        state.apply(event, names: names)
        if state.appState != states.last?.state {
          states.append((state.appState, place.index))
        }
        if wasAlive, state.process.ending != nil {
          close(all: &open, event.time, isLost: state.losesAtEnd(names))
          isOver = true
          return false
        }
        guard event.kind.family == .data else { continue }
        note(state, names.known(event.identityName), level, place, event.time, &open)
      }
      return true
    }
    if isStopped { throw SearchInterrupted() }
    isFull = state.isFull(.data)
    if isOver { return }
    for index in open.values { stretches[index].end = end }
  }

  private mutating func note(
    _ state: LifeState,
    _ name: NameID,
    _ level: DurabilityLevel,
    _ place: EventPlace,
    _ time: HostTime,
    _ open: inout [NameID: Int]
  ) {
    let object = state.data[name]
    let isUnsaved = object?.isUnsaved(at: level) == true
    let isOther = !isUnsaved && object?.saveOfOtherBytes != nil
    let doubt: Doubt? =
      isOther ? .otherBytes : object?.survival(at: level) != nil ? .saveUnderWay : nil
    let isAtRisk = isUnsaved || isOther
    // Where a save begins or fails, what is certain changes: another stretch begins.
    if let index = open[name], !isAtRisk || stretches[index].doubt != doubt {
      stretches[index].end = time
      stretches[index].last = place
      open[name] = nil
    }
    guard let object, isAtRisk else { return }
    if let index = open[name] {
      stretches[index].version = object.dirty?.version ?? stretches[index].version
      stretches[index].bytes = object.dirty?.bytes ?? stretches[index].bytes
    } else if stretches.count < Self.stretchesMax {
      open[name] = stretches.count
      stretches.append(
        Stretch(
          object: name,
          version: object.dirty?.version ?? 0,
          bytes: object.dirty?.bytes ?? 0,
          first: place,
          begin: time,
          end: time,
          doubt: doubt
        )
      )
    }
  }

  private mutating func close(all open: inout [NameID: Int], _ time: HostTime, isLost: Bool) {
    for index in open.values {
      stretches[index].end = time
      stretches[index].isLost = isLost && stretches[index].doubt != .otherBytes
    }
    open = [:]
    end = max(end, time)
  }
}
