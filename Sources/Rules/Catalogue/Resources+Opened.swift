// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What the app is asked to open, before it is ready for that and later.
extension Resources {
  /// A URL that came with the launch, and what the app reported since and in a later one.
  private struct Opening {
    /// The URL, while its handling is open.
    var url: (name: NameID, time: HostTime, sequence: UInt64)?
    /// When the app had read it.
    var read: Witness?
    var isTold = false
    /// Whether it is still in the callback that read it.
    var isReading = false
    /// Where the app has reported something since its start.
    var sites: Set<SiteID> = []
    /// The call for a later one, and where the app reported something in it.
    var later: (begin: HostTime, sequence: UInt64, sites: Set<SiteID>)?
  }

  static let launched = Rule(
    "RS24",
    "A URL that the app is launched with is handled as a later one is.",
    source:
      "UIScene.ConnectionOptions.urlContexts: at a launch by a URL no other callback reports it",
    severity: .warning,
    fix:
      "Keep what came with the launch until those who handle it are there: a post that nobody observes "
      + "yet is lost.",
    restsOnAllWork: true,
    Recall(
      attention: [
        EventKind.resourceAcquire, .resourceRelease, .log, .mark, .dataDirty, .dataRestored,
        .workBegin, .callbackBegin, .callbackEnd,
      ].map(Trigger.event),
      memory: Opening()
    ) { opening, event, context, names in
      switch event.kind {
      case .resourceAcquire, .resourceRelease: given(event, &opening, context, names)
      case .callbackBegin:
        if opening.read != nil, context.callback == .openURL {
          opening.later = (event.time, event.sequence, [])
        }
        return nil
      case .callbackEnd:
        if context.callback != .openURL {
          opening.isReading = false
          return nil
        }
        return judge(&opening, context)
      default: break
      }
      note(event, &opening, names)
      return nil
    } says: { scene, opening in
      let name: Sentence = "\(name: scene.names[opening.url?.name ?? .empty])"
      let came = opening.url
      return Story(
        "nothing came of the URL \(name) that the app was launched with",
        [
          "The app read it when its scene was connected, and has reported nothing since that it reports for "
            + "the one that it was given now.",
          "Who was to handle it may not have been there yet.",
        ],
        [came.map { scene.witness("URL", $0.sequence, $0.time) }, opening.read].compactMap { $0 }
          + (opening.later.map { [scene.witness("later URL", $0.sequence, $0.begin)] } ?? [])
      )
    }
  )

  private static func given(
    _ event: borrowing Event,
    _ opening: inout Opening,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    if event.kind == .resourceAcquire {
      let given = Payload.ResourceAcquire(event)
      guard given.class.value == .other, names[given.attribute ?? .empty] == "url",
        !context.history.hasBecomeActive
      else { return }
      let (time, sequence) = (event.time, event.sequence)
      opening.url = (given.name, time, sequence)
    } else if let url = opening.url, opening.read == nil,
      Payload.ResourceRelease(event).name == url.name
    {
      let (stream, sequence, time) = (context.stream, event.sequence, event.time)
      opening.isReading = true
      opening.read = Witness(label: "read", stream: stream, sequence: sequence, time: time)
    }
  }

  /// The app reports something of its own.
  private static func note(
    _ event: borrowing Event,
    _ opening: inout Opening,
    _ names: borrowing Names
  ) {
    let site = event.site
    guard event.observer == .own, site != .none else { return }
    let file = names[site].file
    guard !names[file].isEmpty else { return }
    switch event.kind {
    // What is put off says nothing of what it is for.
    case .resourceAcquire, .resourceRelease:
      let kind = Payload.ResourceAcquire(event).class.value
      guard kind != .delayedWork, kind != .timer else { return }
    default: break
    }
    if opening.later != nil {
      opening.later?.sites.insert(site)
    } else if opening.isReading {
      // It has its own way for this one.
      opening.url = nil
      (opening.read, opening.isReading) = (nil, false)
    } else if opening.sites.count < LifeState.openMax {
      opening.sites.insert(site)
    }
  }

  private static func judge(
    _ opening: inout Opening,
    _ context: borrowing RuleContext
  ) -> Finding? {
    guard !opening.isTold, let url = opening.url, let later = opening.later else { return nil }
    guard !later.sites.isEmpty else {
      opening.later = nil
      return nil
    }
    guard later.sites.isDisjoint(with: opening.sites) else {
      opening = Opening()
      return .held
    }
    opening.isTold = true
    var doubt: Sentence?
    for family in [EventFamily.data, .work, .resource, .meta] where doubt == nil {
      doubt = context.unseen(family, since: url.time)
    }
    return .broken(unless: doubt.map { "what came of it may be missing: \($0)" })
  }
}
