// SPDX-License-Identifier: Apache-2.0
import CorrectApps
import LifetraceApp
import LifetraceLifecycle
import LifetraceRules
import LifetraceScenario
import LifetraceTesting
import LifetraceTrace
import Support

extension RandomLife {
  /// Lives it in virtual time; `spoil` may put a mistake into the delegates, and the apps may declare
  /// other background modes than their own.
  @MainActor
  func live(
    modes: [String]? = nil,
    _ spoil: @MainActor @escaping (any ApplicationDelegate) -> any ApplicationDelegate = {
      $0
    }
  ) throws -> SimulatedLife {
    let folder = try TestFolder()
    let home = Home(directory: folder.path, program: "")
    return try Simulator(
      Scenario(parsing: text, file: "seed-\(seed).yml"),
      apps: apps.map { lived in
        (lived.configuration(modes: modes), { @MainActor in spoil(lived.app.delegate(in: home)) })
      }
    ).play()
  }
}

extension SimulatedLife {
  /// What rules find fault with.
  var complaints: [Verdict] { verdicts.filter { $0.outcome == .violated } }

  /// The same, but for mere information.
  var accusations: [Verdict] { complaints.filter { $0.severity > .info } }

  /// How processes ended that nobody but their app is to blame for.
  var blamedEnds: [String] {
    let innocent: [TerminationCause] = [.system, .user, .purge, .exitsOnSuspend, .reboot]
    let words = innocent.map(\.rawValue) + [HarnessEnd.scenarioOver]
    return streams.flatMap { $0.events.filter { $0.kind == .processExit } }
      .map { names[NameID(rawValue: UInt32($0[0]))] }.filter { !words.contains($0) }
  }
}
