// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetraceUnseen
import Dispatch
import LifetracePlatform
import LifetraceRules
import LifetraceTrace
import Synchronization

/// The work that a simulated app hands to tasks, actors, dispatch queues and threads.
///
///     work.enter()                  // app code runs from here
///     …                             // DispatchQueue.global().async { save() }
///     work.leave()                  // and no more; `save` has run when it returns
///
/// What is for the main queue (the jobs of the main actor too) and what is put off (Task.sleep,
/// asyncAfter) becomes items of the simulation, in virtual time. The rest runs on real threads, as
/// the app's, while virtual time stands still: it is let go when the app's code has returned, as
/// threads of a process begin only behind a callback of microseconds, and the simulation goes on when
/// all of it has ended. Code that waits for such work lets it go earlier.
///
/// Work that has not ended because it waits in real time, or that computes for longer than
/// ``Settling/computingMax``, is left alone, and what rests on it is undecidable from there on.
///
/// @unchecked: the state has a lock; the rest is constant.
final class FollowedWork: @unchecked Sendable {
  /// Nanoseconds of processor time after which app code that holds its work back no longer does.
  private static let holdingMax: Int64 = 50_000_000
  /// Pieces for the main queue at one moment; more of them take time, as everything does.
  private static let piecesAtOnceMax = 10_000

  /// The queue of the simulation on which sleep ends, and pieces that are put off are let go.
  static let delayedQueue = "delayed"

  /// A piece that waits; it is dropped with its app.
  ///
  /// @unchecked: it belongs to whoever has it, and is run or dropped once.
  final class Held: @unchecked Sendable {
    private var piece: lt_piece?
    private let queue: UnsafeMutableRawPointer?
    /// It is for when this is empty.
    let group: UnsafeMutableRawPointer?

    init(_ piece: lt_piece, after group: UnsafeMutableRawPointer? = nil) {
      (self.piece, self.group, queue) = (piece, group, piece.queue)
      for object in [queue, group] { if let object { lt_object_retain(object) } }
    }

    func take() -> lt_piece? { piece.take() }

    deinit {
      if let piece { piece.drop?(piece.argument) }
      for object in [queue, group] { if let object { lt_object_release(object) } }
    }
  }

  struct State {
    /// Begun, and not let go yet.
    var held: [Held] = []
    /// Counts up when they are let go.
    var openings: UInt64 = 0
    /// How deep the simulator's thread is in app code.
    var depth = 0
    /// Let go, and not ended.
    var running = 0
    /// Of these, those that wait for others.
    var parked = 0
    /// Of these, those that sleep in real time, as they have done in virtual time.
    var napping = 0
    /// Nanoseconds for which such sleep was waited for, while the simulator's thread waited, since the
    /// app's code was entered.
    var napped: Int64 = 0
    /// The simulator's thread waits for others, and lets virtual time pass for them itself.
    var isPassing = false
    /// Of these, those that are waited for no more.
    var given = 0
    /// The threads that run.
    var threads: [pid_t: Worker] = [:]
    /// What was seen of them when all of them waited for others.
    var quiet: [pid_t: ThreadFacts] = [:]
    /// How many had not begun then, as they stand behind those on their queue.
    var behind = 0
    /// For when the groups are empty.
    var groups: [Held] = []
    /// When the last piece was due that was put off, and how many were due then.
    var lastDue = Int64.min
    var countAtOnce = 0
    /// Why some are waited for no more.
    var stuckText: String?
    /// One of its threads has waited with a limit in real time.
    var hasLimit = false
    /// The sockets on which the app has begun to listen.
    var listening: Set<UInt64> = []
    /// What the app's code does on the simulator's thread, and how often that has changed.
    var main = Main.elsewhere
    var moves: UInt64 = 0
    /// Queues of the simulation that have a thread of their own.
    var aside: [String: DispatchQueue] = [:]
  }

  /// More sockets than this are not followed.
  static let listeningMax = 1000

