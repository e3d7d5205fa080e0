// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Findings about what had not ended by some moment, held back until it is known that it had not.
///
///     heldBack.hold(.broken(), on: save.sequence, .data, event, context, names) { says($0, $1) }
///     …
///     heldBack.ended(save.sequence, event, &context, names)      // in time: the rule was kept
///
/// A thread may stop between reading the clock and committing its event: the end of a save then
/// stands behind the suspension that it came before, and keeps its time. So an end that is still to
/// come decides; where none comes, the next change of the app's state does. Ends that are missing by
/// then leave it undecided.
struct HeldBack: Sendable {
  private struct One: Sendable {
    /// The event that began what has not ended.
    let begin: UInt64
    /// The family of its end.
    let family: EventFamily
    let finding: Finding
    let moment: (sequence: UInt64, time: HostTime)
    let object: NameID
    /// From what was known at the moment; the second for a doubt.
    let stories: (sure: Story, unsure: Story)
    /// How many events that may be its end were known to be lost by then, with those known to be later.
    var lost: UInt64
  }

  private var all: [One] = []

  var isEmpty: Bool { all.isEmpty }

  /// Holds a finding at `event` back, about what `begin` has begun, whose end is of `family`.
  ///
  /// Costs two stories, which are told from what is known now.
  mutating func hold(
    _ finding: Finding,
    on begin: UInt64,
    _ family: EventFamily,
    object: NameID = .empty,
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names,
    _ story: (Scene, _ isSure: Bool) -> Story
  ) {
    let scene = Scene(event: copy event, context: copy context, names: copy names)
    all.append(
      One(
        begin: begin,
        family: family,
        finding: finding,
        moment: (event.sequence, event.time),
        object: object,
        stories: (story(scene, finding.isBroken), story(scene, false)),
        lost: context.lost(family)
      )
    )
  }

  /// What `begin` has begun ends with the event: in time where its time is before the moment.
  mutating func ended(
    _ begin: UInt64,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    while let place = all.firstIndex(where: { $0.begin == begin }) {
      let one = all.remove(at: place)
      if event.flags.contains(.late), event.time <= one.moment.time {
        context.held()
      } else {
        Self.say(one, event, &context, names)
      }
    }
  }

  /// Looks at an event that may settle all: the app changes its state, but for the resume.
  ///
  /// A thread that was stopped goes on behind that. What is lost later than the moment is no end in time.
  mutating func look(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard !all.isEmpty else { return }
    if event.kind == .loss {
      let loss = Payload.Loss(event)
      for place in all.indices where loss.isBehind(all[place].moment.time) {
        all[place].lost &+= loss.count(of: all[place].family)
      }
    }
    guard let change = context.change else { return }
    if change.from == .suspended && change.to == .background { return }
    settle(event, &context, names)
  }

  /// No end is waited for any longer.
  mutating func settle(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for one in all { Self.say(one, event, &context, names) }
    all = []
  }

  private static func say(
    _ one: One,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var finding = one.finding
    if finding.isBroken, context.lost(one.family) > one.lost {
      let doubt = context.doubt(one.family) ?? "events are missing"
      finding = .unclear("its end may be missing: \(doubt)")
    }
    let story = finding.isBroken ? one.stories.sure : one.stories.unsure
    context.say(finding, at: one.moment, object: one.object, event, names) { _ in story }
  }
}

extension RuleContext {
  /// How many events are known to be lost that may be of a family.
  fileprivate func lost(_ family: EventFamily) -> UInt64 {
    state.completeness[family].lost &+ state.completeness[.unknown].lost
  }
}

extension Payload.Loss {
  /// Whether what is lost came later than a time.
  fileprivate func isBehind(_ time: HostTime) -> Bool { from.map { $0 > time.rawValue } ?? false }

  /// How many of them may be of a family.
  fileprivate func count(of family: EventFamily) -> UInt64 {
    let own = self.family.value ?? .unknown
    return own == family || own == .unknown ? count : 0
  }
}
