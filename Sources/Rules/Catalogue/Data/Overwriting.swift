// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DS, its third part: what was saved is read again, and nothing older takes its place.
enum Overwriting {
  static let unread = Rule(
    "DS07",
    "What an earlier launch saved is read back before it is edited.",
    source: "a tutorial on interruption and termination: restore at launch what was saved",
    severity: .warning,
    fix: "Read it back (Lifetrace.restore) when the app is launched, before the user can edit.",
    restsOnAllWork: true,
    under: RuleInfo.Under(["DS10"], sharing: ["edit", "written over"]),
    OpenAt<DataObject>(
      moments: Trigger.endings,
      open: { _, context, _ in
        guard context.state.process.ending == nil else { return nil }
        let edited = context.state.data.values.filter {
          $0.dirty != nil && ($0.inherited?.version ?? 0) > 0
            && context.before.read.contains($0.name)
        }
        return edited.isEmpty ? nil : edited
      },
      finds: { object, _, context, _ in
        guard object.restored == nil, !object.isDoubtful else { return nil }
        let doubt = context.before.doubt ?? context.unseen(.data, since: .init(rawValue: .min))
        return .broken(unless: doubt.map { "its read may be missing: \($0)" })
      },
      object: { $0.name }
    ) { scene, object, isSure in
      let name: Sentence = "\(object: scene.names[object.name])"
      let kept = object.inherited?.version ?? 0
      let witnesses = object.dirty.map { [scene.witness("edit", $0)] } ?? []
      guard isSure else {
        return Story("\(name) may not have been read back", [], witnesses + [scene.witness("end")])
      }
      return Story(
        "\(name) was edited and never read back in this launch",
        [
          "The launches before had saved version \(kept); this one made version "
            + "\(object.dirty?.version ?? 0) without it."
        ],
        witnesses + [scene.witness("end")]
      )
    }
  )

  static let refusedSave = Rule(
    "DS08",
    "A save that fails because the device is locked is done again when it is unlocked.",
    source: "UIApplicationDelegate applicationProtectedDataDidBecomeAvailable: protected files",
    fix: "Repeat it in protectedDataDidBecomeAvailable, or give the file a protection class that "
      + "fits its use.",
    restsOnAllWork: true,
    Refused(.save) { scene, refusal, _ in
      let name: Sentence = "\(object: scene.names[refusal.object])"
      return Story(
        "the save of \(name) failed while the device was locked, and was not done again",
        [
          "Version \(refusal.version) was refused\(scene.at(refusal.site)) with error "
            + "\(ErrorNumber.words(refusal.errno)), \(scene.before(refusal)).",
          refusal.unlocked.map {
            "The device was unlocked \(scene.since($0)) before, and the app has run since."
          } ?? "The device was unlocked after it.",
        ],
        [scene.witness("save failed", refusal), scene.witness("left")]
      )
    }
  )

  static let refusedRead = Rule(
    "DS10",
    "What could not be read is neither written over nor given up.",
    source:
      "UIApplication isProtectedDataAvailable: before the first unlock protected files cannot "
      + "be read",
    fix:
      "Tell an error from a missing file; wait for protectedDataDidBecomeAvailable, and read again.",
    restsOnAllWork: true,
    Refused(.read) { scene, refusal, _ in
      let name: Sentence = "\(object: scene.names[refusal.object])"
      let kept = scene.state.data[refusal.object]?.inherited?.version ?? 0
      let deed = scene.event.kind == .dataDiscarded ? "given up" : "written over"
      return Story(
        "\(name) was \(deed), though reading it had failed",
        [
          "The read\(scene.at(refusal.site)) \(scene.before(refusal)) failed with error "
            + "\(ErrorNumber.words(refusal.errno)): the file was there, and its content unknown to the app."
        ] + (kept > 0 ? ["Version \(kept) of an earlier launch stood there."] : []),
        [scene.witness("read failed", refusal), scene.witness(deed)]
      )
    }
  )

  static let older = Rule(
    "DS12",
    "Older data never takes the place of newer, nor other bytes that of what was saved.",
    source:
      "a tutorial on interruption and termination; App Programming Guide: restore what was saved",
    fix: "Take the content when the save runs; read the newest version at launch, before you save.",
    roles: .all,
    restsOnAllWork: true,
    looksAtSharers: true,
    under: RuleInfo.Under(["DS10", "DS07"], sharing: ["edit", "written over"]),
    Older { scene, object, breach, isSure in
      let name: Sentence = "\(object: scene.names[object.name])"
      let story = words(breach, name, object, scene)
      guard isSure else {
        return Story("older data may have taken the place of newer in \(name)", [], story.witnesses)
      }
      return story
    }
  )

