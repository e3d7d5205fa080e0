// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

/// A time budget that runs: of the app's own, or of a wake that was not completed.
struct Budget {
  var what: String
  var budget: Int64
  var countsCPU = false
  var time: HostTime
  var sequence: UInt64
}

extension Session {
  /// The budgets that run in a state, oldest first; that of a wake comes from the profile.
  func budgets(of state: LifeState, _ stream: StreamID) -> [Budget] {
    let scale = Int64(player.timeline.streams[Int(stream.rawValue)].attributes.timeScale)
    let ofProfile = profile.wakeHandler.kill / 1_000 * scale
    let own = state.deadlines.values.map {
      Budget(
        what: player.names[$0.what],
        budget: $0.budget,
        countsCPU: $0.countsCPU,
        time: $0.time,
        sequence: $0.sequence
      )
    }
    let wakes = state.wakes.values.map {
      Budget(
        what: Self.words(of: $0, player.names),
        budget: ofProfile,
        time: $0.time,
        sequence: $0.sequence
      )
    }
    return (own + wakes).sorted { $0.sequence < $1.sequence }
  }

  /// What a wake is called among other things: `wake by fetch`.
  static func words(of wake: OpenWake, _ names: Names) -> String {
    let reason = names[wake.reason]
    return reason.isEmpty ? "wake" : "wake by \(reason)"
  }
}
