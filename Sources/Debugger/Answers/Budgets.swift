// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A time budget that runs: of the app's own, or of the system for a wake, a callback or a task.
struct Budget {
  /// Whose it is.
  enum Source {
    case app, wake, callback, task
  }

  var source: Source
  var what: String
  /// Nanoseconds on a device: as the app has set it, or as the profile has it.
  var nominal: Int64
  /// The same on the clock of the recording.
  var budget: Int64
  /// Nanoseconds of it that are used up; nil where that is not known, as of CPU time.
  var used: Int64?
  /// When it began, on the clock of the host.
  var time: HostTime
  var sequence: UInt64

  /// What is left on the clock of the recording; below 0 it is missed.
  var left: Int64? { used.map { budget.subtractingSaturated($0) } }
}

extension Session {
  /// The budgets that run at `now`, oldest first; those of the system come from the profile.
  func budgets(of state: LifeState, _ stream: StreamID, at now: HostTime) -> [Budget] {
    let attributes = player.timeline.streams[Int(stream.rawValue)].attributes
    let names = player.names
    var budgets = state.deadlines.values.map { deadline in
      Budget(
        source: .app,
        what: names[deadline.what],
        nominal: deadline.budget,
        budget: deadline.budget,
        used: deadline.countsCPU ? nil : now - deadline.time,
        time: deadline.time,
        sequence: deadline.sequence
      )
    }
    func add(
      _ source: Budget.Source,
      _ what: String,
      _ limit: Int64,
      used: Int64,
      _ time: HostTime,
      _ sequence: UInt64
    ) {
      budgets.append(
        Budget(
          source: source,
          what: what,
          nominal: limit,
          budget: attributes.scaled(limit),
          used: used,
          time: time,
          sequence: sequence
        )
      )
    }
    for wake in state.wakes.values {
      let reason = names[wake.reason]
      // What has no completion handler has no time for it; that of a VoIP push is for the report alone.
      guard Profile.hasCompletion(wake: reason) else { continue }
      let limit = reason == "voip" ? profile.wakeHandler : profile.limit(ofWake: reason)
      let what = Self.words(of: wake, names)
      add(.wake, what, limit.kill, used: now - wake.time, wake.time, wake.sequence)
    }
    for span in state.spans.values where span.kind == .callbackBegin {
      guard let callback = Callback(named: names[names[span.site].name]),
        let limit = profile.limit(of: callback)
      else { continue }
      let used = state.running(
        since: span.time,
        suspendedBefore: span.suspendedBefore,
        until: now
      )
      add(.callback, name(of: span), limit.warn, used: used, span.time, span.sequence)
    }
    for task in state.tasks.values {
      guard
        let clock = state.backgroundClock(of: task, until: now, profile, scaled: attributes.scaled)
      else { continue }
      let what = "task \"\(names[task.name])\""
      add(.task, what, clock.limit, used: clock.held, clock.since, task.sequence)
    }
    return budgets.sorted { $0.sequence < $1.sequence }
  }

  /// What a wake is called among other things: `wake by fetch`.
  static func words(of wake: OpenWake, _ names: Names) -> String {
    let reason = names[wake.reason]
    return reason.isEmpty ? "wake" : "wake by \(reason)"
  }

  /// Why a question about the state may find nothing: it asks for a name that no event has, or for
  /// deadlines of an app that sets none; nil where neither is so.
  func nothingThere(_ question: Question) -> String? {
    let unknown = question.spoken.first {
      player.names.find($0) == nil && Callback(named: $0) == nil
    }
    if let unknown {
      let known = player.names.strings.filter { !$0.isEmpty && $0.utf8.count <= 80 }
      let near = nearest(to: unknown, among: known)
      let advice = near.map { ": did you mean \(Printable.line($0))?" } ?? "."
      return "No event of this recording names \"\(Printable.line(unknown))\"\(advice)"
    }
    guard question.touching.contains(.deadlineOpen), question.needsState, !question.needsEvent,
      !player.timeline.streams.contains(where: { stream in
        stream.chunks.contains { $0.kinds.contains(.deadlineOpen) }
      })
    else { return nil }
    return
      "The app has set no deadline of its own in this recording; for those of the system: deadlines"
  }
}
