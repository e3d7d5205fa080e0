// SPDX-License-Identifier: Apache-2.0

/// The codes with which the system ends an app, as crash reports show them.
package enum KillCode {
  /// Ate bad food: the watchdog.
  package static let watchdog: UInt64 = 0x8bad_f00d
  /// Dead lock: a file lock held at suspension.
  package static let deadLock: UInt64 = 0xdead_10cc
  /// A background task did not end in time.
  package static let backgroundTask: UInt64 = 0x2182_bad2
  /// The completion of a background URL session was not called in time.
  package static let urlSession: UInt64 = 0x2182_bad3
  /// The completion of a fetch, push or processing task was not called in time.
  package static let fetch: UInt64 = 0x2182_bad4
  /// A VoIP push was not followed by a call report.
  package static let badCall: UInt64 = 0xbaad_ca11
}
