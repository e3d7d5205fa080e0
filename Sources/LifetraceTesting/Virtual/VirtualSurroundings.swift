// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceApp
import Synchronization

/// The world of a simulated app: its queues are lists, its clock is virtual, its host listens.
final class VirtualSurroundings: Surroundings {
  /// A piece of work that waits for its time.
  struct Item: Sendable {
    var due: Int64
    var number: UInt64
    var queue: String
    var work: @Sendable () -> Void
  }

  struct Waiting {
    /// In order of due time, then of arrival; the next one is last.
    var items: [Item] = []
    var messages: [AppMessage] = []
    var lastNumber: UInt64 = 0
    /// The background tasks that the app holds.
    var tasks: Set<UInt64> = []
    /// What it said of its services: running or not, by mode.
    var services: [String: Bool] = [:]
  }

  let system: HostLine.Welcome
  private let configuration: AppConfiguration
  let clock: VirtualClock
  private let folder: @Sendable () -> String?
  let waiting = Mutex(Waiting())
  /// A suspended app's items wait; those that became due meanwhile run late, at its resume.
  let isSuspended = Atomic(false)
  /// Told when app code lets time pass, so that other queues run meanwhile.
  private let whilePassing: @Sendable (Int64) -> Void

  init(
    system: HostLine.Welcome,
    configuration: AppConfiguration,
    clock: VirtualClock,
    folder: @escaping @Sendable () -> String?,
    whilePassing: @escaping @Sendable (Int64) -> Void
  ) {
    self.system = system
    self.configuration = configuration
    self.clock = clock
    self.folder = folder
    self.whilePassing = whilePassing
  }

  /// When the system ends the process, if it is not through with its event by then.
  let cutoff = Atomic(Int64.max)

  /// The process has ended in the middle of what its code does: nobody hears of the rest.
  let hasFallen = Atomic(false)

  var now: Int64 { clock.now }
  var isOver: Bool { clock.now > cutoff.load(ordering: .relaxed) }
  var dataDirectory: String? { folder() }

  func send(_ message: AppMessage) {
    guard !hasFallen.load(ordering: .relaxed) else { return }
    waiting.withLock { waiting in
      waiting.messages.append(message)
      switch message {
      case .taskBegan(let id, _): waiting.tasks.insert(id)
      case .taskEnded(let id): waiting.tasks.remove(id)
      case .service(let mode, let runs): waiting.services[mode] = runs
      default: break
      }
    }
  }

  /// Whether a background task of the app, or its background mode, keeps it from being suspended.
  var isHeldAwake: Bool {
    waiting.withLock { !$0.tasks.isEmpty || configuration.runsOn($0.services) }
  }

  /// Whether the app has ended what kept it running, and the director has yet to hear of it.
  var isDone: Bool {
    guard !isHeldAwake else { return false }
    return waiting.withLock { waiting in
      waiting.messages.contains { message in
        switch message {
        case .taskEnded, .completed, .callReported: true
        default: false
        }
      }
    }
  }

  func pause(nanoseconds: Int64) { whilePassing(time(in: nanoseconds)) }

  func enqueue(
    _ work: @escaping @Sendable () -> Void,
    on queue: WorkQueue,
    after delay: Int64
  ) {
    enqueue(queue: queue.label, due: time(in: delay), work)
  }

  func enqueue(queue: String, due: Int64, _ work: @escaping @Sendable () -> Void) {
    waiting.withLock { waiting in
      waiting.lastNumber += 1
      let item = Item(due: due, number: waiting.lastNumber, queue: queue, work: work)
      let place = waiting.items.firstIndex { $0.due <= due } ?? waiting.items.count
      waiting.items.insert(item, at: place)
    }
  }

  /// A simulated process ends when its host says so.
  func endProcess() {}

  /// When the next item is due; main-queue items count only when main is free.
  func nextDue(mainIsFree: Bool) -> Int64? {
    waiting.withLock { waiting in
      waiting.items.last { mainIsFree || $0.queue != "main" }?.due
    }
  }

  /// Takes the next item that is due by `time`.
  func take(by time: Int64, mainIsFree: Bool) -> Item? {
    waiting.withLock { waiting in
      let next = waiting.items.lastIndex { mainIsFree || $0.queue != "main" }
      guard let next, waiting.items[next].due <= time else { return nil }
      return waiting.items.remove(at: next)
    }
  }

  /// Drops what waits for its time.
  func letGo() {
    // Behind the lock: with it may go what asks for it.
    let items = waiting.withLock { waiting in
      defer { waiting.items = [] }
      return waiting.items
    }
    _ = consume items
  }

  func takeMessages() -> [AppMessage] {
    waiting.withLock { waiting in
      guard !waiting.messages.isEmpty else { return [] }
      defer { waiting.messages.removeAll(keepingCapacity: true) }
      return waiting.messages
    }
  }
}
