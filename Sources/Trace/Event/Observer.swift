// SPDX-License-Identifier: Apache-2.0

/// The party that saw an event.
public enum Observer: UInt8, CaseIterable, Sendable {
  /// The process that the event is about, through the SDK.
  case own = 0
  /// The recorder: pidfd, wait status, /proc.
  case recorder = 1
  /// The host that plays the system.
  case host = 2
  /// An importer read it in a log.
  case `import` = 3
  /// Seen by no party: it follows from other events, or from a gap.
  case inferred = 4
  /// A library between the process and the C library, which `record --observe` puts there.
  case observe = 5
}
