// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceWords

/// What went wrong at a point, as one that goes wrong for the same reason elsewhere has it.
package struct FailureClass: Hashable, Sendable, Comparable {
  /// The id of a rule, or of a question that only a relaunch answers: ``Oracle``.
  package var rule: String
  /// The data object, callback or task that it names first; may be empty.
  package var object: String
  /// Where in the source, without its folders; may be empty.
  package var site: String
  /// What is missing.
  package var lack = Lack.any

  /// What an app has left undone, where a rule does not tell two such things apart.
  package enum Lack: String, Hashable, Sendable {
    /// Whatever the rule says.
    case any = ""
    /// It was saved, and not synced: only what takes the power takes it.
    case sync
  }

  /// Object and place, and what is missing, as far as there is something to say.
  package var about: String {
    [object, site, lack == .sync ? "saved and not synced" : ""].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// By rule, then object, then place.
  package static func < (left: FailureClass, right: FailureClass) -> Bool {
    (left.rule, left.object, left.site, left.lack.rawValue)
      < (right.rule, right.object, right.site, right.lack.rawValue)
  }
}

/// Questions that no rule asks of a recording: what the next launch finds.
package enum Oracle: String, Sendable, CaseIterable {
  /// What was reported saved is there at the next launch, with the same bytes.
  case claim
  /// What was reported saved is in its file before the next launch, byte for byte.
  case bytes
  /// The next launch comes up.
  case relaunch
  /// A second launch finds what the first one found.
  case again
  /// A save that is cut in the middle leaves what was there before, or what was to be there.
  case whole
  /// What the trace calls lost is not there, and what it calls saved is.
  case ledger
}

/// What went wrong at one point, in words.
package struct Found: Sendable, Hashable {
  package var kind: FailureClass
  /// One sentence.
  package var title: String
  /// What to do about it; may be empty.
  package var advice: String
  /// Why what was lost was unsaved; nil for what is no loss of an edit, and where nobody has asked.
  package var explanation: LossExplanation?
}

extension Found {
  /// What a rule says.
  init(_ verdict: Verdict) {
    let place = verdict.site?.source
    let objects = verdict.title.parts.compactMap { part -> String? in
      if case .object(let name) = part { name } else { nil }
    }
    let names = verdict.title.parts.compactMap { part -> String? in
      if case .name(let name) = part { name } else { nil }
    }
    self.init(
      kind: FailureClass(
        rule: verdict.rule,
        object: objects.first ?? names.first ?? "",
        site: place?.short ?? ""
      ),
      title: verdict.title.description,
      advice: verdict.advice.description
    )
  }

  init(_ oracle: Oracle, _ object: String, _ title: String, advice: String = "") {
    self.init(
      kind: FailureClass(rule: oracle.rawValue, object: object, site: ""),
      title: title,
      advice: advice
    )
  }
}
