// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace
package import LifetraceWords

extension Player {
  /// What caused what a rule has found; nil where the recording lacks its event.
  ///
  /// It costs the states at a dozen events, and a look at the events between cause and effect, of
  /// which no more than ``CauseGraph/eventsMax`` are looked at. Where the player is interrupted the chain is
  /// as far as it came: ``why(_:)`` throws then.
  package func causes(of verdict: Verdict) -> CauseChain? {
    guard let event = heldPlace(of: verdict.stream, sequence: verdict.sequence) else { return nil }
    let told = verdict.witnesses.filter { $0.label != Witness.open }
      .compactMap { heldPlace(of: $0.stream, sequence: $0.sequence) }
    return CauseGraph(player: self).chain(to: event, told: told)
  }

  /// The event whose line of source is to be looked at: the cause of what a rule has found; where
  /// the recording names no line of it, that of the finding (``Verdict/site``).
  ///
  /// Where nothing has a line it is the cause; nil where the recording lacks that, too.
  package func culprit(_ chain: CauseChain?, of verdict: Verdict) -> EventPlace? {
    let cause = chain?.cause ?? heldPlace(of: verdict.stream, sequence: verdict.sequence)
    let witnesses = ([verdict.site].compactMap(\.self) + verdict.witnesses)
      .compactMap { heldPlace(of: $0.stream, sequence: $0.sequence) }
    return ([cause].compactMap(\.self) + witnesses).first { place in
      SourcePlace(timeline.event(at: place).site, names) != nil
    } ?? cause
  }

  /// The cause in words, where it says more than the title: `Notes/Editor.swift:41: draft.txt
  /// version 2, 1,204 bytes, in memory only, 59.9 s before (notes#1:6)`.
  package func cause(_ chain: CauseChain, of verdict: Verdict) -> Sentence? {
    guard !chain.isOwnCause else { return nil }
    let event = timeline.event(at: chain.cause)
    let place = SourcePlace(event.site, names)
    let witnesses = verdict.witnesses.contains {
      $0.stream == chain.cause.stream && $0.sequence == event.sequence
    }
    guard place.map({ !verdict.title.parts.contains(.place($0)) }) ?? !witnesses else { return nil }
    let before = before(chain.cause, verdict)
    let at: Sentence = place.map { "\($0): " } ?? ""
    let cause: Sentence = "\(event: name(of: chain.cause), of: chain.cause.stream)"
    return "\(at)\(words(of: chain.cause))\(before) (\(cause))"
  }

  /// How long before a verdict's event its cause was, as rules say lengths of time: `, 59.9 s before`;
  /// of another process to within what its clock is known, and empty where that is not known.
  package func before(_ cause: EventPlace, _ verdict: Verdict) -> Sentence {
    let event = timeline.event(at: cause)
    guard cause.stream != verdict.stream else {
      let length = nominal(verdict.time - event.time, of: verdict.stream)
      return length > 0 ? ", \(duration: length) before" : ""
    }
    let apps = [cause.stream, verdict.stream].map {
      timeline.streams[Int($0.rawValue)].attributes.app
    }
    guard apps[0] != apps[1] else { return ", in an earlier life" }
    guard let place = heldPlace(of: verdict.stream, sequence: verdict.sequence) else { return "" }
    let between = time(from: cause, to: place)
    guard let error = between.error else { return "" }
    let length = nominal(between.length, of: verdict.stream)
    let way = length < 0 ? "later" : "before"
    return
      ", \(duration: length == .min ? .max : abs(length), error: nominal(error, of: verdict.stream)) \(way)"
  }

  /// What happened at a place; an end of a background task with the name and the line of its begin, an
  /// edit with its thread, and a line of a stack by the name of its function.
  private func words(of place: EventPlace) -> Sentence {
    let event = timeline.event(at: place)
    if event.kind == .log, event.observer == .recorder, event.site != .none {
      return "it crashed in \(name: names[names[event.site].name])"
    }
    if event.kind == .dataDirty, event.thread != .main {
      return EventText.sentence(event, names) + ", on thread \(event.thread.rawValue)"
    }
    guard event.kind == .taskEnd,
      let task = state(of: place.stream, after: place.index).tasks[event.identity]
    else { return EventText.sentence(event, names) }
    let begun: Sentence = SourcePlace(task.site, names).map { ", begun at \($0)," } ?? ""
    return "background task \"\(name: names[task.name])\", id \(event.identity)\(begun) ended"
  }

  /// A length of time of a stream as rules say it: at the scale of the deadlines.
  func nominal(_ duration: Int64, of stream: StreamID) -> Int64 {
    let scale = timeline.streams[Int(stream.rawValue)].attributes.timeScale
    guard scale != 1000, scale != 0 else { return duration }
    return Int64(min(max(Double(duration) * 1000 / Double(scale), -9e18), 9e18))
  }
}