  private static func words(
    _ breach: Older.Breach,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    switch breach {
    case .found(let found, let kept, let look):
      let what: Sentence = found.version == 0 ? "nothing of it" : "version \(found.version)"
      if let emptied = emptied(object, found, kept, look, scene) { return emptied }
      return Story(
        "\(name) was read back as \(what), though version \(kept) had been saved before",
        [
          "The launch before said that version \(kept) was durable, so it should have survived"
            + "\(end("; that launch ended when ", scene)).",
          "Either it was not as durable as was said, or another file was read, or something older "
            + "was put there.",
        ] + scene.context.before.atEnd.map(\.words) + replacement(scene),
        claim(of: object, kept, scene) + scene.context.before.atEnd.map(\.witness)
          + [scene.witness("read back", look)] + replacing(scene),
        advice:
          "Say durable behind the last step that makes it so: a file beside it is written, synced and "
          + "renamed into place. Read that file at launch, before you save."
      )
    case .gone(let save, let look):
      return Story(
        "nothing of \(name) was found, though version \(save.version) had been saved before",
        [
          "This process had saved it \(scene.words(look.time - save.time)) before "
            + "(\(scene.event(save.sequence))), and has not given it up since.",
          "Its file was removed or emptied, or another one was read.",
        ] + replacement(scene),
        [
          scene.witness("saved", save.sequence, save.time), scene.witness("read back", look),
        ] + replacing(scene),
        advice: "Keep the file; where it is removed on purpose, say discarded."
      )
    case .overwritten(let saved, let kept, let use):
      return writtenOver(saved, kept, use, name, object, scene)
    case .unread(let saved, let replacing):
      return overwritten(saved, replacing, name, object, scene)
    case .readBack(let found, let newer, let look, let ago):
      return Story(
        "\(name) version \(found.version) was read from its file while version \(newer.version) was "
          + "not saved",
        [
          "Version \(newer.version) was made\(scene.at(newer.site)) \(ago), and is in "
            + "memory only; what was read takes its place there."
        ],
        [scene.witness("edit", newer), scene.witness("read back", look)],
        advice: "Save what is in memory before you read the file again, or discard it on purpose."
      )
    case .stale(let old): return stale(old, name, scene)
    case .torn(let found, let kept): return torn(found, kept, name, object, scene)
    case .other(let found, let kept): return other(found, kept, name, object, scene)
    case .removed(let save, let end): return removed(save, by: end, name, scene)
    case .givenUp(let unread): return givenUp(unread, name, scene)
    case .blind(let kept, let look): return blind(kept, look, name, object, scene)
    case .cameBack(let found, let deletion):
      return Story(
        "\(name) version \(found.version) was read back, though it had been given up",
        [
          deletion.words,
          "Its file was left there: what the user has deleted comes back with the next launch.",
        ],
        [deletion.witness, scene.witness("read back")],
        advice: "Remove the file when you say discarded, or save that there is nothing."
      )
    }
  }

  /// Nothing was found, as the launch before had emptied the file for a save that did not come through.
  private static func emptied(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ kept: UInt64,
    _ look: Older.Look,
    _ scene: Scene
  ) -> Story? {
    let before = scene.context.before
    guard found.version == 0, found.bytes == 0, let edit = before.unsaved[object.name],
      scene.names.isEmptying(edit.site)
    else { return nil }
    let event = EventName(writer: before.label, sequence: edit.sequence)
    let witness = Witness(
      label: "emptied",
      stream: before.stream,
      sequence: edit.sequence,
      time: edit.time,
      source: SourcePlace(edit.site, scene.names)
    )
    return Story(
      "\(object: scene.names[object.name]) was read back as nothing of it, though version \(kept) had "
        + "been saved before",
      [
        "The launch before had emptied the file\(scene.at(edit.site)) for version \(edit.version) "
          + "(\(event: event, of: before.stream)), which it did not save: version \(kept) went then"
          + "\(end("; that launch ended when ", scene))."
      ] + replacement(scene),
      [witness, scene.witness("read back", look)] + replacing(scene),
      advice:
        "Write a file beside it, fsync that, and rename it into place: the old bytes stay whole until then."
    )
  }

  /// `joint` and how the launch before ended: `: the device lost power (notes#1:7)`; nothing where the
  /// recording does not say.
  static func end(_ joint: Sentence, _ scene: Scene) -> Sentence {
    let before = scene.context.before
    guard before.isLinked, let end = before.end else { return "" }
    let event = EventName(writer: before.label, sequence: end.sequence)
    return "\(joint)\(end.clause) (\(event: event, of: before.stream))"
  }

  /// The save that said that version `kept` was there; none where it said nothing of its own.
  static func claim(of object: DataObject, _ kept: UInt64, _ scene: Scene) -> [Witness] {
    guard let claim = scene.context.before.claimed[object.name], claim.version == kept,
      claim.stream != scene.context.stream
    else { return [] }
    return [claim.witness(scene.names)]
  }

  /// What has taken the place of what was not found, where something has.
  private static func replacement(_ scene: Scene) -> [Sentence] {
    guard scene.event.kind.family == .data, scene.event.kind != .dataRestored else { return [] }
    return ["It was written over then, without what had been saved."]
  }

  private static func replacing(_ scene: Scene) -> [Witness] {
    replacement(scene).isEmpty ? [] : [scene.witness("written over")]
  }

