// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Nothing of a sort is open at a moment that does not wait for it: a suspension, an end.
///
///     OpenAt(moments: Trigger.endings, open: { … }, finds: { … }) { scene, lock, isSure in Story("…", …) }
struct OpenAt<Thing: Sendable>: Pattern {
  /// The finding where none is open.
  enum Clear: Sendable {
    /// That the rule was kept.
    case held
    /// That finding, or none, or that one may be hidden, and the story then.
    case judged(
      @Sendable (borrowing RuleContext) -> Finding?,
      says: @Sendable (Scene) -> Story
    )
  }

  /// How an end is known that is delivered behind a suspension and came before it.
  struct Late: Sendable {
    /// The events that may be one.
    let ends: [Trigger]
    let family: EventFamily
    /// The event that has begun what is open; nil where no end of it is under way.
    let begin: @Sendable (Thing) -> UInt64?
    /// What has begun what an event ends; nil where it ends nothing.
    let ended: Look<UInt64?>
  }

  /// The events that may be such a moment.
  let moments: [Trigger]
  /// The kind of event that gives occasion; without one, each moment is an occasion.
  var occasion: EventKind?
  /// Whether an event of that kind does.
  var isOccasion: @Sendable (borrowing Event) -> Bool = { _ in true }
  /// Whether a moment uses its occasions up, and is none without any.
  var usesOccasions = false
  /// The open things; nil where the event is no such moment.
  let open: Look<[Thing]?>
  /// The finding about one that is open; nil for none.
  let finds: @Sendable (Thing, borrowing Event, borrowing RuleContext, borrowing Names) -> Finding?
  /// The finding where none is open.
  var clear = Clear.held
  /// The data object that one is about.
  var object: @Sendable (Thing) -> NameID = { _ in .empty }
  /// Takes note of a breach that is kept in words, and of its place among the rule's verdicts.
  var kept: @Sendable (Thing, Int, Scene, inout RuleContext) -> Void = { _, _, _, _ in }
  /// Without one, what is open at a suspension is told there; else when no end of it can come any more.
  var late: Late?
  /// Describes one that is open, surely or perhaps.
  let says: @Sendable (Scene, Thing, _ isSure: Bool) -> Story
  private(set) var occasions = 0
  private(set) var heldBack = HeldBack()

  var attention: [Trigger] {
    moments + (occasion.map { [.event($0)] } ?? []) + (late.map { $0.ends + [.event(.loss)] } ?? [])
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if let late, !heldBack.isEmpty {
      heldBack.look(event, &context, names)
      if let begin = late.ended(event, context, names) {
        heldBack.ended(begin, event, &context, names)
      }
    }
    if event.kind == occasion {
      if isOccasion(event) { occasions += 1 }
      return
    }
    if usesOccasions, occasions == 0 { return }
    guard let open = open(event, context, names) else { return }
    var isClear = true
    for thing in open {
      guard let finding = finds(thing, event, context, names) else { continue }
      isClear = false
      var isSure = false
      if case .broken = finding { isSure = true }
      if !finding.isHeld, context.change?.suspends == true, let late,
        let begin = late.begin(thing)
      {
        let object = object(thing)
        heldBack.hold(finding, on: begin, late.family, object: object, event, context, names) {
          says($0, thing, $1)
        }
        continue
      }
      let place = context.say(finding, object: object(thing), event, names) {
        says($0, thing, isSure)
      }
      guard let place else { continue }
      let scene = Scene(event: copy event, context: copy context, names: copy names)
      kept(thing, place, scene, &context)
    }
    if isClear, occasion == nil || occasions > 0 {
      switch clear {
      case .held: context.held()
      case .judged(let finds, let says):
        if let finding = finds(context) { context.say(finding, event, names, says) }
      }
    }
    if usesOccasions { occasions = 0 }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { heldBack.settle(last, &context, names) }
}
