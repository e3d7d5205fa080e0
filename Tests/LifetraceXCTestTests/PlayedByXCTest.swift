// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import LifetraceXCTest
import NotesCore
import XCTest

/// The sample app's life under XCTest: a test that succeeds, and one that fails when it is asked to.
final class PlayedByXCTest: XCTestCase {
  private static let lostEdit =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/") + "/Sources/Examples/Notes/lost-edit.yml"

  private func life(fixed: Bool) throws -> SimulatedLife {
    let directory = NSTemporaryDirectory() + "lifetrace-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    addTeardownBlock { try? FileManager.default.removeItem(atPath: directory) }
    var options = NotesDelegate.Options()
    options.fixed = fixed
    options.directory = directory
    return try play(scenario: Self.lostEdit) { [options] in NotesDelegate(options: options) }
  }

  func testSurvivesPurge() throws {
    try XCTAssertNoViolations(life(fixed: true))
  }

  /// Fails: `FailingTestsTests` runs it in a process of its own and looks at what is left.
  func testLosesEdit() throws {
    let isAsked = ProcessInfo.processInfo.environment["LIFETRACE_FAIL"] != nil
    try XCTSkipUnless(isAsked, "fails on purpose")
    try XCTAssertNoViolations(life(fixed: false))
  }
}
