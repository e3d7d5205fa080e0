// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What keeps an app running in the background: background tasks, wakes that are not completed, and
// services with a background mode.

extension RuleContext {
  /// How many such things are open.
  ///
  /// A wake that a suspension has cut short is over.
  var assertions: Int { assertions(upTo: .max) }

  /// Whether the one that ends with the event is the last.
  var isLastAssertion: Bool { assertions(upTo: 2) <= 1 }

  /// No more than `limit` are counted, as there may be thousands.
  private func assertions(upTo limit: Int) -> Int {
    let slept = state.lastSuspended ?? HostTime(rawValue: .min)
    var count = state.tasks.count
    for wake in state.wakes.values {
      if count >= limit { break }
      if wake.time > slept { count += 1 }
    }
    return count
  }

  /// Whether a service with a background mode keeps the app running, or did at `time`.
  func isServed(since time: HostTime, _ names: borrowing Names) -> Bool {
    if history.served >= time { return true }
    for resource in state.resources.values where resource.isService(names) { return true }
    return false
  }

  /// Whether the app is on its way to the screen: willEnterForeground runs.
  func isComingForward(_ names: borrowing Names) -> Bool {
    hasOpenCall { span in
      span.kind == .callbackBegin
        && Callback(named: names[names[span.site].name]) == .willEnterForeground
    }
  }

  /// Whether an expiration handler runs that had begun at `time`: the time in the background is up.
  func isExpiring(at time: HostTime, _ names: borrowing Names) -> Bool {
    hasOpenCall { span in
      span.kind == .callbackBegin && span.time <= time
        && Callback(named: names[names[span.site].name]) == .expirationHandler
    }
  }

  /// How work stands that nothing keeps running now.
  enum Cover {
    /// Nothing did while it ran.
    case none
    /// Something did, and was over that long before, in nanoseconds.
    case ended(History.Release, Int64)
  }

  /// The cover of `span` at a time when no task and no wake is open.
  func cover(of span: OpenSpan, at time: HostTime) -> Cover {
    guard let release = history.release, release.time >= span.time else { return .none }
    return .ended(release, time - release.time)
  }

  /// Whether work went on when what covered it was over, and was not in its last lines then.
  ///
  /// A thread may be slow in those, and longer than a shortened delay of the suspension; then only
  /// work counts that had hardly begun, or that another thread has uncovered.
  func isCutShort(_ span: OpenSpan, by release: History.Release, _ tail: Int64) -> Comparison {
    let limit = profile.taskTail.warn
    if tail > surely(limit) { return .over }
    guard tail > scaled(limit) else { return .within }
    if release.thread == span.thread {
      return .unclear(
        "it went on for \(duration: tail), and at full speed work that takes up to "
          + "\(duration: limit) is in its last lines: only the time scale makes \(words(tail)) of it"
      )
    }
    return tail > release.time - span.time ? .over : .within
  }

  /// The end of the background task that was begun for something, while that went on.
  ///
  /// It began with the event `work` on `thread`. Nil where no task is known to have been for it: the
  /// end of another's is not to blame.
  func taskEnd(during work: UInt64, on thread: ThreadID) -> History.Release? {
    history.taskEnds.last {
      $0.release.sequence > work
        && $0.task.isFor(work, on: thread, endedOn: $0.release.thread, in: $0.item)
    }?.release
  }

  /// The call of didEnterBackground that began this stay in the background and has returned.
  ///
  /// Nil while it runs, with all that its turn of the run loop does; nil too where the app was woken
  /// since, or is not in the background.
  var returnFromEntering: History.Run? { returned { $0.time <= $1.begin } }

  /// The same where the order of the events alone decides: in virtual time, what the main queue runs
  /// behind it comes at its very time.
  var returnFromEnteringInOrder: History.Run? { returned { $0.sequence < $1.beginSequence } }

  private func returned(_ isAround: (OpenSpan, History.Run) -> Bool) -> History.Run? {
    guard state.appState == .background, state.process.renewed == nil,
      let run = history.run(of: .didEnterBackground), run.begin >= state.stateSince
    else { return nil }
    let isRunning = hasOpenCall { $0.thread == .main && isAround($0, run) }
    return isRunning ? nil : run
  }

  /// Why it is not known what kept the app running since `time`.
  func doubtCover(since time: HostTime) -> Sentence? {
    if let doubt = unseen(.task, since: time) {
      return "a background task may be missing: \(doubt)"
    }
    return unseen(.wake, since: time).map { "a wake may be missing: \($0)" }
  }

  /// The same, where a service with a background mode would do as well, whenever it was started.
  func doubtLuck(since time: HostTime) -> Sentence? {
    doubtCover(since: time)
      ?? unseen(.resource, since: HostTime(rawValue: .min)).map {
        "a service may be missing: \($0)"
      }
  }

  /// Why it is not known whether `span` has ended.
  func doubtEnd(of span: OpenSpan) -> Sentence? {
    doubt(.work, since: span.time).map { "its end may be missing: \($0)" }
  }
}

extension HeldResource {
  /// Whether it is a service with a background mode, which keeps the app running while it is held.
  func isService(_ names: borrowing Names) -> Bool {
    resourceClass == .other && names[attribute] == "background-service"
  }
}

// MARK: - What work holds

extension RuleContext {
  /// What `span` holds that others wait for, or that is not whole: a lock, a save, a shared file.
  func holding(_ span: OpenSpan, _ names: borrowing Names) -> Holding? {
    for object in state.data.values {
      if let flush = object.flushing, flush.thread == span.thread {
        return .save(object.name, flush)
      }
    }
    for resource in state.everyHold {
      let isShared = names[resource.attribute] == "shared"
      let isSeen = history.isOnlySeen(resource)
      switch resource.resourceClass {
      case .lock where isSeen || isShared && resource.thread == span.thread: return .lock(resource)
      case .file where isShared && resource.thread == span.thread: return .file(resource)
      default: continue
      }
    }
    return nil
  }

  enum Holding {
    case save(NameID, DataObject.Flush)
    case lock(HeldResource)
    case file(HeldResource)
  }
}
