// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// What the expressions of a scenario come to, by the events that its apps record.
///
/// The events that can change them are folded as they are seen, a life of each app: an expression
/// of the state is asked of the state now, one of events holds where it has held since the step
/// before. Names take 32 MB at most.
struct AskedEvents {
  private struct Life {
    var writer: WriterID
    var state = LifeState()
    /// Of the events that are folded, whose numbers leave out all others.
    var count: UInt64 = 0
    var missed = 0
  }

  private let questions: [(question: Question, evaluator: Evaluator)]
  private let kinds: Set<EventKind>
  private var names = Names(bytesMax: 32 << 20)
  private var lives: [Int: Life] = [:]
  /// When which question held at an event of which app.
  private var hits: [(time: Int64, app: Int, question: Int)] = []
  /// More hits than this are forgotten, the oldest first.
  private let hitsMax: Int
  /// By question and app: how many were, since the step before.
  private var forgotten: [Int: [Int: Int]] = [:]

  /// Asks the expressions of these steps.
  init(_ steps: [Scenario.Step], hitsMax: Int = 10_000) {
    self.hitsMax = hitsMax
    var met: Set<Question> = []
    questions = steps.questions.filter { met.insert($0).inserted }.map { ($0, Evaluator($0)) }
    kinds = steps.awaitedKinds
  }

  /// Folds an event in.
  mutating func add(_ sighting: Sighting, of app: Int) {
    guard !questions.isEmpty, let portable = sighting.event, kinds.contains(sighting.kind) else {
      return
    }
    if lives[app]?.writer != sighting.writer { lives[app] = Life(writer: sighting.writer) }
    guard var life = lives[app] else { return }
    // Not copied while it is folded.
    lives[app] = nil
    var event = portable.event(in: &names)
    event.sequence = life.count
    life.count += 1
    let asked = questions.indices.filter {
      questions[$0].question.needsEvent && questions[$0].question.kinds.contains(event.kind)
    }
    for index in asked { questions[index].evaluator.look(at: event, before: life.state, names) }
    life.state.apply(event, names: names)
    for index in asked
    where questions[index].evaluator.truth(of: event, after: life.state, names) == .yes {
      if hits.count >= hitsMax { forget(hitsMax / 10) }
      hits.append((event.time.rawValue, app, index))
    }
    lives[app] = life
  }

  private mutating func forget(_ count: Int) {
    for hit in hits.prefix(count) {
      forgotten[hit.question, default: [:]][hit.app, default: 0] += 1
    }
    hits.removeFirst(count)
  }

  /// What is said where the expression held at more events than are kept: no step has waited for them.
  func forgottenWords(_ question: Question, of app: Int) -> String? {
    guard let index = questions.firstIndex(where: { $0.question == question }),
      let count = forgotten[index]?[app]
    else { return nil }
    return "it held at \(Quantity.count(count, "more event")) than are kept between two steps"
  }

  /// Events of an app came too fast to be looked at: what they may have changed is unknown.
  mutating func miss(_ count: Int, of app: Int, _ writer: WriterID) {
    guard !questions.isEmpty else { return }
    if lives[app]?.writer != writer { lives[app] = Life(writer: writer) }
    lives[app]?.missed += count
    let since = lives[app]?.state.lastTime ?? HostTime(rawValue: .min)
    lives[app]?.state.lose(.all, count: UInt64(count), since: since)
  }

  /// What is said where events of an app's life were not looked at.
  func missedWords(of app: Int) -> String? {
    guard let missed = lives[app]?.missed, missed > 0 else { return nil }
    return "\(Quantity.count(missed, "event")) of it came too fast to be looked at"
  }

  /// Whether what was not looked at leaves it open that the expression holds.
  func isOpen(_ question: Question, of app: Int, now: Int64) -> Bool {
    guard !question.needsEvent else { return true }
    guard let index = questions.firstIndex(where: { $0.question == question }),
      let life = lives[app]
    else { return false }
    let time = HostTime(rawValue: now)
    return questions[index].evaluator.truth(at: time, in: life.state, names).0 == .unknown
  }

  /// A step that does something begins: what was before it counts for no later step.
  mutating func begin(at time: Int64) {
    hits.removeAll { $0.time < time }
    forgotten = [:]
  }

  /// Whether the expression holds of an app; an event answers one step.
  mutating func take(_ question: Question, of app: Int, now: Int64) -> Bool {
    guard let index = questions.firstIndex(where: { $0.question == question }) else { return false }
    if question.needsEvent {
      guard let hit = hits.firstIndex(where: { $0.app == app && $0.question == index }) else {
        return false
      }
      hits.remove(at: hit)
      return true
    }
    guard let life = lives[app] else { return false }
    let time = HostTime(rawValue: now)
    return questions[index].evaluator.truth(at: time, in: life.state, names).0 == .yes
  }

  /// The values that an expression of the state compares, as they are now: `count tasks is 1`.
  func values(of question: Question, of app: Int, now: Int64) -> String {
    guard let life = lives[app] else { return "nothing was recorded of it yet" }
    let values = question.compared.map { part in
      let value = Evaluator(part).value(at: HostTime(rawValue: now), in: life.state, names)
      return "\(part.text) is \(value.text(part.type, names))"
    }
    return values.joined(separator: ", ")
  }
}