  struct Worker {
    /// In the trace.
    var number: UInt32
    /// What it had computed before, in nanoseconds: threads are used again.
    var cpu: Int64
  }

  let state = Mutex(State())
  let log: EventLog
  weak var surroundings: VirtualSurroundings?
  /// Lets virtual time pass on the simulator's thread until something else has run, or until there;
  /// false when it is over.
  let whileWaiting: @Sendable (Int64) -> Bool
  /// Moves virtual time on to the next of what is due, until there at most, for the simulator's
  /// thread, which sleeps; false where nothing is.
  let whileMainSleeps: @Sendable (Int64) -> Bool
  /// Held by who does that.
  let goingOn = Mutex(())
  let ended = DispatchSemaphore(value: 0)
  /// The name of the app.
  let app: String
  private let follower = UnsafeMutablePointer<lt_follower>.allocate(capacity: 1)
  private let kinds = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

  init(
    app: String,
    log: EventLog,
    whileWaiting: @escaping @Sendable (Int64) -> Bool,
    whileMainSleeps: @escaping @Sendable (Int64) -> Bool
  ) {
    self.app = app
    self.log = log
    self.whileWaiting = whileWaiting
    self.whileMainSleeps = whileMainSleeps
    kinds.initialize(to: 0)
    follower.initialize(to: Self.follower(Unmanaged.passUnretained(self).toOpaque(), kinds))
  }

  deinit {
    follower.deallocate()
    kinds.deallocate()
  }

  /// What cannot be followed, in words; nil for nothing.
  var unseenText: String? {
    let words: [(UInt32, String)] = [
      (LT_UNSEEN_TASK, "a Task"), (LT_UNSEEN_DISPATCH, "work on a dispatch queue"),
      (LT_UNSEEN_THREAD, "a thread"), (LT_UNSEEN_SOURCE, "a dispatch source"),
      (LT_UNSEEN_TIMER, "a timer of a run loop"),
    ]
    let begun = words.filter { kinds.pointee & $0.0 != 0 }.map(\.1)
    let all = begun + (state.withLock(\.stuckText).map { [$0] } ?? [])
    return all.isEmpty ? nil : all.joined(separator: " and ")
  }

  /// A timer was made on the simulator's thread, which no run loop serves in virtual time.
  func noteTimer() { lt_unseen_add(kinds, LT_UNSEEN_TIMER) }

  /// What a thread of the app does behind a wait with a limit comes at another time than it should.
  static let limitText = "a wait with a limit in real time passed"

  func noteLimit() {
    let isNew = state.withLock { state in
      defer { state.hasLimit = true }
      return !state.hasLimit
    }
    guard isNew else { return }
    log.append(
      RecordedEvent {
        Payload.ProcessConfig(
          key: $0.name(UnseenWork.uninterruptedKey),
          value: $0.name(Self.limitText)
        )
      }
    )
  }

  // MARK: App code

  /// Who was followed on the simulator's thread before, and what ran there.
  struct Before {
    fileprivate var follower: UnsafeMutablePointer<lt_follower>?
    fileprivate var work: FollowedWork?
    fileprivate var main: Main
  }

  /// App code begins on the simulator's thread.
  func enter() -> Before {
    let main = change(to: .computing)
    state.withLock { ($0.depth, $0.napped) = ($0.depth + 1, 0) }
    let work = MainWatch.shared.enter(self)
    return Before(follower: lt_follow(follower, 0), work: work, main: main)
  }

  /// It has ended; returns when the work that it has begun has too.
  func leave(_ before: Before) {
    _ = lt_follow(nil, 0)
    change(to: .elsewhere)
    settle()
    state.withLock { $0.depth -= 1 }
    _ = MainWatch.shared.enter(before.work)
    change(to: before.main)
    _ = lt_follow(before.follower, 0)
  }

