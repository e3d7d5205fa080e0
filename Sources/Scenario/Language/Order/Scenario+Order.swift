// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

extension Scenario {
  /// The steps that cannot be played wherever they stand, because of those before them: what is done to
  /// an app that none of them has launched, what is told to one that is suspended, a wait for a state of one
  /// that has no process.
  ///
  ///     life.yml:3:3: `home`: `notes` is not running here
  ///       no step before it launches it
  ///
  /// Playing says the same when it is there. What depends on the app, or on what `choose` takes, is not
  /// said. Takes time with the number of steps.
  package var impossibleSteps: [ScenarioProblem] {
    var order = StepOrder(self)
    order.look(at: steps)
    return order.problems
  }

  /// The steps that may do nothing where they stand: a `relaunch` of an app that no step before it ends.
  ///
  ///     life.yml:5:3: `relaunch`: no step ends `notes` before: where it still runs, nothing is launched
  ///       `purge`, `kill`, `crash` or `terminate` ends it
  ///
  /// They can be played, and playing says whether the app ran. Takes time with the number of steps.
  package var idleSteps: [ScenarioProblem] {
    var order = StepOrder(self)
    order.look(at: steps)
    return order.idle
  }
}

/// What is known of the apps from the steps alone.
private struct StepOrder {
  /// What an app surely is in.
  enum Known: Equatable {
    /// It has no process: since the step at that place, or from the beginning.
    case absent(since: ScenarioPlace?)
    /// It waits in a process that was started ahead of the user.
    case prewarmed
    case inFront
    case suspended(since: ScenarioPlace)
    /// A script may have ended it: steps about it are passed over then, up to its next launch.
    case scripted
    case unknown

    /// Something happened that may have changed it, and cannot have launched it.
    var stirred: Known {
      switch self {
      case .absent, .scripted: self
      default: .unknown
      }
    }
  }

  private let names: [String]
  private var known: [Known]
  private var current = 0
  private(set) var problems: [ScenarioProblem] = []
  /// Whether an app has been brought to the front, and nothing came since that may be its end.
  private var runs: [Bool]
  private(set) var idle: [ScenarioProblem] = []
  private var told: Set<ScenarioPlace> = []
  /// Repeats of repeats are not looked at without end.
  private var looksLeft = Scenario.stepsMax

  init(_ scenario: Scenario) {
    names = scenario.apps.map(\.name)
    known = names.map { _ in .absent(since: nil) }
    runs = names.map { _ in false }
  }

  mutating func look(at steps: [Scenario.Step]) {
    for step in steps {
      if let name = step["app"], let app = names.firstIndex(of: name) { current = app }
      guard known.indices.contains(current) else { return }
      switch step.name {
      case .repeated:
        // The second time begins where the first one ends; the third as the second.
        for _ in 0..<min(2, Int(step["times"] ?? "") ?? 0) where looksLeft > 0 {
          looksLeft -= 1
          look(at: step.steps)
        }
      case .choose:
        // Which of them it is, and so what comes of it, is not known before.
        known = known.map { $0 == .scripted ? .scripted : .unknown }
        runs = names.map { _ in false }
      default:
        // Each step is told once, however often it is repeated.
        if let problem = problem(with: step), told.insert(step.place).inserted {
          problems.append(problem)
        }
        if step.name == .relaunch, runs[current], told.insert(step.place).inserted {
          idle.append(relaunched(by: step))
        }
        play(step)
        followEnds(step)
      }
    }
  }

  private func relaunched(by step: Scenario.Step) -> ScenarioProblem {
    ScenarioProblem(
      place: step.place,
      message: "`relaunch`: no step ends `\(names[current])` before: "
        + "where it still runs, nothing is launched",
      advice: "`purge`, `kill`, `crash` or `terminate` ends it"
    )
  }

  /// What an app does at a word or a touch may be its end; that a later step needs its process shows
  /// that it was none.
  private mutating func followEnds(_ step: Scenario.Step) {
    switch step.name {
    case .launch, .relaunch, .open, .openURL, .switchApp: runs[current] = known[current] == .inFront
    case .suspend, .resume: runs[current] = known[current] != .scripted
    case .home: if names.count == 1 { runs[current] = known[current] != .scripted }
    case .mark, .banner: break
    case .wait:
      // To be in a state, or to let time pass, is no end of an app.
      let isEnd = step["until"] == AppState.notRunning.word
      if isEnd || step.question != nil || step["after"] != nil { runs[current] = false }
    case .expect:
      if step["that"]?.contains(AppState.notRunning.word) == true { runs[current] = false }
    default: runs = names.map { _ in false }
    }
  }

  // MARK: What cannot be

