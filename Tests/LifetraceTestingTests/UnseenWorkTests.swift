// SPDX-License-Identifier: Apache-2.0
import ConcurrentCore
import Dispatch
import Foundation
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceLifecycle
import LifetraceRules
import LifetraceTesting
import LifetraceTrace
import Support
import Synchronization
import Testing

/// Correct apps save in tasks, on queues and in threads, and are called correct; who loses data is
/// accused as in a process. (Both worlds are compared in ConcurrencyTests.)
///
/// What cannot be followed accuses nobody.
@Suite("Work of tasks, queues and threads in virtual time")
@MainActor
struct UnseenWorkTests {
  private static let scenario = """
    app: notes
    steps:
    - launch
    - home
    - suspend
    - purge
    - relaunch
    """

  private func play(
    _ steps: String = scenario,
    task: Bool = true,
    _ save: (@MainActor @Sendable (@escaping @Sendable () -> Void) -> Void)?
  ) throws -> SimulatedLife {
    let scenario = try Scenario(parsing: steps, file: "unseen.yml")
    let folder = try TestFolder()
    return try Simulator(scenario) {
      Saver(save, path: folder.path + "/list.json", usesTask: task)
    }.play()
  }

  @Test("A wake is answered by such work", arguments: ConcurrentSave.followed)
  func answersWakes(form: ConcurrentSave) throws {
    let steps = Self.scenario.replacing("- purge", with: "- wake: fetch\n- suspend\n- purge")
    let life = try play(steps) { form.run($0) }
    #expect(life.violations.isEmpty, "\(life.violations)")
    #expect(life.undecided.filter { $0.rule != "BT01" }.isEmpty, "\(life.undecided)")
    #expect(life.report.failures.isEmpty, "\(life.report.failures)")
    #expect(life.events(.wakeCompletion).count == 1)
  }

  @Test("Who begins none is accused", arguments: [true, false])
  func isBroken(task: Bool) throws {
    let rules = try play(task: task, nil).violations.map(\.rule)
    #expect(rules.contains("DS02"), "\(rules)")
    #expect(rules.contains(task ? "BT01" : "DS01"), "\(rules)")
  }

  @Test("What is put off passes in virtual time, in order")
  func isVirtual() throws {
    let begin = ContinuousClock.now
    let life = try play("app: notes\nsteps: [launch, {wake: fetch}, {wait: 20s}]\n") { done in
      Task {
        try? await Task.sleep(for: .seconds(10))
        Lifetrace.mark("ten")
        try? await Task.sleep(for: .seconds(5))
        Lifetrace.mark("fifteen")
        done()
      }
      DispatchQueue.main.asyncAfter(deadline: .now() + 12) { Lifetrace.mark("twelve") }
    }
    #expect(begin.duration(to: .now) < .seconds(5))
    let named = life.events(.mark).map { (life.words($0), $0.time.rawValue / 1_000_000) }
      .filter { ["ten", "twelve", "fifteen"].contains($0.0) }
    #expect(named.map(\.0) == ["ten", "twelve", "fifteen"])
    let times = named.map(\.1)
    // A deadline is counted from when it was made, which a busy machine may have kept waiting.
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(zip(gaps, [2_000, 3_000]).allSatisfy { abs($0 - $1) < 200 }, "\(times)")
    #expect(life.undecided.isEmpty, "\(life.undecided)")
  }

  @Test("What a suspension stops goes on at the resume")
  func isFrozen() throws {
    let steps = "app: notes\nsteps: [launch, home, suspend, {wait: 60s}, open, {wait: 1s}]\n"
    let life = try play(steps, task: false) { ConcurrentSave.longTask.run($0) }
    #expect(life.violations.map(\.rule).contains("DS01"), "\(life.violations)")
    let order = life.streams[0].events.map(\.kind)
    let resume = try #require(order.firstIndex(of: .resume))
    let durable = try #require(order.firstIndex(of: .dataDurable))
    #expect(durable > resume)
  }

  @Test("A callback that sleeps takes that time", arguments: [true, false])
  func sleeps(isMain: Bool) throws {
    let life = try play { done in
      if isMain { usleep(300_000) } else { Thread.sleep(forTimeInterval: 0.3) }
      done()
    }
    let spans = life.streams[0].events.filter {
      [.callbackBegin, .callbackEnd].contains($0.kind)
        && life.words($0) == "applicationDidEnterBackground"
    }
    #expect(spans.count == 2)
    let took = (spans.last?.time.rawValue ?? 0) - (spans.first?.time.rawValue ?? 0)
    #expect((300_000_000..<330_000_000).contains(took), "\(took)")
  }

