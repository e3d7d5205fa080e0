// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Overwriting {
  /// One app has removed what another had saved in the file that both share.
  static func removed(
    _ save: SharedData.Deed,
    by end: SharedData.Deed,
    _ name: Sentence,
    _ scene: Scene
  ) -> Story {
    let (saver, remover) = (party(of: save, scene), party(of: end, scene))
    return Story(
      "\(name) version \(save.version), saved by \(name: saver.label), was removed by "
        + "\(name: remover.label), which had given up only version \(end.version)",
      [
        "\(name: saver.label) had saved it \(scene.since(save.time)) before (\(event(save, saver))), and "
          + "nothing of it is found now.",
        "\(name: remover.label) had given up version \(end.version) \(scene.since(end.time)) before "
          + "(\(event(end, remover))): what was written to the file after it had read that went with it.",
      ],
      [
        witness("saved", save), witness("given up", end), scene.witness("read back"),
      ],
      advice:
        "Rename the file first, then read that and remove it: what others save meanwhile is in a "
        + "new one. Or hold a lock from the read to the removal."
    )
  }

  /// One app has given up a file in which another one's newer version stood, without having read it.
  static func givenUp(_ unread: SharedData.Unread, _ name: Sentence, _ scene: Scene) -> Story {
    let (save, saver) = (unread.save, party(of: unread.save, scene))
    let version = Payload.DataDiscarded(scene.event).version
    let looked: [Sentence] =
      unread.look.map {
        [
          "\(name: saver.label) looked for it since, and found nothing (\(event($0, party(of: $0, scene))))."
        ]
      } ?? []
    return Story(
      "\(name) version \(version) was given up\(scene.at(scene.event.site)), and version \(save.version) of "
        + "\(name: saver.label) stood there unread",
      [
        "\(name: saver.label) had saved it \(scene.since(save.time)) before (\(event(save, saver))); this "
          + "process has not read the file since."
      ] + looked,
      [witness("saved", save), scene.witness("given up")]
        + (unread.look.map { [witness("looked for", $0)] } ?? []),
      advice:
        "Read the file again before it is given up: what another process has saved since may be wanted still."
    )
  }

  private static func party(of deed: SharedData.Deed, _ scene: Scene) -> SharedData.Party {
    scene.context.contents.pointee.shared?.party(deed.stream)
      ?? SharedData.Party(label: "", app: "", clock: "", isIncomplete: true)
  }

  private static func event(_ deed: SharedData.Deed, _ party: SharedData.Party) -> Sentence {
    "\(event: EventName(writer: party.label, sequence: deed.sequence), of: deed.stream)"
  }

  private static func witness(_ label: String, _ deed: SharedData.Deed) -> Witness {
    Witness(label: label, stream: deed.stream, sequence: deed.sequence, time: deed.time)
  }
}
