// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Testing

/// What a test needs of the machine: where it is missing the test is left out, and says so; but not
/// in continuous integration, where it then fails.
public enum Needs {
  /// Nobody looks at what was left out there.
  public static let isContinuousIntegration = getenv("CI") != nil

  /// Whether a test whose need is met or not is to be tried.
  public static func isTried(_ isMet: Bool) -> Bool { isMet || isContinuousIntegration }
}

extension Trait where Self == ConditionTrait {
  /// The test is left out where `isMet` does not hold, except in continuous integration.
  public static func needs(
    _ isMet: @autoclosure @escaping @Sendable () -> Bool,
    _ what: Comment
  ) -> Self {
    .enabled(if: Needs.isTried(isMet()), what)
  }
}
