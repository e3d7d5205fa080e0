// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

extension Session {
  /// The end of a process that took with it what was not saved of an object.
  struct Loss {
    var place: EventPlace
    /// Its number in the recording.
    var number: Int
    /// `lost`, or `perhaps lost`.
    var word: String
  }

  /// Where processes among `streams` ended with unsaved versions of the data object that `question` is
  /// about, in order; none where it is about no object.
  ///
  /// The value in memory stays until the next life begins, so that no change of it tells of the end.
  func losses(in question: Question, of streams: Set<StreamID>) throws -> [Loss] {
    guard question.text.contains("data(\""),
      let name = question.spoken.first.flatMap(player.names.find)
    else { return [] }
    let ends = Asking(try Question(condition: "state.purge || process.exit"), player, of: streams)
    var hits = player.hits(of: ends.filter)
    var ended: Set<StreamID> = []
    var out: [Loss] = []
    while let place = try hits.next() {
      if player.isInterrupted() { throw SearchInterrupted() }
      // A purge is followed by the exit.
      guard ended.insert(place.stream).inserted else { continue }
      let cause = player.names[player.timeline.event(at: place).endingCause]
      guard !HarnessEnd.isOne(cause) else { continue }
      let level = DurabilityLevel.surviving(cause)
      let state = player.state(of: place.stream, after: place.index)
      guard let object = state.data[name], object.isUnsaved(at: level) else { continue }
      out.append(
        Loss(
          place: place,
          number: player.timeline.number(of: place),
          word: object.survival(at: level) == nil ? "lost" : "perhaps lost"
        )
      )
    }
    return out
  }
}
