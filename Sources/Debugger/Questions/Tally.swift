// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

/// How often each value of a field comes among events.
///
///     var tally = try Tally(by: "object", session)
///     tally.add(place)
///     tally.texts                        // ["draft.txt": 1]
///
/// Values are counted as they are, and made words once each.
struct Tally {
  private let player: Player
  /// Nil where the writers are counted.
  private let values: Values?
  private var counts: [Scalar: Int] = [:]
  private var writers: [StreamID: Int] = [:]

  /// The words for the process of an event, which is no field of it.
  private static let writerWords = ["writer", "process"]

  init(by field: String, _ session: Session) throws(CommandError) {
    player = session.player
    let isWriter = Self.writerWords.contains(field)
    values = isWriter ? nil : Values(of: try session.question(field, isCondition: false), player)
  }

  mutating func add(_ place: EventPlace) {
    guard let values else { return writers[place.stream, default: 0] += 1 }
    counts[values.value(at: place), default: 0] += 1
  }

  /// How often each came, in words.
  var texts: [String: Int] {
    var texts: [String: Int] = [:]
    for (stream, count) in writers { texts[player.labels[stream], default: 0] += count }
    guard let values else { return texts }
    for (value, count) in counts {
      texts[value.text(values.question.type, player.names), default: 0] += count
    }
    return texts
  }
}
