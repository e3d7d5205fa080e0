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
  /// More things of its family were open at once than are kept.
  case full(EventFamily)
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

  /// Why an unsaved object may be saved all the same; nil where a save could not be missing, nor, as
  /// the same bytes may stand there, an earlier one of them.
  package func doubtOfSave(of object: DataObject) -> Doubt? {
    guard let edit = object.dirty else { return nil }
    if edit.hash == 0 { return doubt(.data, since: edit.time) }
    guard let save = object.lastSave else { return doubt(.data) }
    return doubt(.data, since: min(save.time, edit.time))
  }

  private func missing(_ family: EventFamily) -> Doubt {
    let (own, gap) = (completeness[family].lost, completeness[.unknown].lost)
    if own > 0 { return .lost(own, family) }
    if gap > 0 { return .missing(gap) }
    return completeness[family].isFull ? .full(family) : .begunLate
  }
}
