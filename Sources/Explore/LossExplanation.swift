// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
package import LifetraceTrace

/// Why an edit was unsaved when it was lost: a smaller scenario that loses another one for another reason
/// shows another mistake, or none, though rule, object and place are the same.
package struct LossExplanation: Hashable, Sendable {
  /// Whether a callback that is made for saving began behind the edit, or was under way at it.
  package var hadChance: Bool
  /// Whether an older version had been saved, by this process or one before it.
  package var hasEarlierSave: Bool
  /// The app's state right before the edit.
  package var stateAtEdit: AppState
}

extension StagedLife {
  /// The finding with its explanation, where it is an edit that was never saved and the newest one of its
  /// object was made by the process in `stream`, which ended at event `end`.
  ///
  /// `state` is that right before the end, `inherited` what the process before had left.
  func explained(
    _ found: Found,
    _ state: LifeState,
    before end: UInt64,
    in stream: Int,
    after inherited: LifeState?
  ) -> Found {
    // What was saved and not synced had its chance, and used it.
    guard found.kind.rule == "DS02", found.kind.lack == .any,
      let object = state.data.values.first(where: { names[$0.name] == found.kind.object }),
      let edit = object.dirty
    else { return found }
    var atEdit = LifeState()
    if let inherited { atEdit.beginIncarnation(after: inherited, names: names) }
    var hadChance = false
    for event in writers[stream].events where event.sequence < end {
      if event.sequence < edit.sequence {
        atEdit.apply(event, names: names)
      } else if event.kind == .callbackBegin, isForSaving(event.site) {
        hadChance = true
      }
    }
    let isUnderWay = atEdit.spans.values.contains {
      $0.kind == .callbackBegin && isForSaving($0.site)
    }
    var out = found
    out.explanation = LossExplanation(
      hadChance: hadChance || isUnderWay,
      hasEarlierSave: object.lastSave != nil || object.inherited?.version ?? 0 > 0,
      stateAtEdit: atEdit.appState
    )
    return out
  }

  private func isForSaving(_ site: SiteID) -> Bool {
    Callback(named: names[names[site].name]).map(Callback.forSaving.contains) ?? false
  }
}
