// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import Synchronization
public import Testing

/// A test, marked with its begin and end in the recording around it.
///
///     @Suite(.lifetrace) struct SyncTests { … }        // each of its tests is marked
///
/// `lifetrace test -- swift test` then gives a verdict for each of them. Without a recorder a mark
/// costs nothing. Tests that play a scenario are marked already.
public struct MarkedTest: TestTrait, SuiteTrait, TestScoping {
  /// The tests of a suite have it, not the suite as a whole.
  public var isRecursive: Bool { true }

  /// The name of the test that runs, for processes that it starts; nil outside of marked tests.
  @TaskLocal static var current: String?

  /// What a process is started with, so that what it does belongs to this test, although others run
  /// beside it: `LIFETRACE_TEST`, or nothing outside of marked tests.
  ///
  ///     process.environment = ProcessInfo.processInfo.environment.merging(MarkedTest.environment) { $1 }
  public static var environment: [String: String] {
    current.map { ["LIFETRACE_TEST": $0] } ?? [:]
  }

  /// Runs the test between its marks.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.run(test) {
      try await Self.watch(test, testCase, function) ? "failed" : "passed"
    }
  }

  /// Runs the test; whether an issue was recorded meanwhile, from whatever thread.
  static func watch(
    _ test: Test,
    _ testCase: Test.Case?,
    _ body: @Sendable () async throws -> Void
  ) async throws -> Bool {
    let hasFailed = Flag()
    let watching: IssueHandlingTrait = .compactMapIssues { issue in
      if issue.isFailure { hasFailed.value.store(true, ordering: .relaxed) }
      return issue
    }
    try await watching.provideScope(for: test, testCase: testCase) { try await body() }
    return hasFailed.value.load(ordering: .relaxed)
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  /// Marks the begin, and the end with what came of it.
  static func run(_ test: Test, _ body: () async throws -> String) async throws {
    let (suite, name) = (test.suiteName, test.name)
    let mark = Lifetrace.beginTest(suite: .init(suite), name: .init(name))
    do {
      let outcome = try await $current.withValue("\(suite) \(name)") { try await body() }
      mark.end(outcome: .init(outcome))
    } catch {
      mark.end(outcome: "failed")
      throw error
    }
  }
}

extension Test {
  /// The module, and the types around the test where it has some: `NotesTests.SyncTests`.
  var suiteName: String {
    // `NotesTests.SyncTests/saves()/SyncTests.swift:12:4`
    let parts = "\(id)".split(separator: "/")
    let types = parts.prefix { $0 != name[...] && !$0.hasSuffix(".swift") }
    return types.isEmpty ? sourceLocation.moduleName : types.joined(separator: ".")
  }
}

extension Trait where Self == MarkedTest {
  /// The test, or each of the suite, is marked in a recording; see ``MarkedTest``.
  public static var lifetrace: MarkedTest { MarkedTest() }
}
