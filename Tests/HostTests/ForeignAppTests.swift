// SPDX-License-Identifier: Apache-2.0
import Host
import Support
import Testing
import Trace

@Suite("An app in another language")
struct ForeignAppTests {
  @Test("A hundred lines of Python take part in a scenario")
  func python() throws {
    let text = """
      app: notes
      profile: ios7
      time-scale: 0.1
      steps:
      - launch
      - expect: said launched for icon
      - tell: {edit: Dear diary}
      - home
      - wait: {after: saved Dear diary, within: 5s}
      - suspend
      - expect: state == suspended
      - post: {type: NSCurrentLocaleDidChange, value: sv_SE}
      - wake: fetch
      - wait: {after: NSCurrentLocaleDidChange sv_SE, within: 5s}
      - wait: {after: noData, within: 5s}
      - suspend
      - open-url: "notes://today"
      - terminate
      - relaunch
      - expect: state == active
      """
    let scenario = try Scenario(parsing: text, file: "python.yml")
    let client = Golden.root + "/Tests/HostTests/Fixtures/client.py"
    let patient = Played.patient(scenario)
    let played = try Played(scenario, command: ["python3", client], profile: patient) {
      try $0.play()
    }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.leftBehind == 0)
  }
}
