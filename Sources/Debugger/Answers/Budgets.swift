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
    let limits = SystemLimits(profile, timeScale: attributes.timeScale)
    limits.each(
      in: state,
      at: now,
      reason: { names[$0] },
      callback: { Callback(named: names[names[$0].name]) }
    ) { budget in
      let (source, what): (Budget.Source, String) =
        switch budget.source {
        case .wake(let wake): (.wake, Self.words(of: wake, names))
        case .callback(let span, _): (.callback, name(of: span))
        case .task(let task): (.task, "task \"\(names[task.name])\"")
        }
      budgets.append(
        Budget(
          source: source,
          what: what,
          nominal: budget.nominal,
          budget: limits.scaled(budget.nominal),
          used: budget.used,
          time: budget.time,
          sequence: budget.sequence
        )
      )
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
      let advice = near(unknown).map { ": did you mean \(Printable.line($0))?" } ?? "."
      return "No event of this recording names \"\(Printable.line(unknown))\"\(advice)"
    }
    guard question.touching.contains(.deadlineOpen), question.needsState, !question.needsEvent,
      !question.spoken.contains(where: { Callback(named: $0) != nil }),
      !player.timeline.streams.contains(where: { stream in
        stream.chunks.contains { $0.kinds.contains(.deadlineOpen) }
      })
    else { return nil }
    return
      "The app has set no deadline of its own in this recording; for those of the system: deadlines"
  }
}
