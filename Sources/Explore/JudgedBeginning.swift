// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace

/// Judges plays that begin as the undisturbed life does: what that has said of the beginning is not asked
/// again.
///
/// All of an app's life up to a point is the same in a play that ends there, event by event, which is
/// asserted before. So a checker that has judged the beginning of the undisturbed life goes on with the
/// events behind it. Lives know nothing of each other: that of the app is judged alone.
struct JudgedBeginning {
  /// A checker behind so many events of an incarnation.
  private struct Mark {
    var events: Int
    var checker: Checker
    /// The last string and the last site that the events up to there may name.
    var strings: Int
    var sites: Int
  }

  private let life: StagedLife
  /// By stream of the undisturbed life, in order.
  private var marks: [Int: [Mark]] = [:]

  /// Events between two marks, unless the life is longer than so many marks.
  private static let eventsEach = 128
  private static let marksMax = 128

  /// Judges all lives of `life`; nil where what one play knows does not hold in another: messages have
  /// random numbers, and of files that apps share one app alone does not tell all.
  init?(_ life: StagedLife, by checker: Checker) {
    guard !life.writers.contains(where: { Self.hasMessages($0.events) }), !Self.mayShare(life)
    else { return nil }
    self.life = life
    var checker = checker
    if checker.asksForMessages { checker.take(nil as RecordedMessages?) }
    if checker.asksForSharedData { checker.take(nil as SharedData?) }
    let all = life.writers.reduce(0) { $0 + $1.events.count }
    let each = max(Self.eventsEach, all / Self.marksMax)
    for app in Self.lives(of: life) {
      var judge = checker
      var (strings, sites) = (0, 0)
      for (place, window) in app.incarnations.enumerated() {
        Self.open(app, place, life, &judge)
        let events = life.writers[window.index].events
        var at = 0
        while at < events.count {
          marks[window.index, default: []].append(
            Mark(events: at, checker: judge, strings: strings, sites: sites)
          )
          let end = min(at + each, events.count)
          for event in events[at..<end] {
            for name in event.nameIDs(in: life.names) { strings = max(strings, Int(name.rawValue)) }
            sites = max(sites, Int(event.site.rawValue))
          }
          let some = events[at..<end]
          judge.apply(some.span, names: life.names)
          at = end
        }
        judge.finishStream(names: life.names)
      }
    }
  }

  /// What the rules say of the app whose process in `dead` has ended behind `point` in `other`; nil where
  /// that play has to be judged from its begin.
  func violations(of other: StagedLife, dead: Int, _ point: Point) -> [Verdict]? {
    guard dead == point.stream,
      let app = Self.lives(of: other).first(where: { $0.incarnations.contains { $0.index == dead } }
      ),
      let first = app.incarnations.firstIndex(where: { $0.index == dead })
    else { return nil }
    let events = other.writers[dead].events
    // Up to the point both have the same events.
    let same = events.prefix { $0.sequence <= point.sequence }.count
    guard let mark = marks[dead]?.last(where: { $0.events <= same }), isSame(other, upTo: mark)
    else { return nil }
    let rest = events[mark.events...]
    let later = app.incarnations.dropFirst(first + 1)
    guard !Self.hasMessages(rest), !Self.mayShare(other),
      !later.contains(where: { Self.hasMessages(other.writers[$0.index].events) })
    else { return nil }
    var judge = mark.checker
    judge.apply(rest.span, names: other.names)
    judge.finishStream(names: other.names)
    for place in later.indices {
      Self.open(app, place, other, &judge)
      let events = other.writers[app.incarnations[place].index].events
      judge.apply(events.span, names: other.names)
      judge.finishStream(names: other.names)
    }
    return judge.violations
  }

  /// Whether the ids that the judged events have mean the same in the other play.
  private func isSame(_ other: StagedLife, upTo mark: Mark) -> Bool {
    let (own, others) = (life.names, other.names)
    guard mark.strings < others.strings.count, mark.sites < others.sites.count else { return false }
    return own.strings[...mark.strings] == others.strings[...mark.strings]
      && own.sites[...mark.sites] == others.sites[...mark.sites]
  }

  private static func hasMessages(_ events: some Sequence<Event>) -> Bool {
    events.contains { $0.kind.family == .message }
  }

  /// Whether two apps have looked for what they may have saved.
  private static func mayShare(_ life: StagedLife) -> Bool {
    let apps = life.writers.filter { writer in
      writer.events.contains { $0.kind == .dataRestored }
    }
    return Set(apps.map(\.attributes.app)).count > 1
  }

  private static func lives(of life: StagedLife) -> [AppLife] {
    AppLife.stitch(life.writers.map { ($0.id, $0.attributes) })
  }

  /// Begins an incarnation with what the one before it left.
  private static func open(
    _ app: AppLife,
    _ place: Int,
    _ life: StagedLife,
    _ judge: inout Checker
  ) {
    let window = app.incarnations[place]
    let attributes = life.writers[window.index].attributes
    var state = LifeState()
    var isKnown = false
    if place > 0 {
      let last = life.writers[app.incarnations[place - 1].index].id
      state.beginIncarnation(after: judge.state, names: life.names)
      isKnown = judge.state.doubt(.data) == nil || attributes.previous != last
    }
    judge.begin(
      stream: StreamID(rawValue: UInt32(window.index)),
      attributes: attributes,
      state: state,
      isKnown: isKnown,
      incarnation: window.number,
      label: window.label
    )
  }
}
