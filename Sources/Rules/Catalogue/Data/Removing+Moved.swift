// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What goes from one file to another, as where two of them are swapped.
extension Removing {
  /// Smaller contents are those of empty things, which many files have.
  private static let bytesMin: UInt64 = 16

  /// What stood in a file was saved over, and is the newest version of another one that has not been
  /// saved when the process ends: it stands in none.
  static let moved = Recall(
    attention: [.event(.dataDurable)] + Trigger.endings,
    memory: Moved(),
    countsOnce: true,
    finds: { moved, event, context, names in
      if event.kind == .dataDurable { return moved.saved(event, context, names) }
      guard [.purge, .processExit].contains(event.kind), context.state.process.ending == nil,
        !moved.gone.isEmpty,
        !HarnessEnd.isOne(names[event.endingCause])
      else { return nil }
      var hasHeld = false
      for object in context.state.unsaved(at: .kernel) {
        guard let edit = object.dirty, let gone = moved.gone[edit.hash], gone.object != object.name
        else { continue }
        guard !moved.stands(edit.hash, context) else {
          hasHeld = true
          continue
        }
        moved.found = Moved.Found(gone: gone, object: object.name, edit: edit)
        let doubt =
          context.state.doubtOfSave(of: object) ?? context.state.doubt(.data, since: gone.time)
        if let doubt { return .unclear("a save may be missing: \(doubt.words)") }
        guard object.survival(at: .kernel) == nil else {
          return .unclear("a save of it was under way")
        }
        // Where the two are not swapped it may be a copy of what the user had changed.
        let isSwapped = object.standing(at: .kernel)?.hash == gone.successor
        return .broken(isSwapped ? nil : .warning)
      }
      return hasHeld ? .held : nil
    },
    says: { scene, moved in
      guard let (gone, object, edit) = moved.found.map({ ($0.gone, $0.object, $0.edit) }) else {
        return Story("what stood in a file may be in none", [], [scene.witness("end")])
      }
      let (from, to): (Sentence, Sentence) = (
        "\(object: scene.names[gone.object])", "\(object: scene.names[object])"
      )
      return Story(
        "what had stood in \(from), \(bytes: gone.bytes), was saved over before it stood in \(to), and was in "
          + "neither when \(scene.endClause)",
        [
          "\(from) version \(gone.version) took its place\(scene.at(gone.site)) "
            + "\(scene.before(gone)); version \(edit.version) of \(to), which has the same bytes, had not been "
            + "saved."
        ],
        [
          scene.witness("edit", edit), scene.witness("saved over", gone), scene.witness("end"),
        ],
        advice:
          "Save it where it goes first, or both in one file: an end in between then leaves it "
          + "twice, and not nowhere."
      )
    }
  )

  /// What was saved over.
  struct Moved: Sendable {
    struct Gone: Opened {
      let object: NameID
      /// Of what has taken its place, and the hash of that.
      let version: UInt64
      let successor: UInt64
      let bytes: UInt64
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
    }

    struct Found: Sendable {
      let gone: Gone
      let object: NameID
      let edit: DataObject.Edit
    }

    /// By the hash of the content.
    fileprivate var gone: [UInt64: Gone] = [:]
    fileprivate var found: Found?

    /// A save takes the place of other bytes; nil unless it brings back what was gone.
    fileprivate mutating func saved(
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names
    ) -> Finding? {
      let save = Payload.DataDurable(event)
      guard let level = save.level.value, level >= .kernel, save.hash != 0,
        let object = context.state.data[names.known(save.object)]
      else { return nil }
      let isBack = gone.removeValue(forKey: save.hash) != nil
      if let was = object.standing(at: .kernel), was.hash != 0, was.hash != save.hash,
        was.bytes >= Removing.bytesMin, context.hasRoom(gone.count, for: "content")
      {
        gone[was.hash] = Gone(
          object: object.name,
          version: save.version,
          successor: save.hash,
          bytes: was.bytes,
          time: event.time,
          sequence: event.sequence,
          site: event.site
        )
      }
      return isBack ? .held : nil
    }

    /// Whether the content stands in some file.
    fileprivate func stands(_ hash: UInt64, _ context: borrowing RuleContext) -> Bool {
      context.state.data.values.contains { $0.standing(at: .kernel)?.hash == hash }
    }
  }
}
