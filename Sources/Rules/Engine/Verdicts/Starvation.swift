// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// For how long the main thread of an app stood in the queue for a processor, as the host has read it.
///
/// A machine with other things to do, such as one that runs many tests at once, makes an app late that
/// would be in time on a device. What main has waited is taken off: what is in time without it is not
/// held against the app.
struct Starvation: Sendable {
  /// A wait, and between which events it lies.
  private struct Wait {
    var since: HostTime
    var until: HostTime
    var length: Int64
  }

  /// More waits than this become one with the next: they may lie anywhere in it.
  private static let waitsMax = 64
  /// So long after a reading the next one may still be due, in nanoseconds.
  static let silenceMax: Int64 = 500_000_000

  private var waits: [Wait] = []
  /// The event at which the system has killed the app for what the machine has done, and why that is so.
  var excuse: (sequence: UInt64, reason: Sentence)?

  /// The host says for how long main has waited since it last said so.
  mutating func add(_ length: Int64, at time: HostTime) {
    let since = waits.last?.until ?? HostTime(rawValue: .min)
    waits.append(Wait(since: since, until: time, length: length))
    guard waits.count > Self.waitsMax else { return }
    waits[1].since = waits[0].since
    waits[1].length = waits[1].length.addingSaturated(waits[0].length)
    waits.removeFirst()
  }

  /// For how long it has waited between two times, as was told, and at most.
  struct Length {
    var told = Int64(0)
    /// More than ``told`` by what the next reading may still have said.
    var most = Int64(0)
  }

  /// Nothing where no wait is known there.
  func length(from begin: HostTime, until end: HostTime) -> Length {
    var length = Length()
    for wait in waits where wait.until > begin && wait.since < end {
      let inside = min(wait.until, end) - max(wait.since, begin)
      length.told = length.told.addingSaturated(min(wait.length, inside))
    }
    length.most = length.told
    guard length.told > 0, let last = waits.last, last.until < end else { return length }
    length.most = length.told.addingSaturated(min(end - last.until, Self.silenceMax))
    return length
  }
}

extension RuleContext {
  /// For how long main has waited for a processor between two times.
  func starved(from begin: HostTime, until end: HostTime) -> Starvation.Length {
    history.starvation.length(from: begin, until: end)
  }

  /// The same of so many nanoseconds before `end`.
  func starved(since length: Int64, before end: HostTime) -> Starvation.Length {
    starved(from: HostTime(rawValue: end.rawValue.subtractingSaturated(length)), until: end)
  }

  /// Why what took `length`, of which main has `waited` for a processor, is not held against the app:
  /// without that it was within `limit`, which is one on the clock of the recording; nil where it is.
  func excuse(_ length: Int64, waited: Starvation.Length, within limit: Int64) -> Sentence? {
    let begin = HostTime(rawValue: place.time.rawValue.subtractingSaturated(max(0, length)))
    if let doubt = unseen(.device, since: begin) {
      return "a wait of the main thread for a processor may be missing: \(doubt)"
    }
    let own = max(0, length.subtractingSaturated(waited.most))
    guard waited.told > 0, own <= limit else { return nil }
    return
      "the main thread waited \(words(waited.most)) for a processor at most, which this machine did "
      + "not give it: without that it may have taken \(words(own)) only"
  }

  /// Why a kill that no deadline explains is not held against the app.
  ///
  /// For most of the time since it came into its state, or began, main stood in the queue. Nil where it did
  /// not, and where the system kills for no lack of time.
  func excuse(ofKill event: borrowing Event, _ code: UInt64) -> Sentence? {
    guard code != 0, code != TerminationCode.deadLock else { return nil }
    let begin = max(state.process.started ?? state.stateSince, state.stateSince)
    if let doubt = unseen(.device, since: begin) {
      return "a wait of the main thread for a processor may be missing: \(doubt)"
    }
    let (length, waited) = (event.time - begin, starved(from: begin, until: event.time))
    guard waited.told > length / 2 else { return nil }
    return
      "of the \(words(length)) before it the main thread waited \(words(waited.told)) for a processor, "
      + "which this machine did not give it"
  }

  /// The system has killed the app at `event`, and the machine was the reason.
  mutating func excuse(_ event: borrowing Event, _ reason: Sentence) {
    history.starvation.excuse = (event.sequence, reason)
  }
}
