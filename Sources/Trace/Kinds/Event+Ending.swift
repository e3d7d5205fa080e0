// SPDX-License-Identifier: Apache-2.0

// A process ends with its exit; a purge before it says the same first.

extension Event {
  /// Why the process ended, of a purge or an exit; empty for other events.
  public var endingCause: NameID {
    switch kind {
    case .purge: Payload.Purge(self).cause
    case .processExit: Payload.ProcessExit(self).cause
    default: .empty
    }
  }

  /// How an exit is known; empty for other events, a purge too.
  public var exitEvidence: NameID {
    kind == .processExit ? Payload.ProcessExit(self).evidence : .empty
  }
}
