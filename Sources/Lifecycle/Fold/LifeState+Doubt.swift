// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

// What a ledger cannot know, in the words of `check` and `replay`.

extension LifeState {
  /// Why what is not in the ledger of `family` may have happened since `time`; nil when nothing is missing.
  package func doubt(_ family: EventFamily, since time: HostTime) -> String? {
    completeness[family].covers(time) ? nil : missing(family)
  }

  /// Why the ledger of `family` may lack something; nil when it is whole.
  package func doubt(_ family: EventFamily) -> String? {
    completeness[family].isWhole ? nil : missing(family)
  }

  private func missing(_ family: EventFamily) -> String {
    let (own, gap) = (completeness[family].lost, completeness[.unknown].lost)
    if own > 0 { return "\(Quantity.count(own, "\(family) event")) lost" }
    if gap > 0 { return "\(Quantity.count(gap, "event")) missing from the numbering" }
    return "the recording began after the process did"
  }
}
