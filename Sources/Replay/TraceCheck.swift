// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
package import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

/// Runs a checker over trace files, chunk by chunk: memory does not grow with the files.
///
///     var check = TraceCheck([try TraceReader(path: "monday"), try TraceReader(path: "tuesday")])
///     for report in check.run(Checker()) { print(report.text(file: …)) }
///
/// An app that ends in one file and is launched again in another is one life: the second
/// incarnation begins with what the first left. Each file has a report of its own, in which
/// writers are called, and times counted, as `replay` does it in that file.
package struct TraceCheck {
  private let readers: [TraceReader]
  private let buffer = StrideBuffer()
  /// By file: whether something could not be read; the reader's problems say what.
  package private(set) var hasUnreadable: [Bool]
  /// By file and stream: which events could be read.
  private var held: [[HeldSequences]]

  /// A writer's place among all files.
  private struct Place {
    var file: Int
    var stream: Int
  }

  /// Will read with `readers`.
  package init(_ readers: [TraceReader]) {
    self.readers = readers
    hasUnreadable = readers.map { _ in false }
    held = readers.map { $0.streams.map { _ in HeldSequences() } }
  }

  /// Applies all events; damaged chunks are gaps in the numbering, which taint what they may have held.
  ///
  /// Returns a report a file.
  package mutating func run(_ checker: Checker) -> [CheckReport] {
    var checkers = readers.map { _ in checker }
    let labels = readers.map { AppLife.labels(Self.writers($0)) }
    let places = readers.indices.flatMap { file in
      readers[file].streams.indices.map { Place(file: file, stream: $0) }
    }
    for life in AppLife.stitch(readers.flatMap(Self.writers)) {
      var before: Place?
      for incarnation in life.incarnations {
        let place = places[incarnation.index]
        let stream = readers[place.file].streams[place.stream]
        checkers[place.file].begin(
          stream: stream.id,
          attributes: stream.attributes,
          state: before.map { left(by: $0, checkers[$0.file].state, for: place) } ?? LifeState(),
          incarnation: incarnation.number,
          label: labels[place.file][place.stream]
        )
        feed(place, &checkers[place.file])
        checkers[place.file].finishStream(names: readers[place.file].names)
        before = place
      }
    }
    return readers.indices.map { file in
      CheckReport(
        checkers[file],
        labels: labels[file],
        epochs: Alignment(FileSource(readers[file]).streams).epochs,
        walls: readers[file].streams.map(\.attributes).map { attributes in
          attributes.evidence == .log ? WallClock(of: attributes) : nil
        },
        lost: readers[file].census.lost,
        letGo: readers[file].census.letGo,
        held: held[file],
        absentees: Absentees(readers[file]).sentences
      )
    }
  }

  private static func writers(_ reader: TraceReader) -> [(
    id: WriterID, attributes: WriterAttributes
  )] {
    reader.streams.map { ($0.writer, $0.attributes) }
  }

  /// What a writer starts with, given how the one before it was left; names are those of its own file.
  private func left(by earlier: Place, _ state: LifeState, for place: Place) -> LifeState {
    let from = readers[earlier.file]
    let to = readers[place.file]
    var next = LifeState()
    if from.streams[earlier.stream].writer == to.streams[place.stream].writer {
      // One stream cut into two files; where the second part does not follow, it speaks for itself.
      let first = to.streams[place.stream].chunks.first?.firstSequence
      guard let first, first == state.nextSequence else { return LifeState() }
      next = state
    } else {
      next.beginIncarnation(after: state, names: from.names)
    }
    guard earlier.file != place.file else { return next }
    let facts = next.encode(names: from.names)
    return (try? LifeState(decoding: facts, names: &to.names)) ?? LifeState()
  }

  private mutating func feed(_ place: Place, _ checker: inout Checker) {
    let reader = readers[place.file]
    let chunks = reader.streams[place.stream].chunks
    for (index, chunk) in chunks.enumerated() {
      do {
        let payload = try reader.payload(of: chunk)
        checker.enter(chunk.summary) {
          try? LifeState(decoding: payload.keyframe, names: &reader.names)
        }
        // One copy a chunk: the reader's own would be retained for each event.
        let names = reader.names
        try reader.scan(chunk, payload, in: buffer) { events in
          for index in events.indices { checker.apply(events[index], names: names) }
        }
        held[place.file][place.stream].add(chunk.firstSequence, chunk.endSequence)
      } catch {
        hasUnreadable[place.file] = true
        checker.skip(chunk.summary, isLast: index == chunks.count - 1)
      }
    }
  }
}
