// SPDX-License-Identifier: Apache-2.0

/// What came of trying one thing on this machine.
package struct Finding: Hashable, Sendable {
  /// How well it goes.
  package enum Standing: String, Sendable {
    /// As it should.
    case good = "ok"
    /// It goes, with less than there could be.
    case limited = "less"
    /// It does not go.
    case missing = "no"
  }

  /// A word or two, by which it is called in the list and in JSON.
  package var name: String
  package var standing: Standing
  /// What was seen when it was tried.
  package var seen: String
  /// What lifetrace does without it; empty where it is as it should be.
  package var without = ""
  /// What would help; empty where nothing is needed, or nothing can be done.
  package var mend = ""

  /// It goes.
  static func good(_ name: String, _ seen: String) -> Finding {
    Finding(name: name, standing: .good, seen: seen)
  }

  /// It goes, with less.
  static func limited(_ name: String, _ seen: String, without: String, mend: String) -> Finding {
    Finding(name: name, standing: .limited, seen: seen, without: without, mend: mend)
  }

  /// It does not go.
  static func missing(_ name: String, _ seen: String, without: String, mend: String) -> Finding {
    Finding(name: name, standing: .missing, seen: seen, without: without, mend: mend)
  }
}
