// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// An event that a rule of a project has met, as far as it is needed later.
struct OwnEvent: Opened {
  let kind: EventKind
  let name: NameID
  let time: HostTime
  let sequence: UInt64
  let site: SiteID
  /// For how long the process had been suspended in all by then.
  let suspendedBefore: Int64
  /// What its rule has bound a name to.
  var bound: Scalar?
  /// Why it may not count, or what may have been what it waits for.
  var doubt: Sentence?

  init(_ event: borrowing Event, _ context: borrowing RuleContext, _ names: borrowing Names) {
    kind = event.kind
    name = context.name(of: event, names) ?? .empty
    time = event.time
    sequence = event.sequence
    site = event.site
    suspendedBefore = context.state.suspended(upTo: event.time)
  }
}

/// What ties two events of a rule together.
struct OwnKey: Hashable, Sendable {
  private let word: UInt64
  /// Tells resources of one name apart: their class and id.
  private let more: UInt64

  /// The same for all events.
  static let none = OwnKey(word: 0, more: 0)

  private init(word: UInt64, more: UInt64) { (self.word, self.more) = (word, more) }

  /// That of a value that a name is bound to.
  init(_ value: Scalar) { self.init(word: value.bits, more: 0) }

  /// The key of an event; nil where the name by which it is tied stood in an event that is missing.
  init?(
    _ event: borrowing Event,
    _ tie: EventTie,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    switch tie {
    case .nothing: self = .none
    case .name:
      guard let name = context.name(of: event, names) else { return nil }
      self.init(word: name.word, more: 0)
    case .identity:
      let kind = event.kind
      let isResource = kind == .resourceAcquire || kind == .resourceRelease
      guard isResource else {
        self.init(word: event.identity, more: 0)
        return
      }
      let id = event.argumentCount > 2 ? event[2] : 0
      self.init(word: event.identity, more: event[0] << 56 ^ id)
    }
  }
}

extension RuleContext {
  /// Whether the process ends with an event: with the first that says so.
  func ends(_ event: borrowing Event) -> Bool {
    switch event.kind {
    case .purge, .processExit: state.process.ending == nil
    default: false
    }
  }

  /// Why one of the events of a selector may have happened since a time, and not be seen.
  func unseen(_ selector: EventSelector, since time: HostTime) -> Sentence? {
    for family in selector.families {
      if let doubt = unseen(family, since: time) {
        return "\(selector.text) may be missing: \(doubt)"
      }
    }
    return nil
  }

  /// The rule that is looking, and where it stands, as a detail of its stories.
  var ownRule: Sentence {
    let info = table[current].info
    return "The rule (\(info.source)): \(info.statement)"
  }
}

extension RuleContext {
  /// Says that an event is an occasion, and what its rule binds a name to is not known.
  mutating func say(
    unbound name: GivenName,
    _ selector: EventSelector,
    _ event: borrowing Event,
    _ names: borrowing Names
  ) {
    say(.unclear("what \(name.word.name) is is not known"), event, names) { scene in
      let met = OwnEvent(scene.event, scene.context, scene.names)
      return Story(
        "what follows \(scene.title(met, selector)) cannot be told",
        [scene.context.ownRule],
        [scene.witness("from")]
      )
    }
  }
}

extension Sentence {
  /// Why an event may be what a rule means: what would tell stood in one that is missing.
  static func nameless(_ selector: EventSelector) -> Sentence {
    "an event came that may be \(selector.text): what would tell is missing"
  }
}

extension Scene {
  /// `upload (work.end)`; of an event without a name the kind, or the word that was asked for.
  func title(_ met: OwnEvent, _ selector: EventSelector) -> Sentence {
    guard let info = met.kind.info else { return "\(selector.text)" }
    let name = names[met.name]
    guard !name.isEmpty else {
      return selector.text.contains(" ") ? "\(name: info.name)" : "\(selector.text)"
    }
    return info.family == .data
      ? "\(object: name) (\(info.name))" : "\(name: name) (\(info.name))"
  }
}

/// A rule of a project that is about some apps only.
struct ForApp<Inner: Pattern>: Pattern {
  private let app: Glob
  private var pattern: Inner
  private var isMeant: Bool?

  init(_ app: Glob, _ pattern: Inner) { (self.app, self.pattern) = (app, pattern) }

  var attention: [Trigger] { pattern.attention }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let isMeant = isMeant ?? app.matches(context.attributes.app)
    self.isMeant = isMeant
    if isMeant { pattern.apply(event, &context, names) }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if isMeant == true { pattern.finish(last, &context, names) }
  }
}