  private static func stale(_ old: Older.Stale, _ name: Sentence, _ scene: Scene) -> Story {
    let saved = old.edit.version
    let isAtOnce = old.sequence == scene.event.sequence
    let isEnd = scene.context.change?.to == .notRunning
    if let twin = old.twin { return again(old, twin, name, scene) }
    if old.bytes > 0 { return short(old, name, scene) }
    let warning = memoryWarning(before: old, scene)
    let when: Sentence = isEnd ? "when \(scene.endClause)" : "when the app was suspended"
    return Story(
      old.written > 0
        ? "the save of \(name) version \(saved) wrote the bytes of version \(old.written)"
        : "the save of \(name) version \(saved) wrote nothing, of \(bytes: old.edit.bytes)",
      [
        "The edit that made version \(saved)\(scene.at(old.edit.site)), \(scene.before(old.edit)), told other "
          + "bytes than the save wrote."
      ] + (warning.map { [$0.words] } ?? []) + [
        isAtOnce
          ? "Newer bytes stood there before; it counts as saved, and is not there."
          : "It counts as saved, and was not there \(when)."
      ],
      [
        scene.witness("edit", old.edit)
      ] + (warning.map { [$0.witness] } ?? []) + [
        scene.witness("saved", old.sequence, old.time, old.site)
      ] + (isAtOnce ? [] : [scene.here(isEnd ? "ended" : "suspended")]),
      advice: old.written > 0
        ? "Take the content when the save runs, not before."
        : "Keep the content where nothing empties it before the save runs, apart from its view."
    )
  }

  /// A memory warning between the edit and a save that wrote nothing: a view that was unloaded takes its
  /// text with it.
  private static func memoryWarning(
    before old: Older.Stale,
    _ scene: Scene
  ) -> (words: Sentence, witness: Witness)? {
    guard old.written == 0, let run = scene.context.lastRun(of: .didReceiveMemoryWarning),
      run.beginSequence > old.edit.sequence, run.endSequence < old.sequence
    else { return nil }
    let name = scene.name(run.site, or: "\(name: run.callback.rawValue)")
    return (
      "In between \(name) ran (\(scene.event(run.beginSequence)) to \(run.endSequence)), and may have "
        + "dropped what was to be saved.",
      scene.witness("memory warning", run.beginSequence, run.begin, run.site)
    )
  }

  private static func short(_ old: Older.Stale, _ name: Sentence, _ scene: Scene) -> Story {
    Story(
      "the save of \(name) version \(old.edit.version) wrote \(bytes: old.bytes) of "
        + "\(bytes: old.edit.bytes)",
      [
        "Version \(old.edit.version) was made\(scene.at(old.edit.site)) \(scene.before(old.edit)); "
          + "the first saves wrote exactly as many bytes as their versions had.",
        "It counts as saved, and the rest of it was not there when the app was left.",
      ],
      [
        scene.witness("edit", old.edit),
        scene.witness("saved", old.sequence, old.time, old.site), scene.here("left"),
      ],
      advice:
        "Write the whole of it: look what opening the file again, and a write that was cut short, "
        + "leave of what stood there."
    )
  }

  private static func overwritten(
    _ saved: UInt64,
    _ replacing: Older.Replacing,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    var witnesses = [scene.witness("written over")]
    if let edit = object.dirty { witnesses.insert(scene.witness("edit", edit), at: 0) }
    let advice: Sentence =
      "Read the file again when the app comes back to it and when others have written it, before the "
      + "next edit; join the two versions, or keep both."
    if replacing.foreign > 0 {
      return Story(
        "\(name) was written over with version \(saved), unread: \(bytes: replacing.foreign) of another "
          + "program stood there",
        [
          replacing.known.map { "\(lastKnown($0, scene)); the file has been changed since." }
            ?? "The file had been changed since this process last looked.",
          "What that program had put there is lost; it reports no versions, so it is not known which it is.",
        ],
        (replacing.known.map {
          [scene.witness($0.isRead ? "last read" : "last saved", $0.sequence, $0.time)]
        } ?? []) + witnesses,
        advice: advice
      )
    }
    guard let known = replacing.known else {
      return Story(
        "\(name) version \(replacing.replaced) was written over by a launch that had never read it",
        [
          "It stood in the file when version \(saved) was saved, and this launch has neither read nor "
            + "written it.",
          "Launches before had read the file first; what was in it is lost.",
        ],
        witnesses,
        advice: advice
      )
    }
    return Story(
      "\(name) version \(replacing.replaced), which another process had saved, was written over unread",
      [
        "\(lastKnown(known, scene)).",
        "The version \(saved) that it has saved now was made from that; what the other process had "
          + "put there since is lost.",
      ],
      [
        scene.witness(known.isRead ? "last read" : "last saved", known.sequence, known.time)
      ] + witnesses,
      advice: advice
    )
  }

  /// `This process last knew the file when it saved it as version 3, 2 s before (notes#1:17)`.
  private static func lastKnown(_ known: Older.Known, _ scene: Scene) -> Sentence {
    let what: Sentence =
      !known.isRead
      ? "saved it as version \(known.version)"
      : known.version == 0 ? "read it and found nothing" : "read version \(known.version) of it"
    return "This process last knew the file when it \(what), "
      + "\(scene.before(known.time, known.sequence))"
  }
}