  private func problem(with step: Scenario.Step) -> ScenarioProblem? {
    let name = names[current]
    func no(_ what: String, _ advice: String) -> ScenarioProblem {
      ScenarioProblem(
        place: step.place,
        message: "`\(step.name.rawValue)`: `\(name)` \(what) here",
        advice: advice
      )
    }
    switch known[current] {
    case .absent(let place) where step.name.needsProcess || step.name == .tell:
      if step.name == .home, known.contains(where: { !$0.isAbsent }) { return nil }
      return no("is not running", Self.advice(step, absentSince: place))
    case .absent(let place) where step.awaitedState.map { $0 != .notRunning } ?? false:
      return no("is not running", Self.advice(step, absentSince: place))
    case .prewarmed
    where [.tell, .suspend].contains(step.name)
      || step.awaitedState.map { $0 != .notRunning } ?? false:
      return no("waits for its first callback", "`launch` or `open` lets it go on")
    case .prewarmed where step.name == .prewarm:
      return no("has a process already", "it is prewarmed by a step before")
    case .inFront where step.name == .prewarm:
      return no("has a process already", "it is in front by a step before")
    case .suspended(let place) where step.name == .prewarm:
      return no("has a process already", "it is suspended in line \(place.line)")
    case .suspended(let place) where step.name == .tell:
      return no(
        "is suspended and cannot be told anything",
        "it is suspended in line \(place.line); `resume` or `open` comes before `tell`"
      )
    default: return nil
    }
  }

  private static func advice(_ step: Scenario.Step, absentSince place: ScenarioPlace?) -> String {
    guard let place else { return "no step before it launches it" }
    let isRepeated = (place.line, place.column) >= (step.place.line, step.place.column)
    return isRepeated
      ? "it ended in line \(place.line) the last time, and no step that is repeated launches it"
      : "it ends in line \(place.line), and no step behind that launches it"
  }

  // MARK: What comes of it

  private mutating func play(_ step: Scenario.Step) {
    guard known[current] != .scripted || step.name.launches else { return }
    switch step.name {
    case .launch, .relaunch:
      if step["ends"] != nil || step["after"] != nil {
        leaveFront()
        known[current] = .scripted
      } else if WakeReason(rawValue: step["reason"] ?? "icon") == nil {
        bringToFront(current)
      } else {
        known[current] = .unknown
      }
    case .open, .openURL: bringToFront(current)
    case .switchApp:
      guard let name = step["to"], let next = names.firstIndex(of: name) else {
        return leaveFront()
      }
      current = next
      bringToFront(next)
    case .prewarm: known[current] = known[current].isAbsent ? .prewarmed : .unknown
    case .suspend: known[current] = .suspended(since: step.place)
    case .purge, .terminate, .kill, .crash: known[current] = .absent(since: step.place)
    case .reboot: known = known.map { $0 == .scripted ? $0 : .absent(since: step.place) }
    case .wait, .expect: reach(step.awaitedState ?? step.expectedState, step.place)
    case .mark, .tell, .banner, .touch, .control, .motion, .rotate, .post,
      .statusBar,
      .timeChange:
      // None of them takes an app from the screen, or wakes one.
      break
    case .wake, .resume: known[current] = .unknown
    default: known = known.map(\.stirred)
    }
  }

  /// The step goes on, or holds, when the app is in that state.
  private mutating func reach(_ state: AppState?, _ place: ScenarioPlace) {
    switch (state, known[current]) {
    case (.suspended?, .unknown), (.suspended?, .inFront): known[current] = .suspended(since: place)
    case (.notRunning?, .unknown), (.notRunning?, .inFront), (.notRunning?, .suspended):
      known[current] = .absent(since: place)
    case (.background?, .inFront), (.background?, .suspended), (.active?, .suspended):
      known[current] = .unknown
    default: break
    }
  }

  private mutating func bringToFront(_ app: Int) {
    leaveFront()
    if known[app] != .scripted || app == current { known[app] = .inFront }
  }

  private mutating func leaveFront() {
    known = known.map { $0 == .inFront ? .unknown : $0 }
  }
}

extension Scenario.Step {
  /// The state that it waits for.
  fileprivate var awaitedState: AppState? {
    guard name == .wait, let text = self["until"] else { return nil }
    return AppState(word: text) ?? Self.state(text)
  }

  /// The state in which the app has to be for it to hold.
  fileprivate var expectedState: AppState? {
    name == .expect ? self["that"].flatMap(Self.state) : nil
  }

  private static func state(_ text: String) -> AppState? {
    guard case .state(let state, _)? = Expectation(text) else { return nil }
    return state
  }
}

extension StepOrder.Known {
  var isAbsent: Bool {
    if case .absent = self { return true }
    return false
  }
}
