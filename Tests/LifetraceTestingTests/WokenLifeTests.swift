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

  /// What an app declares that these wakes are for: of others the system says so.
  private static let woken = ["remote-notification", "fetch", "location", "voip"]

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

  @Test(
    "Before the first unlock after a boot little is launched in the background, and each drop is said"
  )
  func lockedBoot() throws {
    let (lines, life) = try diary(
      "reboot: {locked: true}; wake: push; wake: fetch; wait: 5s; unlock; wake: push",
      configuration: Self.configuration(modes: Self.woken)
    )
    #expect(lines == ["launched by push, background"])
    let said = life.events(.log).map { life.names[Payload.Log($0).text] }
    #expect(
      said.map { String($0.prefix(27)) } == [
        "the wake of `diary` by push", "the wake of `diary` by fetc",
      ]
    )
    #expect(said.allSatisfy { $0.contains("first unlock") && $0.contains("launch: {reason: ") })
    // The user may open it behind the lock, and then it is there to be woken.
    #expect(
      try diary("reboot: {locked: true}; launch; wake: push; unlock").lines == [
        "launched, inactive", "protected inactive", "available inactive", "active active",
      ]
    )
  }

  @Test(
    "Calls and locations launch it before the first unlock, and what a scenario asks for does",
    arguments: [
      ("wake: voip", "voip"), ("wake: location", "location"), ("launch: {reason: push}", "push"),
    ]
  )
  func beforeFirstUnlock(step: String, reason: String) throws {
    let (lines, life) = try diary(
      "reboot: {locked: true}; \(step); wait: 1s",
      configuration: Self.configuration(modes: Self.woken)
    )
    #expect(lines == ["launched by \(reason), background", "protected background"])
    #expect(life.events(.log).isEmpty)
  }

  @Test(
    "An app that wakes behind the lock finds its protected files closed, told or not",
    arguments: ["ios7", "ios13"]
  )
  func wokenBehindTheLock(profile: String) throws {
    let ask = "tell: {protection: now}"
    let (lines, _) = try diary(
      "launch; home; suspend; lock; wake: fetch; \(ask); suspend; unlock; resume; \(ask)",
      profile: profile
    )
    #expect(
      lines.filter { !$0.hasSuffix("active") && !$0.hasPrefix("left") } == [
        "closed background", "available background", "open background",
      ]
    )
    // Unlocked while it runs there.
    let (awake, _) = try diary(
      "launch; home; suspend; lock; wake: fetch; tell: {task: work}; unlock; \(ask)",
      profile: profile
    )
    #expect(awake.contains("available background"))
  }

  @Test("An app that is launched behind the lock has what is left of the key", arguments: [2, 11])
  func launchedBehindTheLockLate(seconds: Int) throws {
    let (_, life) = try diary(
      "launch; lock; purge: {how: jetsam}; wait: \(seconds)s; wake: push; tell: {read: secrets}"
    )
    let verdict = life.verdicts.first { $0.rule == "RS18" && $0.outcome == .violated }
    #expect((verdict != nil) == (seconds > 10))
  }

  @Test(
    "Foundation tells of a change of the time zone at the resume; what nobody tells of is said",
    arguments: ["", "Notification"]
  )
  func unlisted(suffix: String) throws {
    func post(_ type: String, _ value: String) -> String {
      "post: {type: \(type)\(suffix), value: \(value)}"
    }
    let zones = ["Asia/Tokyo", "Europe/Paris"].map { post("NSSystemTimeZoneDidChange", $0) }
    let (lines, life) = try diary(
      "launch; home; suspend; \(zones.joined(separator: "; ")); \(post("Gossip", "much")); open"
    )
    #expect(
      lines.filter { $0.contains("/") } == [
        "NSSystemTimeZoneDidChange\(suffix) Europe/Paris background"
      ]
    )
    let dropped = life.events(.notificationDropped).map(Payload.NotificationDropped.init)
    #expect(dropped.map { life.names[$0.type] } == ["Gossip" + suffix])
    #expect(dropped.map { life.names[$0.why] } == ["does not wait for suspended apps"])
  }

  @Test(
    "An app that a user threw out is launched by locations alone, on the systems that do so",
    arguments: [("ios7", 1), ("ios13", 2)]
  )
  func thrownOut(profile: String, launches: Int) throws {
    let (lines, _) = try diary(
      "launch; kill; wake: push; wait: 1s; wake: location; wait: 40s",
      profile: profile,
      configuration: Self.configuration(modes: ["location"])
    )
    #expect(lines.count { $0.hasPrefix("launched") } == launches)
  }

  @Test("What is launched in the background behind the lock was not in front at the lock")
  func launchedBehindTheLock() throws {
    let (lines, _) = try diary("launch; lock; terminate; wake: fetch; wait: 5s; unlock; wait: 5s")
    #expect(!lines.contains { $0.hasPrefix("returns") })
  }

  /// Works until it is stopped.
  private final class Worker: ApplicationDelegate {
    let stops: Bool
    var completion: (@Sendable (BackgroundFetchResult) -> Void)?
    init(stops: Bool) { self.stops = stops }

    func application(
      _ application: Application,
      handleBackgroundWake reason: BackgroundWake,
      completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
    ) { completion = completionHandler }

    func applicationProcessingWillExpire(_ application: Application) {
      if stops { completion?(.newData) }
    }
  }

  @Test(
    "A processing wake is notified of its end, and killed for it only then",
    arguments: [true, false]
  )
  func processing(stops: Bool) throws {
    let text = "app: diary\nsteps:\n- launch\n- home\n- suspend\n- wake: processing\n- wait: 700s\n"
    let life = try Simulator(
      Scenario(parsing: text, file: "p.yml"),
      configuration: Self.configuration(modes: ["processing"])
    ) { Worker(stops: stops) }.play()
    #expect(Self.codes(life) == (stops ? [] : [TerminationCode.fetch]))
    let wake = try #require(life.events(.wakeBegin).first)
    let told = try #require(
      life.events(.callbackBegin).first {
        life.names[life.names[$0.site].name] == "BGTask.expirationHandler"
      }
    )
    #expect(told.time.rawValue - wake.time.rawValue == 596_000_000_000)
  }
}
