// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

extension CheckFacts {
  /// As many events are held, 80 bytes each, while causes are looked for.
  private static let timelineBytes = 10 << 20

  /// What the rules say of a recording.
  ///
  ///     let recording = try JoinedTraces([try TraceReader(path: path)])
  ///     CheckFacts(recording, by: Judgement(), named: path).worst
  ///
  /// Where there are at least `eventsMin` events, `cores` threads judge app lives side by side;
  /// memory grows with them, not with the recording. The findings do not depend on it. Writers are
  /// named, and times counted, as in `replay`. `isVerbose` looks for more than what rules found.
  package init(
    _ recording: JoinedTraces,
    by judgement: Judgement,
    named file: String,
    cores: Int = 1,
    eventsMin: Int = 500_000,
    isVerbose: Bool = false
  ) {
    let judged = recording.judged(by: judgement.checker, cores: cores, eventsMin: eventsMin)
    let streams = recording.streams
    let labels = AppLife.labels(recording.writers)
    let timeline = Timeline(JoinedSource(recording), memory: .bytes(Self.timelineBytes))
    let alignment = timeline.alignment
    self.init(
      judged.checker,
      named: file,
      writers: streams.indices.map { stream in
        let attributes = streams[stream].attributes
        return Writer(
          labels[stream],
          clock: alignment.clocks[stream],
          wall: attributes.evidence == .log ? WallClock(of: attributes) : nil,
          version: attributes.role.isJudged ? recording.version(of: stream) : nil,
          system: attributes.profile.isEmpty ? nil : attributes.profile,
          held: judged.held[stream]
        )
      },
      lost: recording.census.lost,
      letGo: recording.census.letGo,
      absentees: recording.readers.flatMap { Absentees($0).sentences }
    )
    for stream in streams.sorted(by: { $0.attributes.started < $1.attributes.started })
    where stream.attributes.role.isJudged {
      latest[stream.attributes.app] = stream.id
    }
    clockDoubts = timeline.doubts
    hasUnreadable = judged.hasUnreadable
    judgedApps = Set(recording.streams.map(\.attributes).filter { $0.role.isJudged }.map(\.app))
    if recording.readers.count > 1 { files = recording.files }
    if isVerbose || verdicts.contains(where: { $0.outcome == .violated }) {
      let timeline = Timeline(
        JoinedSource(recording),
        memory: .bytes(Self.timelineBytes),
        // Causes are looked for within a process: messages need no order.
        ordersMessages: false
      )
      let player = Player(timeline, states: .narrow)
      findCauses(in: player)
      if isVerbose { findRemarkable(in: player) }
    }
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
