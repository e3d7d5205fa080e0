// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

extension TraceCut {
  /// Writes the smallest part, of those tried, of which the rule says what it says of the whole.
  ///
  /// Tried are the events from the first that the verdict points to, and ever more of those before
  /// them; then the same with all that follows. Each is written, read and judged anew: in the end
  /// that is the whole recording.
  package static func write(
    _ verdict: Verdict,
    of player: Player,
    by judgement: Judgement,
    to path: String,
    removing remove: () -> Void
  ) throws(TraceFileError) -> TraceCut {
    var tried: TraceCut?
    for cut in parts(around: verdict, of: player) {
      if tried != nil { remove() }
      tried = cut
      try cut.write(to: path)
      let timeline = Timeline(FileSource(try TraceReader(path: path)))
      if cut.says(verdict, in: timeline, by: judgement) { return cut }
    }
    return tried ?? TraceCut(of: player, from: 0, to: player.timeline.count)
  }

  /// Parts that hold all that the verdict points to, and all from its cause on, each larger than the one before.
  private static func parts(around verdict: Verdict, of player: Player) -> [TraceCut] {
    let timeline = player.timeline
    // Without the events of its chain the part would have another cause.
    let chain = player.causes(of: verdict)?.places.map(timeline.number(of:)) ?? []
    let numbers =
      chain
      + verdict.witnesses.compactMap { timeline.ordinal(of: $0.stream, sequence: $0.sequence) }
      + [timeline.ordinal(of: verdict.stream, sequence: verdict.sequence)].compactMap { $0 }
    guard let first = numbers.min(), let last = numbers.max() else { return [] }
    var parts: [TraceCut] = []
    for end in Set([last, timeline.count]).sorted() {
      var length = end - first + 1
      repeat {
        parts.append(TraceCut(of: player, from: max(0, end - length), to: end))
        length *= 2
      } while parts.last.map { $0.before > 0 } ?? false
    }
    return parts.sorted { ($0.count, $0.before) < ($1.count, $1.before) }
  }

  private func says(_ verdict: Verdict, in part: Timeline, by judgement: Judgement) -> Bool {
    let whole = player.timeline.streams
    let other = Player(part)
    guard let findings = try? other.findings(judgement) else { return false }
    return findings.violations.contains { finding in
      guard finding.rule == verdict.rule, finding.sequence == verdict.sequence,
        part.streams[Int(finding.stream.rawValue)].writer
          == whole[Int(verdict.stream.rawValue)].writer,
        let told = try? other.verdict(of: finding, by: judgement)
      else { return false }
      return told.severity == verdict.severity
        && told.title.description == verdict.title.description
        && told.witnesses.map { Sight($0, part.streams) }
          == verdict.witnesses.map { Sight($0, whole) }
    }
  }

  /// A witness by the id of its writer.
  private struct Sight: Equatable {
    var label: String
    var writer: WriterID
    var sequence: UInt64

    init(_ witness: Witness, _ streams: [StreamIndex]) {
      label = witness.label
      writer = streams[Int(witness.stream.rawValue)].writer
      sequence = witness.sequence
    }
  }
}