  @Test("What cannot be followed is undecidable, and the trace says from where on")
  func isUndecidable() throws {
    let all: [(String, Saver.Save)] = [
      ("a dispatch source", { Sources.begin($0) }),
      ("a timer of a run loop", { ConcurrentSave.timer.run($0) }),
      (
        "work that waits in real time",
        { done in
          Thread.detachNewThread {
            let lock = NSCondition()
            lock.lock()
            lock.wait()
            done()
          }
        }
      ),
      (
        "work that computes for seconds",
        { done in
          DispatchQueue.global().async {
            Busy.compute(milliseconds: 1_400)
            done()
          }
        }
      ),
    ]
    for (what, save) in all {
      let life = try play(task: false, save)
      #expect(life.violations.isEmpty, "\(what): \(life.violations)")
      let data = life.undecided.filter { ["DS01", "DS02"].contains($0.rule) }
      #expect(!data.isEmpty, "\(what)")
      for verdict in data {
        guard case .undecidable(let reason) = verdict.outcome else { continue }
        #expect("\(reason)".contains(what), "\(reason)")
        #expect("\(reason)".contains("which virtual time does not follow"), "\(reason)")
      }
      let begun = life.streams[0].events.filter {
        $0.kind == .processConfig && life.names[$0.identityName] == UnseenWork.key
      }
      #expect(begun.count == 1, "\(what)")
    }
  }

  @Test("Behind a wait with a limit in real time nothing is called kept, nor broken")
  func hasLimit() throws {
    let life = try play(task: false) { done in
      Thread.detachNewThread {
        let lock = NSCondition()
        lock.lock()
        _ = lock.wait(until: Date(timeIntervalSinceNow: 0.15))
        done()
      }
    }
    #expect(life.violations.isEmpty, "\(life.violations)")
    let verdict = try #require(life.undecided.first { $0.rule == "DS01" }, "\(life.verdicts)")
    guard case .undecidable(let reason) = verdict.outcome else { return }
    #expect("\(reason)".contains("a wait with a limit in real time"), "\(reason)")
  }

  @Test("A callback that computes for seconds is not judged, and that is said")
  func realTime() throws {
    var hasty = Profile.standard
    hasty.enterBackground = Profile.Limit(0.5)
    let scenario = try Scenario(parsing: Self.scenario, file: "busy.yml")
    let life = try Simulator(
      scenario,
      profile: hasty,
      apps: [(.init(bundleIdentifier: "notes"), { Busy() })]
    ).play()
    let verdict = try #require(life.undecided.first { $0.rule == "DL02" }, "\(life.verdicts)")
    guard case .undecidable(let reason) = verdict.outcome else { return }
    let ends = life.streams[0].events.filter { $0.kind == .callbackEnd }
    let slow = ends.compactMap { Payload.CallbackEnd($0).cpu }.filter { $0 > 0 }
    #expect(slow.count == 1 && slow[0] >= 1_000_000_000, "\(slow)")
    #expect("\(reason)".contains("of real time, and virtual time does not judge it"), "\(reason)")
  }
}

extension SimulatedLife {
  fileprivate func words(_ event: Event) -> String { names[names[event.site].name] }
}

/// A timer that outlives the call that makes it.
@MainActor
private enum Sources {
  static var timers: [any DispatchSourceTimer] = []

  static func begin(_ save: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 0.002)
    timer.setEventHandler(handler: save)
    timer.resume()
    timers.append(timer)
  }
}

/// An app that keeps one list, edits it when it is launched, and saves it on its way out.
@MainActor
private final class Saver: ApplicationDelegate {
  typealias Save = @MainActor @Sendable (@escaping @Sendable () -> Void) -> Void
  private let save: Save?
  private let list = Lifetrace.Object("list.json")
  private let path: String
  private let usesTask: Bool

  init(_ save: Save?, path: String, usesTask: Bool) {
    self.save = save
    self.path = path
    self.usesTask = usesTask
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    _ = try? Lifetrace.restore(list, from: path)
    list.dirty(bytes: 8)
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    let task = usesTask ? application.beginBackgroundTask(withName: "save") {} : .invalid
    save { if task != .invalid { application.endBackgroundTask(task) } }
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { save { completionHandler(.newData) } }

  private func save(_ done: @escaping @Sendable () -> Void) {
    let (list, path) = (self.list, self.path)
    save? {
      try? Lifetrace.save(list, to: path) { Array("contents".utf8) }
      done()
    }
  }
}

/// Computes for a while on its way to the background.
@MainActor
private final class Busy: ApplicationDelegate {
  func applicationDidEnterBackground(_ application: Application) {
    Self.compute(milliseconds: 1_050)
  }

  nonisolated static func compute(milliseconds length: Int) {
    var used = timespec()
    func milliseconds() -> Int {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
      return used.tv_sec * 1_000 + used.tv_nsec / 1_000_000
    }
    let begin = milliseconds()
    while milliseconds() < begin + length {}
  }
}
