// SPDX-License-Identifier: Apache-2.0
public import LifetraceScenario
import LifetraceJudging
import LifetraceLifecycle
import LifetraceTimeline
public import LifetraceRules
public import LifetraceTrace
import Synchronization

/// What happened in a simulation: streams of events, and what the rules say about them.
public struct SimulatedLife: Sendable {
  /// One incarnation of an app.
  public struct Stream: Sendable {
    /// The process that lived, as the writer of its stream.
    public var writer: WriterID
    /// The app, its profile, the incarnation before.
    public var attributes: WriterAttributes
    /// The events of this life, in the order of its stream.
    public var events: [Event]
  }

  /// The strings of all events.
  public let names: Names
  /// In order of their start.
  public let streams: [Stream]
  /// Expectations of the scenario that did not hold, those about violations too.
  public private(set) var report: ScenarioReport
  /// The scenario that was played.
  public let scenario: Scenario
  /// That of the device, which is one of the streams if it has events.
  let device: Stream
  /// How it is judged, and what does not count.
  let project: ProjectRules
  private let firstAsked = FirstAsked()
  /// Whether anybody has asked what the rules say.
  private let interest: Interest

  /// Whether anybody asks what the rules say of the lives of one simulator.
  final class Interest: Sendable {
    let isShown = Atomic(false)
  }

  @MainActor
  init(
    world: VirtualWorld,
    report: ScenarioReport,
    project: ProjectRules,
    scenario: Scenario,
    interest: Interest
  ) {
    self.interest = interest
    var names = Names()
    var streams: [Stream] = []
    for (index, process) in world.history.enumerated() {
      streams.append(
        Stream(
          writer: process.writer,
          attributes: process.attributes,
          events: process.log.events(stream: StreamID(rawValue: UInt32(index)), names: &names)
        )
      )
    }
    let device = world.deviceLog.events(
      stream: StreamID(rawValue: UInt32(streams.count)),
      names: &names
    )
    self.device = Stream(writer: world.deviceWriter, attributes: world.device, events: device)
    if !device.isEmpty { streams.append(self.device) }
    self.names = names
    self.streams = streams
    self.project = project
    self.scenario = scenario
    self.report = report
    guard !report.judgedLater.isEmpty else { return }
    var judged = report
    judged.judge(verdicts, labels: labels)
    self.report = judged
  }

  /// A checker that has seen all of it.
  public var checker: Checker { judged.checker }

  /// What every rule says, also of what `lifetrace.yml` suppresses.
  public var verdicts: [Verdict] { judged.verdicts }

  private var judged: FirstAsked.Outcome {
    interest.isShown.store(true, ordering: .relaxed)
    return firstAsked.outcome.withLock { outcome in
      if let outcome { return outcome }
      let checker = check()
      let new = FirstAsked.Outcome(checker: checker, verdicts: checker.finish())
      outcome = new
      return new
    }
  }

  private func check() -> Checker {
    let writers = streams.map {
      MemorySource.Writer(id: $0.writer, attributes: $0.attributes, events: $0.events)
    }
    return project.judgement.checker(of: MemorySource(writers, names: names))
  }

  /// How the streams are called: `notes#1`.
  public var labels: [String] { AppLife.labels(streams.map { ($0.writer, $0.attributes) }) }

  /// The rules that were broken, as errors; warnings are in ``violations(atLeast:)``.
  public var violations: [Verdict] { violations(atLeast: .error) }

  /// The rules that were broken, as gravely as that or more; what `lifetrace.yml` suppresses does not
  /// count.
  ///
  ///     #expect(life.violations(atLeast: .warning).isEmpty)
  public func violations(atLeast severity: Severity) -> [Verdict] {
    verdicts.filter {
      $0.outcome == .violated && $0.severity >= severity && project.counts($0)
    }
  }

  /// What could not be decided; each says why.
  public var undecided: [Verdict] {
    verdicts.filter {
      if case .undecidable = $0.outcome { project.counts($0) } else { false }
    }
  }

  /// The callbacks of the app, in order, by the names the system gives them.
  public func callbacks(app: String? = nil) -> [String] {
    streams.filter { app == nil || $0.attributes.app == app }.flatMap { stream in
      stream.events.filter { $0.kind == .callbackBegin }.map { names[names[$0.site].name] }
    }
  }
}

/// What the rules say of a life, from when they are first asked on.
private final class FirstAsked: Sendable {
  struct Outcome {
    var checker: Checker
    var verdicts: [Verdict]
  }

  let outcome = Mutex<Outcome?>(nil)
}
