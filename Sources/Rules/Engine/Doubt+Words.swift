// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceWords

extension Doubt {
  /// What a ledger cannot know, as `check` and `replay` say it: a clause.
  package var words: Sentence {
    switch self {
    case .lost(let count, let family): "\(count: count, of: "\(family) event") lost"
    case .missing(let count): "\(count: count, of: "event") missing from the numbering"
    case .begunLate: "the recording began after the process did"
    case .full(let family):
      BoundedTable(family)?.overflow ?? "not all \("\(family)") events could be followed"
    }
  }
}

extension BoundedTable {
  /// That it had no room for all, as `check` and `replay` say it: a clause.
  package var overflow: Sentence { "more than \(count: UInt64(max), of: thing) at once" }
}
