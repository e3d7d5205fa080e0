// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceLifecycle
import LifetraceScenario
import LifetraceTesting
import Testing
import LifetraceTrace

/// When the system wakes an app, what it asks of it then, and when it leaves it alone.
@Suite("Wakes as the system gives them")
@MainActor
struct WokenLifeTests {
  private static func codes(_ life: SimulatedLife) -> [UInt64] {
    life.events(.processExit).map { Payload.ProcessExit($0).code }
  }

  private static func configuration(
    exits: Bool = false,
    modes: [String] = []
  ) -> Application.Configuration {
    var configuration = Application.Configuration(bundleIdentifier: "diary")
    configuration.exitsOnSuspend = exits
    configuration.backgroundModes = modes
    return configuration
  }

  /// Says of a VoIP push what a test wants said, and when.
  private final class Phone: ApplicationDelegate {
    let reports: Double?
    let completes: Bool
    init(reports: Double?, completes: Bool) {
      self.reports = reports
      self.completes = completes
    }

    func application(
      _ application: Application,
      handleBackgroundWake reason: BackgroundWake,
      completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
    ) {
      if let reports {
        WorkQueue.main.asyncAfter(seconds: reports) { application.reportNewIncomingCall("anna") }
      }
      if completes { completionHandler(.newData) }
    }
  }

  @Test(
    "The system kills for a call that is not reported, whatever becomes of the completion",
    arguments: [
      (0.0, true, false), (3.0, true, false), (0.0, false, false), (nil, true, true),
      (nil, false, true), (9.0, true, true),
    ] as [(Double?, Bool, Bool)]
  )
  func calls(reports: Double?, completes: Bool, isKilled: Bool) throws {
    let text = "app: diary\nsteps:\n- launch\n- home\n- suspend\n- wake: voip\n- wait: 40s\n"
    let life = try Simulator(
      Scenario(parsing: text, file: "v.yml"),
      configuration: Self.configuration(modes: ["voip"])
    ) { Phone(reports: reports, completes: completes) }.play()
    #expect(Self.codes(life) == (isKilled ? [TerminationCode.badCall] : []))
    if let exit = life.events(.processExit).first, let wake = life.events(.wakeBegin).first {
      #expect(exit.time.rawValue - wake.time.rawValue == 7_500_000_000)
    }
    #expect(life.events(.suspend).count == (isKilled ? 1 : 2))
  }
}
