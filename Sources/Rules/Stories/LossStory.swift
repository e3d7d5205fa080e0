// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension RuleContext {
  /// Adds to the verdicts on earlier incarnations what this launch found of the data that they lost.
  mutating func tellLosses(_ names: borrowing Names) {
    guard state.process.started != nil else { return }
    let launch: Sentence = "The next launch, \(name: label),"
    let isReplaced = state.process.ending.map { names[$0.cause] == "exec" } ?? false
    for loss in tallies.takeLosses(before: stream) {
      if let found = state.data[loss.object]?.foundAtLaunch {
        let event: Sentence =
          "\(event: EventName(writer: label, sequence: found.sequence), of: stream)"
        let witness = Witness(
          label: "found at launch",
          stream: stream,
          sequence: found.sequence,
          time: found.time
        )
        let words: Sentence = "\(launch) found \(Self.what(found, of: loss, event))."
        tallies.amend(loss, words, witness, isGone: Self.isGone(loss, found))
      } else if isReplaced {
        // The program that has taken its place by exec may.
        tallies.lost(loss)
      } else if doubt(.data) == nil {
        tallies.amend(loss, "\(launch) did not read it back.", nil, isGone: false)
      }
    }
  }

  /// Whether what a launch found shows that it is lost: nothing, or an older version with other bytes.
  private static func isGone(_ loss: Tallies.Loss, _ found: DataObject.Restored) -> Bool {
    // What was written to another file may be read from there yet.
    if loss.survival == .copied { return false }
    if found.version == 0 { return found.content.bytes == 0 && loss.edit.bytes > 0 }
    return found.version < loss.edit.version && (found.hash == 0 || found.hash != loss.edit.hash)
  }

  /// What a launch found where `loss` was; version numbers decide only where bytes do not.
  private static func what(
    _ found: DataObject.Restored,
    of loss: Tallies.Loss,
    _ event: Sentence
  ) -> Sentence {
    // An empty file: its name outlived a power cut that its bytes did not.
    if found.version == 0, found.content.bytes == 0 { return "nothing of it (\(event))" }
    let it = found.version > 0 ? "version \(found.version)" : "bytes of no known version"
    let isCompared = found.hash > 0 && loss.edit.hash > 0
    let isSame = found.hash == loss.edit.hash && found.content.bytes == loss.edit.bytes
    if isCompared ? isSame : found.version >= loss.edit.version {
      let why =
        switch loss.survival {
        case .notSynced: "written, not synced; nothing promised that it would be there"
        case .saveUnderWay: "the save that was under way came through"
        case .copied: "it had been written to another file"
        case .stoodBefore: "the same bytes had stood there before"
        case nil: "a save that this recording does not show"
        }
      return "\(it) all the same (\(event)): \(why)"
    }
    let isOther = isCompared && found.version >= loss.edit.version
    return "\(it)\(isOther ? ", which holds other bytes" : "") (\(event))"
  }
}
