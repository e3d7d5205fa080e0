// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import TestThreads
import Testing
import LifetraceTrace

@Suite("Edges between states, by real processes", .waits)
struct RealEdgesTests {
  /// As the guides draw them.
  static let legal: Set<[AppState]> = [
    [.notRunning, .inactive], [.notRunning, .background], [.inactive, .active],
    [.active, .inactive], [.inactive, .background], [.background, .inactive],
    [.background, .suspended], [.suspended, .background], [.inactive, .notRunning],
    [.active, .notRunning], [.background, .notRunning], [.suspended, .notRunning],
  ]

  @Test("Every legal edge is reached, and no other")
  func edges() throws {
    let played = try Played(
      """
      app: probe
      profile: ios7
      time-scale: 0.05
      steps:
      - launch
      - tell: {task: hold}
      - interrupt: begin
      - home
      - open
      - tell: {end: hold}
      - home
      - suspend
      - open
      - purge: {how: jetsam}
      - relaunch
      - interrupt: begin
      - purge: {how: jetsam}
      - launch: {reason: push}
      - suspend
      - purge
      - relaunch
      - tell: {task: hold}
      - home
      - terminate
      """
    )
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    var found: Set<[AppState]> = []
    for stream in played.streams where stream.attributes.app == "probe" {
      var life = LifeState()
      for event in stream.events {
        let before = life.appState
        life.apply(event, names: played.names)
        if life.appState != before, before != .unknown { found.insert([before, life.appState]) }
      }
    }
    #expect(found == Self.legal)
  }
}
