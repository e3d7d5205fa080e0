// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Why a ledger cannot know everything.
package enum Doubt: Hashable, Sendable {
  /// So many events of its family are gone.
  case lost(UInt64, EventFamily)
  /// Sequence numbers are missing, and nobody knows of which family.
  case missing(UInt64)
  /// The recording began after the process did.
  case begunLate
}

extension LifeState {
  /// Why what is not in the ledger of `family` may have happened since `time`; nil when nothing is missing.
  package func doubt(_ family: EventFamily, since time: HostTime) -> Doubt? {
    completeness[family].covers(time) ? nil : missing(family)
  }

  /// Why the ledger of `family` may lack something; nil when it is whole.
  package func doubt(_ family: EventFamily) -> Doubt? {
    completeness[family].isWhole ? nil : missing(family)
  }

  private func missing(_ family: EventFamily) -> Doubt {
    let (own, gap) = (completeness[family].lost, completeness[.unknown].lost)
    return own > 0 ? .lost(own, family) : gap > 0 ? .missing(gap) : .begunLate
  }
}
