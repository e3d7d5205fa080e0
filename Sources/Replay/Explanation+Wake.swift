// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What an app did with a wake that it did not complete in time.
struct WorkOfWake {
  /// Pieces of work that are told; more are only counted.
  static let shownMax = 4

  /// What began in it, with its end where it has one.
  var pieces: [(begin: EventPlace, end: EventPlace?)] = []
  /// How many pieces there are.
  var count = 0
  /// From the last end until the verdict, in nanoseconds; nil where a piece has not ended.
  var idle: Int64?
}

extension Player {
  /// The work that began in the wake which a verdict of DL09 is about; nil where none did.
  func workOfWake(_ verdict: Verdict) -> WorkOfWake? {
    guard verdict.rule == "DL09",
      let end = heldPlace(of: verdict.stream, sequence: verdict.sequence),
      let wake = verdict.witnesses.lazy
        .compactMap({ self.heldPlace(of: $0.stream, sequence: $0.sequence) })
        .first(where: { self.timeline.event(at: $0).kind == .wakeBegin })
    else { return nil }
    var work = WorkOfWake()
    var open: [UInt64: Int] = [:]
    var unended = 0
    var last = timeline.event(at: wake).time
    let kinds = KindSet([.workBegin, .workEnd])
    CauseGraph(player: self).scan(end.stream, wake.index..<end.index, kinds) { event, place in
      if event.kind == .workBegin {
        open[event.identity] = work.count
        work.count += 1
        unended += 1
        if work.pieces.count < WorkOfWake.shownMax { work.pieces.append((place, nil)) }
      } else if let piece = open.removeValue(forKey: event.identity) {
        unended -= 1
        last = max(last, event.time)
        if piece < work.pieces.count { work.pieces[piece].end = place }
      }
    }
    guard work.count > 0 else { return nil }
    if unended == 0 { work.idle = max(0, timeline.event(at: end).time - last) }
    if let idle = work.idle { work.idle = nominal(idle, of: verdict.stream) }
    return work
  }
}

extension Explanation {
  /// Adds the work of a wake: each piece with its end, and how long none went on any more.
  mutating func add(_ work: WorkOfWake, _ player: Player) {
    var told = Set(steps.compactMap(\.place))
    func tell(_ place: EventPlace, _ label: String) {
      if told.insert(place).inserted { steps.append(player.step(place, label)) }
    }
    for piece in work.pieces {
      tell(piece.begin, "begun in it")
      if let end = piece.end { tell(end, "ended") }
    }
    steps.sort { ($0.event ?? 0) < ($1.event ?? 0) }
    let began: Sentence = "\(count: UInt64(work.count), of: "piece") of work began in the wake"
    remarks.append(
      work.idle.map {
        "\(began); the last ended \(duration: $0) before, and the completion handler was not called."
      } ?? "\(began), and not all of it had ended."
    )
  }
}
