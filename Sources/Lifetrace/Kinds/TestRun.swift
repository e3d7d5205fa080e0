// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A running test of a harness.
  public struct TestRun: Sendable {
    /// Ties the end to the begin; 0 when no recorder listens.
    public let id: UInt64

    /// The test is over: `passed`, `failed`, `skipped`.
    public func end(outcome: Name, file: StaticString = #fileID, line: UInt32 = #line) {
      guard id != 0 else { return }
      emit(.testEnd, Site("", file: file, line: line).id, id, 1, UInt64(outcome.id))
    }
  }

  /// A test of a harness begins.
  public static func beginTest(
    suite: Name,
    name: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> TestRun {
    guard isEnabled else { return TestRun(id: 0) }
    let run = TestRun(id: lt_next_id())
    emit(
      .testBegin,
      Site("", file: file, line: line).id,
      run.id,
      2,
      UInt64(suite.id),
      UInt64(name.id)
    )
    return run
  }
}
