// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// An occasion as a rule describes it: the event, the facts before it, and the text of its names.
///
///     scene.witness("begin", span)            // where the span began
///     "it ran for \(scene.words(length))\(scene.at(span.site))"
///
/// It is made only for a verdict that is kept in words, so it may hold copies.
struct Scene: Sendable {
  /// The event that is judged; at the recording's end a stand-in with the place of the last event.
  let event: Event
  let context: RuleContext
  let names: Names

  /// The facts before the event.
  var state: LifeState { context.state }
}

/// What has begun: what the ledgers of open things have in common.
protocol Opened: Sendable {
  /// The event that began it.
  var sequence: UInt64 { get }
  /// When the thing began, on the clock of the host.
  var time: HostTime { get }
  /// Where in the source it began.
  var site: SiteID { get }
}

extension OpenSpan: Opened {}
extension OpenTask: Opened {}
extension HeldResource: Opened {}
extension OpenWake: Opened { var site: SiteID { .none } }

// MARK: - Witnesses

extension Scene {
  /// The event that is looked at.
  func witness(_ label: String) -> Witness {
    witness(label, event.sequence, event.time, event.site)
  }

  /// Its place, where the event itself says nothing of the source: something stops here.
  func here(_ label: String) -> Witness { witness(label, event.sequence, event.time) }

  /// The event where `thing` began, as a witness.
  func witness(_ label: String, _ thing: some Opened) -> Witness {
    witness(label, thing.sequence, thing.time, thing.site)
  }

  /// The event that brought the app into the state it is in.
  var stateWitness: Witness {
    witness(state.appState.word, state.stateSequence, state.stateSince)
  }

  func witness(
    _ label: String,
    _ sequence: UInt64,
    _ time: HostTime,
    _ site: SiteID = .none
  ) -> Witness {
    Witness(
      label: label,
      stream: context.stream,
      sequence: sequence,
      time: time,
      source: SourcePlace(site, names)
    )
  }
}

// MARK: - Words

extension Scene {
  /// A length of time on the recording's clock, at the scale of the deadlines.
  func words(_ duration: Int64) -> Sentence { context.words(duration) }

  /// The same of what is over a nominal limit: as precise as it takes to see that.
  func words(_ duration: Int64, over limit: Int64) -> Sentence {
    let words = words(duration)
    guard "\(words)" == "\(self.limit(limit))", duration > 0 else { return words }
    let rest = context.nominal(duration) - limit
    return rest > 0 ? "\(words) and \(duration: rest)" : words
  }

  /// A nominal limit, given in nanoseconds, in words.
  func limit(_ nominal: Int64) -> Sentence { "\(duration: nominal)" }

  /// Why the ledger of `family` may lack something; nil when it is whole.
  func doubt(_ family: EventFamily) -> Sentence? { context.doubt(family) }

  /// Why `what` of a thing that has begun may be missing; nil where nothing is.
  func missing(_ what: Sentence, _ family: EventFamily, since thing: some Opened) -> Sentence? {
    context.doubt(family, since: thing.time).map { "\(what) may be missing: \($0)" }
  }

  /// How long before the event something was, on the clock of the deadlines.
  func since(_ time: HostTime) -> Sentence { context.words(event.time - time) }

  /// `3 s before (notes#1:17)`.
  func before(_ time: HostTime, _ sequence: UInt64) -> Sentence {
    "\(since(time)) before (\(self.event(sequence)))"
  }

  func before(_ thing: some Opened) -> Sentence { before(thing.time, thing.sequence) }

  /// ` at File.swift:41`, or empty; ` in the step at life.yml:5` of what the host saw while it played that.
  func at(_ site: SiteID) -> Sentence {
    guard let place = SourcePlace(site, names) else { return "" }
    let isStep = [".yml", ".yaml"].contains(where: place.file.hasSuffix)
    return isStep ? " in the step at \(place)" : " at \(place)"
  }

  /// An event of this stream as `goto` takes it: `notes#1:17`.
  func event(_ sequence: UInt64) -> Sentence {
    "\(event: EventName(writer: context.label, sequence: sequence), of: context.stream)"
  }

  /// The name given at a site, or `other`.
  func name(_ site: SiteID, or other: Sentence) -> Sentence {
    let name = names[names[site].name]
    return name.isEmpty ? other : "\(name: name)"
  }

  /// `"sync"`, or *without a name*; with its id where another one of that name is open.
  func title(_ task: OpenTask) -> Sentence {
    let name = names[task.name]
    let title: Sentence = name.isEmpty ? "without a name" : "\"\(name: name)\""
    let alike = state.tasks.entries.filter { $0.value.name == task.name }
    guard alike.contains(where: { $0.value.sequence != task.sequence }),
      let own = alike.first(where: { $0.value.sequence == task.sequence })
    else { return title }
    return "\(title), id \(own.key),"
  }

  /// `work "decode"`, `callback "didBecomeActive"`, `a turn of the run loop`.
  func title(_ span: OpenSpan) -> Sentence {
    span.kind == .waitBegin ? titled("a wait", names[span.site].name) : title(span.kind, span.site)
  }

  /// `work "save"`, `callback "didEnterBackground"`, `data.dirty "draft.txt"`.
  var eventTitle: Sentence {
    guard event.kind.info?.isNameIdentity == true else { return title(event.kind, event.site) }
    return titled(noun(event.kind), event.identityName)
  }

  private func title(_ kind: EventKind, _ site: SiteID) -> Sentence {
    titled(noun(kind), names[site].name)
  }

  private func noun(_ kind: EventKind) -> Sentence {
    switch kind {
    case .callbackBegin, .callbackEnd: "callback"
    case .workBegin, .workEnd: "work"
    case .turnBegin, .turnEnd: "a turn of the run loop"
    default: kind.info.map { "\(name: $0.name)" } ?? "an event of kind \(kind.rawValue)"
    }
  }

  private func titled(_ noun: Sentence, _ id: NameID) -> Sentence {
    let name = names[id]
    return name.isEmpty ? noun : "\(noun) \"\(name: name)\""
  }
}
