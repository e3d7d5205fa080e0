// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// An end that nobody has seen: the next launch shows that there was one, and what it found shows the loss.
extension DataSafety {
  /// What a launch finds of an edit that the process before it had not saved, and whose end is not in the
  /// recording: nothing, or a version from before it.
  static let unseenEnd = Recall<Void>(attention: [.event(.dataRestored)], memory: ()) {
    _,
    event,
    context,
    names in
    guard event.kind == .dataRestored else { return nil }
    let found = Payload.DataRestored(event)
    let before = context.before
    let name = names.known(event.identityName)
    // Two processes of one app may run side by side.
    guard before.isLinked, !before.hasEnded, let edit = before.unsaved[name],
      let started = context.state.process.started, before.lastTime < started,
      context.state.data[name]?.isUntouchedByLaunch ?? true
    else { return nil }
    // A save that was under way may have come through, or have been torn, which is another rule's; bytes
    // without a number may be that version, or of another program; and a copy may be read from where it is.
    guard !before.saving.contains(name), !before.copied.contains(name),
      found.version > 0 || found.bytes == 0, found.version < edit.version,
      edit.hash == 0 || found.hash != edit.hash
    else { return nil }
    let doubt = before.doubt.map { "a save may be missing: \($0)" as Sentence }
    return .broken(unless: doubt)
  } says: { scene, _ in
    let found = Payload.DataRestored(scene.event)
    let object = scene.names.known(scene.event.identityName)
    let name: Sentence = "\(object: scene.names[object])"
    let before = scene.context.before
    guard let edit = before.unsaved[object] else {
      return Story("an edit of \(name) may be lost", [], [scene.witness("found at launch")])
    }
    let event = EventName(writer: before.label, sequence: edit.sequence)
    let witnesses = [
      Witness(
        label: "edit",
        stream: before.stream,
        sequence: edit.sequence,
        time: edit.time,
        source: SourcePlace(edit.site, scene.names)
      ), scene.witness("found at launch"),
    ]
    guard before.doubt == nil else {
      return Story("\(name) may have lost version \(edit.version)", [], witnesses)
    }
    let what: Sentence = found.version == 0 ? "nothing of it" : "version \(found.version)"
    let size: Sentence = edit.bytes == 0 ? "" : " (\(bytes: edit.bytes))"
    return Story(
      "\(name) lost version \(edit.version)\(size): the launch before had not saved it, and this one "
        + "found \(what)",
      [
        "It was made\(scene.at(edit.site)) (\(event: event, of: before.stream)), and no save of it is "
          + "recorded.",
        "How that launch ended is not in the recording.",
      ],
      witnesses
    )
  }
}

extension DataObject {
  /// Whether the launch has not yet looked at it, made a version of it, saved one, or given one up.
  fileprivate var isUntouchedByLaunch: Bool {
    restored == nil && dirty == nil && lastSave == nil && discarded == 0
  }
}
