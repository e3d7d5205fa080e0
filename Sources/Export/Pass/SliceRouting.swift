// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// Where an event that begins something puts its slice.
enum SliceRoute: Hashable {
  /// On the lane of its thread, inside what the thread is doing.
  case thread(ThreadID)
  /// On a lane of its queue, or of what is done without a thread of its own.
  case queue(NameID)
  /// On a lane of what the process has of one family.
  case group(LaneGroup)

  /// The route of a begin; nil for kinds that begin nothing.
  @inline(__always)
  init?(_ event: borrowing Event, _ names: borrowing Names) {
    switch event.kind.rawValue {
    case EventKind.callbackBegin.rawValue, EventKind.turnBegin.rawValue,
      EventKind.waitBegin.rawValue:
      self = .thread(event.thread)
    case EventKind.workBegin.rawValue:
      let work = Payload.WorkBegin(event)
      let queue = names.known(work.queue ?? .empty)
      let thread = event.thread
      let isOfThread = work.async != true && (thread == .main || queue == .empty)
      self = isOfThread ? .thread(thread) : .queue(queue)
    case EventKind.taskBegin.rawValue:
      // A refused one is no task.
      guard !Payload.TaskBegin(event).isRefused else { return nil }
      self = .group(.tasks)
    case EventKind.wakeBegin.rawValue: self = .group(.wakes)
    case EventKind.deadlineOpen.rawValue: self = .group(.deadlines)
    case EventKind.resourceAcquire.rawValue: self = .group(.resources)
    case EventKind.testBegin.rawValue: self = .group(.tests)
    default: return nil
    }
  }
}

/// What a process has one lane of, or one each of what overlaps, in the order of the picture.
enum LaneGroup: Int, CaseIterable {
  case violations, state, tasks, wakes, deadlines, notifications, messages, resources, tests, events
  case waiting, unsaved, footprint, cpu

  /// What people read beside it.
  var name: String {
    switch self {
    case .tasks: "background tasks"
    case .waiting: "waiting notifications"
    case .unsaved: "unsaved"
    case .footprint: "memory footprint"
    default: "\(self)"
    }
  }

  /// What piles up, in numbers.
  static let counters: [LaneGroup] = [.waiting, .unsaved, .footprint, .cpu]

  /// The place of one that is a counter among those.
  var counter: Int { rawValue - LaneGroup.waiting.rawValue }

  /// Before the threads stand the first two, behind them the others.
  var rank: Int { rawValue < 2 ? rawValue : 1_000_000 + rawValue }

  var kind: Lane.Kind {
    switch self {
    case .waiting: .counter(.count)
    case .unsaved, .footprint: .counter(.bytes)
    case .cpu: .counter(.percent)
    default: .group
    }
  }
}

extension EventKind {
  /// The kind that begins what this one ends; nil where it ends nothing that has a slice.
  @inline(__always)
  var opening: EventKind? {
    switch rawValue {
    case EventKind.callbackEnd.rawValue: .callbackBegin
    case EventKind.turnEnd.rawValue: .turnBegin
    case EventKind.workEnd.rawValue: .workBegin
    case EventKind.waitEnd.rawValue: .waitBegin
    case EventKind.taskEnd.rawValue: .taskBegin
    case EventKind.wakeCompletion.rawValue: .wakeBegin
    case EventKind.deadlineClose.rawValue: .deadlineOpen
    case EventKind.testEnd.rawValue: .testBegin
    default: nil
    }
  }
}

extension KindSet {
  /// The kinds of slices that stand on lanes of threads, with those that end them.
  static let nesting = KindSet([
    .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .workBegin, .workEnd, .waitBegin, .waitEnd,
  ])

  /// The kinds that end a slice.
  static let sliceEnds = KindSet(
    KindInfo.all.lazy.map(\.kind).filter { $0.opening != nil } + [.resourceRelease]
  )

  /// Those and the kinds that begin one.
  static let slices = KindSet(
    KindInfo.all.lazy.map(\.kind).filter { sliceEnds.contains($0) }
      .flatMap { [$0, $0.opening ?? .resourceAcquire] }
  )

  /// The kinds whose identity is the name of what they are about.
  static let namedByIdentity = KindSet(
    KindInfo.all.lazy.filter { $0.identity?.type == .name }.map(\.kind)
  )
}
