// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Support
import Testing

/// Steps that cannot be played behind those before them, as `scenario check` says it.
@Suite struct StepOrderTests {
  private func problems(_ steps: String, head: String = "app: notes") throws -> [String] {
    let text = "\(head)\nsteps:\n\(steps)\n"
    return try Scenario(parsing: text, file: "life.yml").impossibleSteps.map {
      $0.text(file: "life.yml").split(separator: "\n").map { $0.drop { $0 == " " } }
        .joined(separator: "; ")
    }
  }

  @Test func whatNothingHasLaunched() throws {
    #expect(
      try problems("- home") == [
        "life.yml:3:3: `home`: `notes` is not running here; no step before it launches it"
      ]
    )
    #expect(
      try problems("- launch\n- purge\n- tell: {edit: x}\n- relaunch\n- tell: {edit: x}") == [
        "life.yml:5:3: `tell`: `notes` is not running here; it ends in line 4, and no step behind that "
          + "launches it"
      ]
    )
    for step in ["suspend", "resume", "touch: button", "purge", "kill", "crash", "terminate"] {
      #expect(try problems("- \(step)").count == 1, "\(step)")
      #expect(try problems("- launch\n- reboot\n- \(step)").count == 1, "\(step)")
      #expect(try problems("- reboot\n- wake: push\n- \(step)").isEmpty, "\(step)")
    }
  }

  @Test func whatIsSuspendedOrInFront() throws {
    // Where it is in front already, that does nothing.
    #expect(try problems("- launch\n- resume").isEmpty)
    #expect(
      try problems("- launch\n- prewarm") == [
        "life.yml:4:3: `prewarm`: `notes` has a process already here; it is in front by a step before"
      ]
    )
    #expect(try problems("- launch\n- home\n- wait: 1s\n- resume").isEmpty)
    #expect(try problems("- launch\n- suspend\n- wait: 1s\n- tell: {edit: x}").count == 1)
    #expect(try problems("- launch\n- suspend\n- resume\n- tell: {edit: x}").isEmpty)
    #expect(try problems("- prewarm\n- prewarm").count == 1)
    #expect(try problems("- prewarm\n- tell: {edit: x}").count == 1)
    #expect(try problems("- prewarm\n- launch\n- tell: {edit: x}").isEmpty)
  }

  @Test func whatIsSuspendedIsNotPrewarmedNorPrewarmedSuspended() throws {
    #expect(
      try problems("- launch\n- suspend\n- prewarm") == [
        "life.yml:5:3: `prewarm`: `notes` has a process already here; it is suspended in line 4"
      ]
    )
    #expect(
      try problems("- prewarm\n- suspend") == [
        "life.yml:4:3: `suspend`: `notes` waits for its first callback here; "
          + "`launch` or `open` lets it go on"
      ]
    )
    #expect(try problems("- prewarm\n- launch\n- suspend").isEmpty)
  }

  /// What a step waits for is so behind it.
  @Test func whatWasWaitedFor() throws {
    #expect(
      try problems("- launch\n- home\n- wait: {until: suspended}\n- tell: {edit: x}") == [
        "life.yml:6:3: `tell`: `notes` is suspended and cannot be told anything here; "
          + "it is suspended in line 5; `resume` or `open` comes before `tell`"
      ]
    )
    for wait in [
      "wait: {until: state == suspended}", "expect: state == suspended within 2s",
      "wait: {until: not-running}", "expect: state == not-running",
    ] {
      #expect(try problems("- launch\n- home\n- \(wait)\n- tell: {edit: x}").count == 1, "\(wait)")
      #expect(try problems("- launch\n- \(wait)\n- open\n- tell: {edit: x}").isEmpty, "\(wait)")
    }
    #expect(try problems("- launch\n- suspend\n- wait: {until: active}\n- tell: {edit: x}").isEmpty)
    #expect(
      try problems("- wait: {until: active}") == [
        "life.yml:3:3: `wait`: `notes` is not running here; no step before it launches it"
      ]
    )
    #expect(try problems("- prewarm\n- wait: {until: suspended}").count == 1)
    let woken = "- wait: {until: not-running}\n- wake: push\n- wait: {until: suspended}"
    #expect(try problems(woken).isEmpty)
  }

  @Test func whatIsRepeated() throws {
    let again = "it ended in line 4 the last time, and no step that is repeated launches it"
    #expect(
      try problems("- launch\n- repeat: {times: 2, steps: [purge]}") == [
        "life.yml:4:30: `purge`: `notes` is not running here; \(again)"
      ]
    )
    #expect(
      try problems("- launch\n- repeat: {times: 9, steps: [home, purge]}") == [
        "life.yml:4:30: `home`: `notes` is not running here; \(again)",
        "life.yml:4:36: `purge`: `notes` is not running here; \(again)",
      ]
    )
    #expect(try problems("- launch\n- repeat: {times: 1, steps: [purge]}").isEmpty)
    #expect(try problems("- launch\n- repeat: {times: 3, steps: [purge, relaunch]}").isEmpty)
    let deep = (0..<9).reduce("home") { inner, _ in "repeat: {times: 9, steps: [\(inner)]}" }
    #expect(try problems("- \(deep)").count == 1)
  }

  /// A relaunch of an app that no step has ended is told; what may have been its end is none.
  @Test func aRelaunchWithoutAnEnd() throws {
    func idle(_ steps: String) throws -> [String] {
      try Scenario(parsing: "app: notes\nsteps:\n\(steps)\n", file: "life.yml").idleSteps.map {
        $0.text(file: "life.yml")
      }
    }
    #expect(
      try idle("- launch\n- tell: {edit: x}\n- home\n- relaunch") == [
        "life.yml:6:3: `relaunch`: no step ends `notes` before: where it still runs, nothing is launched\n"
          + "  `purge`, `kill`, `crash` or `terminate` ends it"
      ]
    )
    #expect(try idle("- launch\n- suspend\n- wait: 2s\n- relaunch").count == 1)
    for end in [
      "purge", "kill", "crash", "terminate", "reboot", "tell: {exit: 1}",
      "wait: {until: not-running}", "expect: state == not-running", "memory-pressure",
    ] {
      #expect(try idle("- launch\n- home\n- \(end)\n- relaunch").isEmpty, "\(end)")
    }
    #expect(try idle("- launch: {ends: purge, after: data.durable}\n- home\n- relaunch").isEmpty)
    #expect(try idle("- launch: {reason: push}\n- relaunch").isEmpty)
  }

  /// What depends on the app, on a script or on chance is left to the playing.
  @Test func whatIsNotKnownIsNotSaid() throws {
    #expect(try problems("- choose: {steps: [launch, kill]}\n- home").isEmpty)
    #expect(try problems("- repeat: {times: 2, steps: [launch, home, purge]}").isEmpty)
    #expect(try problems("- repeat: {times: 2, steps: [home, launch]}").count == 1)
    #expect(
      try problems(
        "- launch: {ends: kill, after: data.durable}\n- suspend\n- tell: {edit: x}\n- home"
      )
      .isEmpty
    )
    #expect(
      try problems("- launch: one\n- home\n- tell: {app: two, edit: x}", head: "apps: [one, two]")
        .count == 1
    )
    #expect(try problems("- launch: one\n- home: {app: two}", head: "apps: [one, two]").isEmpty)
  }

  /// None of the scenarios that the repository has is called impossible.
  @Test func whatIsPlayedIsPossible() throws {
    let own = ["lost-edit", "power-cut"].map { "Sources/Examples/Notes/\($0).yml" }
    let played = Golden.stories(with: "scenario.yml").map { "\($0)/scenario.yml" }
    #expect(played.count > 20)
    for file in own + played {
      let scenario = try Scenario(parsing: try #require(Golden.text(file)), file: file)
      #expect(scenario.impossibleSteps.isEmpty && scenario.idleSteps.isEmpty, "\(file)")
    }
  }
}