  /// Runs `body` as a thread of the app, of that number in the trace or of one that is free.
  func run(as number: UInt32? = nil, _ body: () -> Void) {
    let id = ThreadFacts.current
    let cpu = CallbackTime.read(CLOCK_THREAD_CPUTIME_ID)
    let number = state.withLock { state in
      let taken = Set(state.threads.values.map(\.number))
      let number = number ?? (UInt32(2001)...).first { !taken.contains($0) } ?? 2001
      state.threads[id] = Worker(number: number, cpu: cpu)
      return number
    }
    let sink = lt_sink_enter(log.sink)
    let before = lt_follow(follower, number)
    body()
    _ = lt_follow(before, 0)
    lt_sink_leave(sink)
    state.withLock { state in
      state.threads[id] = nil
      state.running -= 1
      state.given = min(state.given, max(0, state.running))
    }
    ended.signal()
  }

  // MARK: What is handed over

  func take(_ piece: lt_piece) {
    let main = lt_is_main_queue(piece.queue)
    if main || piece.delay > 0 {
      later(piece, onMain: main)
    } else {
      let held = Held(piece)
      // The first one to be held tells which opening it waits for.
      let (isHeld, opening): (Bool, UInt64?) = state.withLock { state in
        guard state.depth > 0, lt_followed_number() == 0 else { return (false, nil) }
        state.held.append(held)
        return (true, state.held.count == 1 ? state.openings : nil)
      }
      guard isHeld else { return send(held) }
      guard let opening else { return }
      let thread = ThreadFacts.current
      watch(thread, opening, since: ThreadFacts(thread)?.cpu ?? 0, nil)
    }
  }

  private func later(_ piece: lt_piece, onMain: Bool) {
    let held = Held(piece)
    // The process has ended, or the time never comes.
    guard let surroundings else { return }
    var due = surroundings.time(in: piece.delay)
    guard due < .max else { return }
    due = state.withLock { state in
      if due != state.lastDue { (state.lastDue, state.countAtOnce) = (due, 0) }
      state.countAtOnce += 1
      return state.countAtOnce > Self.piecesAtOnceMax ? due + 1_000_000 : due
    }
    surroundings.enqueue(queue: onMain ? "main" : Self.delayedQueue, due: due) { [weak self] in
      guard onMain else {
        self?.send(held)
        return
      }
      if let piece = held.take() { piece.run(piece.argument) }
    }
  }

  func takeAfter(_ group: UnsafeMutableRawPointer, _ piece: lt_piece) {
    let held = Held(piece, after: group)
    state.withLock { $0.groups.append(held) }
  }

  private final class Handed {
    let work: FollowedWork
    let piece: lt_piece
    init(_ work: FollowedWork, _ piece: lt_piece) { (self.work, self.piece) = (work, piece) }
  }

  /// Lets a piece run on its queue.
  private func send(_ held: Held) {
    guard let piece = held.take() else { return }
    expect(1)
    let handed = Unmanaged.passRetained(Handed(self, piece)).toOpaque()
    lt_hand_over(piece.queue, piece.is_barrier, handed) { handed in
      guard let handed else { return }
      let this = Unmanaged<Handed>.fromOpaque(handed).takeRetainedValue()
      this.work.run { this.piece.run(this.piece.argument) }
    }
  }

  func expect(_ count: Int) { state.withLock { $0.running += count } }

  /// Lets go what waits for the end of the app's code.
  func open() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.openings += 1
      return state.held
    }
    for piece in held { send(piece) }
  }

  /// Lets it go too where the app's code waits for it in a way of its own, such as on a lock.
  ///
  /// It waits if it sleeps twice in a row, or computes for long.
  private func watch(_ thread: pid_t, _ opening: UInt64, since begin: Int64, _ last: ThreadFacts?) {
    DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + 0.003) {
      [weak self] in
      guard let self, state.withLock({ $0.openings == opening && !$0.held.isEmpty }) else { return }
      guard let facts = ThreadFacts(thread) else { return open() }
      let waits = facts.isAsleep && facts == last
      if waits || facts.cpu - begin > Self.holdingMax { return open() }
      watch(thread, opening, since: begin, facts)
    }
  }
}
