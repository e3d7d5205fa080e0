// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// Without Foundation a URL is its text.
typealias URL = String

/// The delegate as it is compiled here, for the test.
@MainActor
public enum Here {
  /// A new one, and what it has heard so far.
  public static func make() -> (delegate: any ApplicationDelegate, heard: () -> [String]) {
    let delegate = SharedDelegate()
    return (delegate, { delegate.heard })
  }
}
