// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

extension Judgement {
  /// What the rules say of a recording, and whether some of it could not be read.
  ///
  ///     let recording = try JoinedTraces([try TraceReader(path: path)])
  ///     print(Judgement().report(of: recording).report.text(file: path))
  ///
  /// Memory does not grow with the recording, but with `cores`: so many threads judge app lives
  /// side by side where there are at least `eventsMin` events. What is said does not depend on it.
  /// Writers are called, and times counted, as in `replay`.
  package func report(
    of recording: JoinedTraces,
    cores: Int = 1,
    eventsMin: Int = 500_000
  ) -> (report: CheckReport, hasUnreadable: Bool) {
    let judged = recording.judged(by: checker, cores: cores, eventsMin: eventsMin)
    let streams = recording.streams.map {
      SourceStream(
        writer: $0.writer,
        attributes: $0.attributes,
        chunks: $0.chunks.map(\.summary)
      )
    }
    var report = CheckReport(
      judged.checker,
      labels: AppLife.labels(recording.writers),
      epochs: Alignment(streams).epochs,
      walls: streams.map {
        $0.attributes.evidence == .log ? WallClock(of: $0.attributes) : nil
      },
      lost: recording.census.lost,
      letGo: recording.census.letGo,
      held: judged.held,
      absentees: recording.readers.flatMap { Absentees($0).sentences }
    )
    if recording.readers.count > 1 { report.files = recording.files }
    return (report, judged.hasUnreadable)
  }
}

extension JoinedTraces {
  /// What each file has of the recording, chunks that could not be read apart.
  fileprivate var files: [ReportedFile] {
    var held = readers.map { _ in streams.map { _ in HeldSequences() } }
    for (stream, facts) in streams.enumerated() {
      for (number, chunk) in facts.chunks.enumerated() {
        let (file, isDamaged) = place(of: number, of: stream)
        if !isDamaged { held[file][stream].add(chunk.firstSequence, chunk.endSequence) }
      }
    }
    return zip(readers, held).map { reader, held in
      let alone = reader.streams.map { (id: $0.writer, attributes: $0.attributes) }
      let labels = Dictionary(uniqueKeysWithValues: zip(alone.map(\.id), AppLife.labels(alone)))
      return ReportedFile(path: reader.path, labels: streams.map { labels[$0.writer] }, held: held)
    }
  }
}
