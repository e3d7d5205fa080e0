// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What is saved when the app terminates had been saved when it left the screen.
///
///     OnlyAtTheEnd { scene, save in Story("… was saved in willTerminate alone", …) }
///
/// It is judged at the end of the process: an app that may not run in the background terminates at
/// once where another one is suspended, and saves there rightly.
struct OnlyAtTheEnd: Pattern {
  /// A save in willTerminate of an edit that didEnterBackground had left unsaved.
  struct Save: Opened {
    let object: NameID
    let edit: DataObject.Edit
    let entering: History.Run
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// More than this are not judged, which is said.
  private static let savesMax = 64
  let says: @Sendable (Scene, Save, _ isSure: Bool) -> Story
  private(set) var saves: [Save] = []

  init(says: @escaping @Sendable (Scene, Save, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] { [.event(.dataDurable)] + Trigger.endings }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard event.kind == .dataDurable else { return end(event, &context, names) }
    guard let object = context.state.data[names.known(event.identityName)],
      object.lastSave == nil, let edit = object.firstUnsaved ?? object.dirty,
      let entering = context.history.run(of: .didEnterBackground), entering.begin >= edit.time,
      // A task that was begun for it may have saved it later.
      !context.state.tasks.values.contains(where: { $0.time >= edit.time }),
      !Ledger.callback(.willTerminate).open(&context, names).isEmpty,
      context.hasRoom(saves.count, of: Self.savesMax, for: "save")
    else { return }
    saves.append(
      Save(
        object: object.name,
        edit: edit,
        entering: entering,
        time: event.time,
        sequence: event.sequence,
        site: event.site
      )
    )
  }

  private func end(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil,
      names[event.endingCause] != TerminationCause.exitsOnSuspend.rawValue
    else { return }
    if saves.isEmpty, context.history.run(of: .willTerminate) != nil, context.hasData {
      return context.held()
    }
    for save in saves {
      let doubt: Sentence? =
        context.doubt(.data, since: save.edit.time).map { "an earlier save may be missing: \($0)" }
      context.say(.broken(unless: doubt), object: save.object, event, names) {
        says($0, save, doubt == nil)
      }
    }
  }
}
