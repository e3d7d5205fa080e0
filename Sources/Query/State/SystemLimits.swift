// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// A time that the system has set an app, and that runs: for a wake, a callback, or a background task.
package struct SystemBudget: Sendable {
  /// For what.
  package enum Source: Sendable {
    case wake(OpenWake)
    case callback(OpenSpan, Callback)
    case task(OpenTask)
  }

  /// For what it is.
  package let source: Source
  /// How long it is on a device, in nanoseconds.
  package let nominal: Int64
  /// Nanoseconds of it that are used up, on the clock of the recording.
  package let used: Int64
  /// From when on it counts.
  package let time: HostTime
  /// The number of the event that began what it is for.
  package let sequence: UInt64
  /// Whether it goes on while nothing happens; it does not in a suspension.
  package let runs: Bool
}

/// The times that the system sets: those of a profile, at the scale of a writer.
///
///     let limits = SystemLimits(.ios13, timeScale: attributes.timeScale)
///     limits.each(in: state, at: now, reason: { names[$0] }, callback: callback) { used.append($0.used) }
package struct SystemLimits: Sendable {
  /// Whose limits hold.
  package let profile: Profile
  private let timeScale: UInt32

  /// Those of a profile, where so many thousandths of a second of the recording are a second.
  package init(_ profile: Profile, timeScale: UInt32) {
    (self.profile, self.timeScale) = (profile, timeScale)
  }

  /// A nominal length of time as it passes on the clock of the writer.
  package func scaled(_ nominal: Int64) -> Int64 { WriterAttributes.scaled(nominal, by: timeScale) }

  /// The families whose events begin and end what has such a time, and let it stand.
  static let families: [EventFamily] = [.wake, .callback, .task, .state, .process]

  /// Hands out those that run at a time on the clock of the writer: wakes first, then callbacks, then tasks.
  ///
  /// `reason` says how a name is spelt, and `callback` which of the system's callbacks a place in the source
  /// names.
  package func each(
    in state: borrowing LifeState,
    at now: HostTime,
    reason: (NameID) -> String,
    callback: (SiteID) -> Callback?,
    _ body: (SystemBudget) -> Void
  ) {
    for place in 0..<state.wakes.count {
      let wake = state.wakes.entries[place].value
      let reason = reason(wake.reason)
      // What has no completion handler has no time for it; that of a VoIP push is for the report alone.
      guard Profile.hasCompletion(wake: reason) else { continue }
      let limit = reason == "voip" ? profile.wakeHandler : profile.limit(ofWake: reason)
      body(
        SystemBudget(
          source: .wake(wake),
          nominal: limit.kill,
          used: now - wake.time,
          time: wake.time,
          sequence: wake.sequence,
          runs: true
        )
      )
    }
    let runs = state.appState != .suspended
    for place in 0..<state.spans.count {
      let span = state.spans.entries[place].value
      guard span.kind == .callbackBegin, let callback = callback(span.site),
        let limit = profile.limit(of: callback)
      else { continue }
      body(
        SystemBudget(
          source: .callback(span, callback),
          nominal: limit.warn,
          used: state.running(
            since: span.time,
            suspendedBefore: span.suspendedBefore,
            until: now
          ),
          time: span.time,
          sequence: span.sequence,
          runs: runs
        )
      )
    }
    for place in 0..<state.tasks.count {
      let task = state.tasks.entries[place].value
      guard let clock = state.backgroundClock(of: task, until: now, profile, scaled: scaled) else {
        continue
      }
      body(
        SystemBudget(
          source: .task(task),
          nominal: clock.limit,
          used: clock.held,
          time: clock.since,
          sequence: task.sequence,
          runs: runs
        )
      )
    }
  }
}
