// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen
import Dispatch
import LifetracePlatform
import Synchronization

/// A thread that looks on while app code runs on that of the simulator, so that no test hangs in silence.
///
///     MainWatch.shared.watch { try director.play() }
///
/// All apps of a simulation run on one thread, which moves virtual time on. Where app code waits
/// there for what only others can do, this thread goes on in its place: at once where the wait is
/// known (a queue, a condition, a semaphore, a thread), after ``silentMax`` where it is any other for a
/// thread of this process. Code that waits for something else, or computes, has virtual time pass
/// with real time after ``realMax``, and what rests on it is undecidable from there on.
///
/// Where nothing is left that could end a wait, it is named after ``Standstill/limit`` and the process
/// ended: nobody can get a thread out of such a call. What ends it may wait for a thread on which other
/// tests compute; that time is not counted (``PoolTime``).
final class MainWatch: Sendable {
  static let shared = MainWatch()
  /// That of the simulator, which is not the process's first one where that has ended in
  /// `dispatchMain`: the main queue is served by another one then.
  static var thread: pid_t { shared.simulator.load(ordering: .relaxed) }
  private let simulator = Atomic<pid_t>(0)

  /// Nanoseconds of real time between two looks.
  private static let interval: Int64 = 3_000_000
  /// The same while app code is known to wait.
  private static let shortInterval: Int64 = 200_000
  /// Nanoseconds that a thread may sleep because others hold a lock for a moment, on a busy machine.
  private static let silentMax: Int64 = 100_000_000
  /// Nanoseconds of real time after which virtual time passes with it.
  private static let realMax: Int64 = 1_000_000_000
  /// Nanoseconds that one look counts at most: a debugger may have held the process.
  private static let lookMax: Int64 = 50_000_000

  private struct State {
    var plays = 0
    var isRunning = false
    var work: FollowedWork?
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Runs `body`, in which app code may run on this thread.
  func watch<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begins = state.withLock { state in
      defer { (state.plays, state.isRunning) = (state.plays + 1, true) }
      return !state.isRunning
    }
    simulator.store(ThreadFacts.current, ordering: .relaxed)
    if begins { begin() }
    look()
    defer { state.withLock { $0.plays -= 1 } }
    return try body()
  }

  /// App code of that app runs from here on; returns whose did before.
  func enter(_ work: FollowedWork?) -> FollowedWork? {
    state.withLock { state in
      defer { state.work = work }
      return state.work
    }
  }

  /// Looks soon.
  func look() { wake.signal() }

  private func begin() {
    var thread = pthread_t()
    // Without it nothing but the watching is missing.
    let error = pthread_create(&thread, nil, { _ in MainWatch.shared.run() }, nil)
    if error == 0 { pthread_detach(thread) }
  }

  private func run() -> Never {
    var stretch: Stretch?
    while true {
      let (isPlaying, work) = state.withLock { ($0.plays > 0, $0.work) }
      guard isPlaying else {
        stretch = nil
        wake.wait()
        continue
      }
      if let work {
        if stretch?.work !== work { stretch = Stretch(work) }
        stretch?.look()
      }
      let interval = stretch?.isKnown == true ? Self.shortInterval : Self.interval
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(interval)))
    }
  }

  /// App code from one call of the simulation to the next, as it is seen from outside.
  private struct Stretch {
    let work: FollowedWork
    private var moves: UInt64 = 0
    /// It waits in a call that is known.
    private(set) var isKnown = false
    private var facts: ThreadFacts?
    private var others: [pid_t: ThreadFacts] = [:]
    private var looked: Int64 = 0
    /// Nanoseconds for which it has lasted, and for which it has done nothing.
    private var lasted: Int64 = 0
    private var still: Int64 = 0
    /// What of that counts, behind ``realMax``.
    private var pool = PoolTime()
    /// When virtual time began to pass with real time: by the one and by the other.
    private var paced: (virtual: Int64, lasted: Int64)?
    private var isReported = false

    init(_ work: FollowedWork) { self.work = work }

    mutating func look() {
      let (main, moves) = work.state.withLock { ($0.main, $0.moves) }
      if case .waiting = main { isKnown = true } else { isKnown = false }
      let now = CallbackTime.read(CLOCK_MONOTONIC)
      if moves != self.moves {
        self = Stretch(work)
        (self.moves, looked) = (moves, now)
        // Whatever is no known wait is looked at when it has lasted.
        guard case .waiting = main else { return }
        isKnown = true
      }
      guard main != .elsewhere, main != .sleeping, let facts = ThreadFacts(MainWatch.thread) else {
        return
      }
      let wall = min(now - looked, MainWatch.lookMax)
      // Awake it may stand in the queue for a processor, or wait for a disk: it computes as it is given.
      let passed = facts.isAsleep ? wall : min(wall, facts.cpu - (self.facts?.cpu ?? facts.cpu))
      let others = facts.isAsleep ? work.threadFacts : [:]
      let isStill = facts.isAsleep && facts == self.facts && others == self.others
      (lasted, still) = (lasted + passed, isStill ? still + passed : 0)
      if still > MainWatch.realMax { pool.look(at: now) } else { pool = PoolTime() }
      (self.facts, self.others, looked) = (facts, others, now)
      goOn(facts)
    }

    /// Goes on in its place if that is due.
    private mutating func goOn(_ facts: ThreadFacts) {
      let waitsForThreads = isKnown || still > MainWatch.silentMax && Self.waitsForThreads
      if waitsForThreads, facts.isAsleep {
        while work.goOn(moves: moves, as: facts, until: { .max }) { still = 0 }
      }
      guard max(still, waitsForThreads ? 0 : lasted) > MainWatch.realMax else { return }
      work.noteOutside(waitsForThreads ? "a wait of main" : "a call on main for seconds")
      if !waitsForThreads { pace(facts) }
      if still > MainWatch.realMax, MainWatch.realMax + pool.passed > Standstill.limit {
        Standstill.end(work)
      } else if still == 0, lasted > Standstill.limit, !isReported {
        isReported = true
        Standstill.report(work)
      }
    }

    private static var waitsForThreads: Bool { lt_waits_for_threads(MainWatch.thread) }

    /// Virtual time passes with real time.
    private mutating func pace(_ facts: ThreadFacts) {
      guard let clock = work.surroundings?.clock else { return }
      let begin = paced ?? (clock.now, lasted)
      paced = begin
      let limit = begin.virtual + lasted - begin.lasted
      while work.goOn(moves: moves, as: facts, until: { limit }) {}
    }
  }
}
