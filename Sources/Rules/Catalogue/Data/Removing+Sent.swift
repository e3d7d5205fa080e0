// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What is given up with the request that carries it, before the answer.
extension Removing {
  /// An item that waits to be sent is given up behind the begin of its request, and the process ends
  /// before that has an answer: it is in no file, and nobody knows whether it has arrived.
  static let unanswered = Recall(
    attention: [
      EventKind.dataDiscarded, .dataDirty, .dataDurable, .workEnd,
    ].map(Trigger.event) + Trigger.endings,
    memory: Sent(),
    countsOnce: true,
    finds: { sent, event, context, names in
      switch event.kind {
      case .dataDiscarded:
        sent.givenUp(event, context, names)
        return nil
      case .dataDirty, .dataDurable:
        guard !sent.items.isEmpty else { return nil }
        let name = names.known(event.identityName)
        // Put back, or kept by another object: what was handed over may stand there.
        sent.items.removeAll { $0.object == name || $0.thread == event.thread }
        return nil
      case .workEnd:
        guard !sent.items.isEmpty, let work = context.closing else { return nil }
        let count = sent.items.count
        sent.items.removeAll { $0.request.sequence == work.sequence }
        return sent.items.count < count ? .held : nil
      case .purge, .processExit: return ended(event, &sent, context, names)
      default: return nil
      }
    },
    says: { scene, sent in
      guard let (item, isSure) = sent.found else {
        return Story("what was being sent may be lost", [], [scene.witness("end")])
      }
      let name: Sentence = "\(object: scene.names[item.object])"
      let witnesses = [
        scene.witness(Witness.open, item.request), scene.witness("given up", item),
        scene.witness("end"),
      ]
      guard isSure else {
        return Story("\(name) may have been given up before it was sent", [], witnesses)
      }
      return Story(
        "\(name) version \(item.version) was given up\(scene.at(item.site)) before the request that sends "
          + "it was answered, and that had no answer when \(scene.endClause)",
        [
          "\(scene.title(item.request).capitalised)\(scene.at(item.request.site)) had begun "
            + "\(scene.before(item.request)); the item was given up \(scene.words(item.time - item.request.time)) "
            + "later (\(scene.event(item.sequence))).",
          "If it has not arrived, nobody sends it again: no file has it.",
        ],
        witnesses,
        advice:
          "Give it up when the answer is there, and let the receiver drop what it has already: an end before "
          + "that sends it once more."
      )
    }
  )

  /// What was given up while its request was under way.
  struct Sent: Sendable {
    struct Item: Opened {
      let object: NameID
      let version: UInt64
      let request: OpenSpan
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
      let thread: ThreadID
    }

    fileprivate var items: [Item] = []
    fileprivate var found: (item: Item, isSure: Bool)?

    /// What stands in a file is given up by the piece of the program that has begun the request.
    fileprivate mutating func givenUp(
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names
    ) {
      let given = Payload.DataDiscarded(event)
      let (time, sequence, site, thread) = (event.time, event.sequence, event.site, event.thread)
      guard event.observer == .own, let object = context.state.data[names.known(given.object)],
        context.hasRoom(items.count, for: "item"),
        let request = Self.request(on: thread, at: time, context)
      else { return }
      let stood = max(
        object.durable[.kernel],
        max(object.restored?.version ?? 0, object.inherited?.version ?? 0)
      )
      guard stood > object.discarded, given.version == 0 || given.version >= stood,
        object.dirty?.version ?? 0 <= stood, object.lastSave?.sequence ?? 0 < request.sequence,
        !Self.isKept(object, since: request, context)
      else { return }
      items.append(
        Item(
          object: object.name,
          version: stood,
          request: request,
          time: time,
          sequence: sequence,
          site: site,
          thread: thread
        )
      )
    }

    /// The request that this thread has begun in the piece of the program that it is in.
    ///
    /// Outside of a callback or a turn one that has just begun: a thread of a pool does this and that.
    private static func request(
      on thread: ThreadID,
      at time: HostTime,
      _ context: borrowing RuleContext
    ) -> OpenSpan? {
      let open = context.state.spans.values.filter { $0.thread == thread }
      let piece = open.filter { $0.kind == .callbackBegin || $0.kind == .turnBegin }
        .min { $0.sequence < $1.sequence }
      let request = open.filter {
        $0.kind == .workBegin && $0.detail == UInt64(WorkKind.network.rawValue)
      }.max { $0.sequence < $1.sequence }
      guard let request else { return nil }
      if let piece { return piece.sequence < request.sequence ? request : nil }
      return time - request.time <= context.surely(context.profile.hang.hang) ? request : nil
    }

    /// Whether another object has been saved since the request began, or has the same content.
    private static func isKept(
      _ object: DataObject,
      since request: OpenSpan,
      _ context: borrowing RuleContext
    ) -> Bool {
      let content = object.standing(at: .kernel)
      return context.state.data.values.contains { other in
        guard other.name != object.name, let save = other.lastSave else { return false }
        return save.sequence > request.sequence
          || content.map { $0.hash != 0 && save.content.hash == $0.hash } ?? false
      }
    }
  }

  private static func ended(
    _ event: borrowing Event,
    _ sent: inout Sent,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    guard context.state.process.ending == nil, let item = sent.items.first else { return nil }
    let cause = names[event.endingCause]
    guard !HarnessEnd.isOne(cause), cause != TerminationCause.exit.rawValue else { return nil }
    var doubt: Sentence?
    for family in [EventFamily.data, .work] where doubt == nil {
      doubt = context.unseen(family, since: item.request.time)
        .map { "what became of it may be missing: \($0)" }
    }
    sent.found = (item, doubt == nil)
    // What the system sends for the app goes on without it.
    return .broken(unless: doubt, .warning)
  }
}
