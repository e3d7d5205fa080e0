// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What a launch had reported durable, and the next one has written over unread or found to be other bytes.
extension Overwriting {
  /// An earlier launch had saved it, and this one has never read it.
  static func writtenOver(
    _ saved: UInt64,
    _ kept: UInt64,
    _ use: Older.Use,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    let witnesses =
      [scene.witness("written over")] + (object.dirty.map { [scene.witness("edit", $0)] } ?? [])
    let underWay: [Sentence] =
      scene.context.before.saving.contains(object.name)
      ? [
        "A save of it was under way when the launch before ended\(end(": ", scene)), and may have changed it."
      ] : []
    switch use {
    case .madeAnew:
      return Story(
        "\(name) version \(kept) was replaced by a launch in the background that had never read it",
        [
          "It was saved as version \(saved), of about as many bytes: a value that is made anew each "
            + "time, perhaps, of which nothing is missing."
        ],
        witnesses,
        advice:
          "Say discarded before it is made anew, where nothing of it is needed; else read it first."
      )
    case .read:
      let isBlind = scene.context.isBlind
      return Story(
        "\(name) version \(kept) was written over by a launch that had never read it",
        [
          "It was saved as version \(saved), and earlier launches had saved up to version \(kept).",
          scene.context.before.read.contains(object.name) && !isBlind
            ? "Those launches had read it first; what was in it is lost."
            : "Nothing could be read: the device had not been unlocked since it started. What was in it is "
              + "lost.",
        ] + underWay,
        witnesses,
        advice: "Read it first, and do not take what cannot be read for empty."
      )
    case .neverRead:
      let before = scene.context.before.saved[object.name]
      let when: Sentence = before.map { " (\(event: $0.event, of: $0.witness.stream))" } ?? ""
      return Story(
        "\(name) version \(kept) of an earlier launch was written over, and no launch has said that it read it",
        [
          "An earlier launch had saved it\(when); this one has saved its own version \(saved) in its place: what "
            + "was in it is gone.",
          "If that is the user's, read it before the first edit (restore, in C LT_RESTORE), or report the read "
            + "that there is; if it is meant to be made anew, say discarded before.",
        ] + underWay,
        (before.map { [$0.witness] } ?? []) + witnesses,
        advice: "Read it before it is written, or say discarded where nothing of it is needed."
      )
    }
  }

  /// What seemed not to be there before the first unlock was written over, or given up.
  static func blind(
    _ kept: UInt64,
    _ look: Older.Look,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    let deed = scene.event.kind == .dataDiscarded ? "given up" : "written over"
    return Story(
      "\(name) version \(kept) was \(deed) by a launch that could not read it",
      [
        "The read\(scene.at(look.site)) \(scene.before(look)) found nothing: the device had not been unlocked "
          + "since it started, and what comes back empty then may be there all the same.",
        "Earlier launches had saved up to version \(kept); what was in it is lost.",
      ],
      claim(of: object, kept, scene) + [scene.witness("read back", look), scene.witness(deed)],
      advice:
        "Do not take what cannot be read for empty: wait for protectedDataDidBecomeAvailable, and read it again."
    )
  }

  /// Two contents were saved as the very same bytes, by an app whose file has a form of its own.
  static func again(
    _ old: Older.Stale,
    _ twin: Older.Formed,
    _ name: Sentence,
    _ scene: Scene
  ) -> Story {
    let saved = old.edit.version
    let isEnd = scene.context.change?.to == .notRunning
    let when: Sentence = isEnd ? "when \(scene.endClause)" : "when the app was suspended"
    return Story(
      "the save of \(name) version \(saved) wrote the very bytes of the save of version \(twin.version)",
      [
        "The edit that made version \(saved)\(scene.at(old.edit.site)), \(scene.before(old.edit)), told "
          + "another hash than that of version \(twin.version), and the two saves "
          + "(\(scene.event(twin.sequence)), \(scene.event(old.sequence))) told one and the same: so it stood "
          + "\(when).",
        "Either the old content was written again under the new number, or the file leaves out what that "
          + "edit had changed, such as a cursor: then nothing is lost.",
      ],
      [
        scene.witness("saved before", twin.sequence, twin.time, twin.site),
        scene.witness("edit", old.edit),
        scene.witness("saved", old.sequence, old.time, old.site),
        scene.here(isEnd ? "ended" : "suspended"),
      ],
      advice:
        "Take the content when the save runs; what the file leaves out leave out of the hash of dirty, too."
    )
  }

  /// Other bytes than a save had reported durable.
  static func other(
    _ found: Payload.DataRestored,
    _ kept: UInt64,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    let what: Sentence =
      found.version == 0 ? "other bytes" : "other bytes of version \(found.version)"
    return Story(
      "\(name) was read back as \(what) than had been reported saved",
      [
        "The launch before said that version \(kept) was durable, with another hash than was found now"
          + "\(end("; that launch ended when ", scene)).",
        "Either these bytes were never there whole, or another file was read, or the two hashes are not "
          + "of the bytes in the file.",
      ],
      claim(of: object, kept, scene) + [scene.witness("read back")],
      advice:
        "Report a version durable when its bytes are in place, with the hash of what the file holds."
    )
  }
}
