// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Connections that a suspension may have taken down.
extension Notifications {
  static let connected = Rule(
    "NQ11",
    "A connection from before a suspension is made anew before it is used; what comes out of it before the "
      + "app is back counts where it is never made anew.",
    source:
      "App Programming Guide, Background Execution: be prepared to handle connection failures "
      + "in your network-based sockets",
    severity: .warning,
    fix: "Close it in didEnterBackground, and connect again at the return.",
    restsOnAllWork: true,
    Recall(
      attention: [EventKind.resourceUse, .resourceAcquire, .resourceRelease].map(Trigger.event)
        + Trigger.stateChanges,
      memory: Connections(),
      finds: { known, event, context, names in
        if let change = context.change {
          if [.background, .suspended, .notRunning].contains(change.to), change.from != .suspended {
            known.leave(change.to == .notRunning, event, &context, names)
          }
          if change.suspends { known.told.removeAll() }
          return nil
        }
        let name = event.identityName
        switch event.kind {
        case .resourceUse: break
        case .resourceAcquire:
          guard Payload.ResourceAcquire(event).class.value == .socket else { return nil }
          return known.early.removeValue(forKey: name).map { _ in .held }
        case .resourceRelease:
          guard Payload.ResourceRelease(event).class.value == .socket else { return nil }
          return known.early.removeValue(forKey: name).map { _ in .held }
        default: return nil
        }
        guard Payload.ResourceUse(event).class.value == .socket,
          let slept = context.state.lastSuspended, let socket = connection(name, context)
        else { return nil }
        guard socket.time < slept else { return .held }
        guard !known.told.contains(name), context.hasRoom(known.told.count, for: "connection")
        else { return nil }
        // Bytes that had come before are read as soon as the app runs, whatever it does at its return.
        let isBack =
          context.state.appState != .background
          || context.hasOpenCall { $0.kind == .callbackBegin }
        guard isBack else {
          known.note(name, socket, event, context, names)
          return nil
        }
        known.early[name] = nil
        known.told.insert(name)
        return used(socket, context)
      },
      ends: { known, last, context, names in known.leave(true, last, &context, names) },
      says: { scene, _ in usedStory(scene) }
    )
  )

  /// What is known of the uses since the last suspension, by the names of the connections.
  private struct Connections: Sendable {
    struct Early: Sendable {
      let socket: HeldResource
      let moment: (sequence: UInt64, time: HostTime)
      let story: Story
    }

    var told: Set<NameID> = []
    /// The first uses before the app was back.
    var early: [NameID: Early] = [:]

    mutating func note(
      _ name: NameID,
      _ socket: HeldResource,
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names
    ) {
      guard early[name] == nil, context.hasRoom(early.count, for: "connection") else { return }
      let scene = Scene(event: copy event, context: copy context, names: copy names)
      early[name] = Early(
        socket: socket,
        moment: (event.sequence, event.time),
        story: usedStory(scene)
      )
    }

    /// The app has had its time to make them anew; one that ends may not have come back yet.
    mutating func leave(
      _ isEnd: Bool,
      _ event: borrowing Event,
      _ context: inout RuleContext,
      _ names: borrowing Names
    ) {
      let isBack = [.active, .inactive].contains(context.state.appState)
      for (name, early) in early.sorted(by: { $0.key.rawValue < $1.key.rawValue })
      where isBack || !isEnd {
        told.insert(name)
        context.say(used(early.socket, context), at: early.moment, event, names) { _ in
          early.story
        }
      }
      early = [:]
    }
  }

  private static func used(_ socket: HeldResource, _ context: borrowing RuleContext) -> Finding {
    let doubt = context.doubt(.resource, since: socket.time)
    return .broken(unless: doubt.map { "that it was made anew may be missing: \($0)" })
  }

  private static func usedStory(_ scene: Scene) -> Story {
    let name = scene.event.identityName
    let title: Sentence =
      "the connection \(name: scene.names[name]) was used\(scene.at(scene.event.site)) as it was "
      + "before the suspension"
    guard let socket = connection(name, scene.context), let slept = scene.state.lastSuspended
    else { return Story(title, [], [scene.witness("used")]) }
    return Story(
      title,
      [
        "It was made\(scene.at(socket.site)) \(scene.before(socket)); the app has been suspended "
          + "\(scene.since(slept)) ago, and the system may have taken it down."
      ],
      [scene.witness("connected", socket), scene.witness("used")]
    )
  }

  private static func connection(
    _ name: NameID,
    _ context: borrowing RuleContext
  ) -> HeldResource? {
    context.state.resources.values.filter { $0.resourceClass == .socket && $0.name == name }
      .max { $0.sequence < $1.sequence }
  }
}
