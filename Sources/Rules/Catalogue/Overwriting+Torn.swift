// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What an end in the middle of a save has left.
extension Overwriting {
  /// What was found is whole neither in the old version nor in the new.
  static func torn(
    _ found: Payload.DataRestored,
    _ kept: UInt64,
    _ name: Sentence,
    _ object: DataObject,
    _ scene: Scene
  ) -> Story {
    let before = scene.context.before
    let edit = before.unsaved[object.name]
    let event = EventName(writer: before.label, sequence: edit?.sequence ?? 0)
    return Story(
      "\(name) was read back torn: \(bytes: found.bytes) that are neither version \(kept) nor the one "
        + "that was being saved",
      [
        "The launch before ended in the middle of a save of version \(edit?.version ?? 0) "
          + "(\(event: event, of: before.stream)), and version \(kept), which had been saved, is gone"
          + "\(end("; that launch ended when ", scene)).",
        "Either that save wrote over it in place, or it was renamed into place before it was synced.",
      ],
      (edit.map {
        [
          Witness(
            label: "edit",
            stream: before.stream,
            sequence: $0.sequence,
            time: $0.time,
            source: SourcePlace($0.site, scene.names)
          )
        ]
      } ?? []) + [scene.witness("read back")],
      advice:
        "Write a file beside it, fsync that, and rename it into place: the old bytes stay whole until then."
    )
  }
}
