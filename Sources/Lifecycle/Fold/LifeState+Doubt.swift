// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Why a ledger cannot know everything.
package enum Doubt: Hashable, Sendable {
  /// That many events of its family are gone.
  case lost(UInt64, EventFamily)
  /// Sequence numbers are missing, and their family is unknown.
  case missing(UInt64)
  /// The recording began after the process did.
  case begunLate
}

extension LifeState {
  /// Why events missing from `family`'s ledger may have happened since `time`; nil when complete.
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
