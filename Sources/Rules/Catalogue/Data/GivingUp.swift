// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What the user has made is given up by the user alone.
enum GivingUp {
  /// In which nobody has asked the app to give something up.
  private static let wayOut: [Callback] = [
    .willResignActive, .didEnterBackground, .willTerminate, .didReceiveMemoryWarning,
  ]

  /// Why the version may have been needed no more.
  fileprivate enum Excuse {
    case none
    /// The user did something since.
    case asked(Pairs.Place)
    /// Work on the network has ended since.
    case sent(Pairs.Place)
    /// What can be made again is given up for memory.
    case memory
    /// Something else may be missing in the recording.
    case unknown
  }

  /// What may say that the version was not needed any more, the last of each.
  fileprivate struct Memory {
    /// A touch, or a call of the app by another than the system: the user may have asked for it.
    var asked: Pairs.Place?
    /// Work on the network that has ended: it may have sent it.
    var network: Pairs.Place?
    /// A message, or the release of a transaction: it stands elsewhere.
    var handedOver = HostTime(rawValue: .min)
    var found: (edit: DataObject.Edit, callback: Callback, excuse: Excuse)?
  }

  static let unasked = Rule(
    "DS15",
    "What no save covers is not given up on the way out: only the user gives it up.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: save user data "
      + "when the app moves to the background",
    severity: .warning,
    fix: "Save it there, unfinished as it is, and let the user give it up.",
    roles: .apps,
    restsOnAllWork: true,
    Recall(
      attention: [
        EventKind.dataDiscarded, .touch, .callbackBegin, .messageSend, .resourceRelease,
      ].map(Trigger.event) + [.workEnd(.network)],
      memory: Memory()
    ) { memory, event, context, names in
      switch event.kind {
      case .touch: memory.asked = Pairs.Place(event)
      case .callbackBegin: if context.callback == nil { memory.asked = Pairs.Place(event) }
      case .workEnd: memory.network = Pairs.Place(event)
      case .messageSend: memory.handedOver = event.time
      case .resourceRelease:
        let given = Payload.ResourceRelease(event).attribute ?? .empty
        if names[given] == "transaction" { memory.handedOver = event.time }
      default: return judged(event, &memory, &context, names)
      }
      return nil
    } says: { scene, memory in
      story(scene, memory)
    }
  )

  private static func judged(
    _ event: borrowing Event,
    _ memory: inout Memory,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    let given = Payload.DataDiscarded(event)
    guard event.observer == .own, let callback = context.calling(event, names),
      wayOut.contains(callback), let object = context.state.data[names.known(given.object)],
      let edit = object.dirty, given.version >= edit.version, edit.bytes > 0
    else { return nil }
    let first = (object.firstUnsaved ?? edit).time
    guard object.isUnsaved(at: .kernel), object.flushing == nil,
      object.lastCopy?.version != edit.version, memory.handedOver < first,
      !stands(edit, elsewhereThan: object, context)
    else { return .held }
    var doubt: Sentence? = context.state.doubtOfSave(of: object).map { "\($0.words)" }
    for family in [EventFamily.message, .resource, .device, .callback, .work] where doubt == nil {
      doubt = context.unseen(family, since: edit.time)
    }
    var excuse = Excuse.none
    if doubt != nil {
      excuse = .unknown
    } else if let asked = memory.asked, asked.sequence > edit.sequence {
      excuse = .asked(asked)
    } else if let sent = memory.network, sent.time > first {
      excuse = .sent(sent)
    } else if callback == .didReceiveMemoryWarning {
      excuse = .memory
    }
    memory.found = (edit, callback, excuse)
    if let doubt { return .unclear("what saved or sent it may be missing: \(doubt)") }
    if case .none = excuse { return .broken() }
    return .broken(.info)
  }

  /// Whether another object has saved the same bytes.
  private static func stands(
    _ edit: DataObject.Edit,
    elsewhereThan object: DataObject,
    _ context: borrowing RuleContext
  ) -> Bool {
    let content = DataObject.Content(bytes: edit.bytes, hash: edit.hash)
    guard content.hash != 0 else { return false }
    return context.state.data.values.contains {
      $0.name != object.name && $0.lastSave?.content == content
    }
  }

  private static func story(_ scene: Scene, _ memory: Memory) -> Story {
    let name: Sentence = "\(object: scene.names[scene.event.identityName])"
    guard let (edit, callback, excuse) = memory.found else {
      return Story("\(name) was given up", [], [scene.witness("given up")])
    }
    var witnesses = [scene.witness("edit", edit), scene.witness("given up")]
    let why: Sentence
    switch excuse {
    case .unknown: return Story("\(name) may have been given up unsaved", [], witnesses)
    case .none: why = "Nothing that the user did came in between."
    case .memory: why = "Whether it can be made again is not recorded."
    case .asked(let asked):
      why = "Whether the user had asked for that, \(scene.before(asked)), is not recorded."
      witnesses.append(scene.witness("the user", asked))
    case .sent(let sent):
      why = "Whether the work that ended \(scene.before(sent)) had sent it is not recorded."
      witnesses.append(scene.witness("work on the network", sent))
    }
    return Story(
      "\(name) version \(edit.version), \(bytes: edit.bytes), was given up"
        + "\(scene.at(scene.event.site)) in \(callback.rawValue)",
      [
        "It was made\(scene.at(edit.site)) \(scene.before(edit)), and no save of it is recorded.",
        why,
      ],
      witnesses
    )
  }
}
