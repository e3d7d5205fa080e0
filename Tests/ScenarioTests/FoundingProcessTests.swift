// SPDX-License-Identifier: Apache-2.0
import TestThreads
import Testing
import LifetraceTrace

/// A sample of what the system of the guides does, with a real process; all of it plays in the simulator.
@Suite("The system of the guides, with real processes", .serialized, .waits)
struct FoundingProcessTests {
  private func played(_ steps: [String], profile: String = "ios13", app: String = "probe") throws
    -> Played
  {
    let text = "app: probe\nprofile: \(profile)\ntime-scale: 0.1\nsteps:\n- "
    let played = try Played(text + steps.joined(separator: "\n- "), arguments: [app])
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    return played
  }

  @Test("A hang that nobody waits for is borne, and the steps go on")
  func hang() throws {
    let steps = [
      "launch", "tell: {pass: 30}", "touch: page", "wait: 25s", "expect: state == active",
    ]
    #expect(try played(steps).exits.map(\.cause) == ["harness"])
  }

  @Test("An app that exits on suspend is ended when its wake is handled")
  func exitsAfterWake() throws {
    let played = try played(["wake: fetch", "wait: {until: not-running}"], app: "exits")
    #expect(played.exits.map(\.cause) == ["exitsOnSuspend"])
    #expect(played.callbacks.last == "WillTerminate")
  }

  @Test("A server that listens over the suspension is found, and not one that is closed again")
  func listens() throws {
    let once = ["launch", "tell: {listen: here}", "home", "suspend", "open", "tell: {deafen: now}"]
    let played = try played(once + ["home", "suspend"])
    let seen = played.events(.resourceAcquire).filter { $0.observer == .host }
    #expect(seen.count == 1)
    #expect(played.verdicts().count { $0.rule == "RS09" && $0.outcome == .violated } == 1)
  }

  @Test("On iOS 4 a lock only resigns")
  func lock() throws {
    let steps = ["launch", "lock", "wait: 3s", "expect: state == inactive", "unlock", "wait: 1s"]
    let played = try played(steps + ["expect: state == active"], profile: "ios4")
    #expect(!played.callbacks.contains("DidEnterBackground"))
  }

  @Test("What is printed without an end of the line is there when the app is purged")
  func printed() throws {
    let command = "- tell: {say: half a line}"
    let scenario = "app: probe\ntime-scale: 0.1\nsteps:\n- launch\n\(command)\n- home\n- purge\n"
    let played = try Played(capturing: scenario)
    let lines = played.events(.log).map { played.name($0[0]) }
    #expect(lines.contains("half a line"), "\(lines)")
  }
}
