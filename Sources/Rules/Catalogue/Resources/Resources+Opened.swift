// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What the app is asked to open, before it is ready for that and later.
extension Resources {
  /// What came with the launch, and what the app reported since and for a later one.
  private struct Opening {
    /// What the app is launched with.
    enum Kind {
      case url, response

      /// A later one that the app is given, as a witness.
      var later: String { self == .url ? "later URL" : "later response" }
    }

    var kind = Kind.url
    /// The URL or the response, while its handling is open; a response has no name.
    var came: (name: NameID, time: HostTime, sequence: UInt64)?
    /// When the app had read it.
    var read: Witness?
    var isTold = false
    /// Whether it is still in the callback that read it.
    var isReading = false
    /// Where the app has reported something since its start.
    var sites: Set<SiteID> = []
    /// The call for a later one, and where the app reported something in it.
    var later: (begin: HostTime, sequence: UInt64, sites: Set<SiteID>)?
    /// The URL of that, where it is recorded.
    var laterName: NameID?
  }

  /// How the callback for one is called, as a selector and in Swift.
  private static let responseNames = [
    "userNotificationCenter:didReceive", "userNotificationCenter(_:didReceive",
  ]

  static let launched = Rule(
    "RS24",
    "A URL or a tapped notification that the app is launched with is handled as a later one is.",
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
        begins(event, &opening, context, names)
        return nil
      case .callbackEnd:
        let site = context.closing?.site ?? .none
        guard opening.later != nil, isCall(for: opening.kind, site, context, names) else {
          opening.isReading = false
          return nil
        }
        return judge(&opening, context, names)
      default: break
      }
      note(event, &opening, context, names)
      return nil
    } says: { scene, opening in
      let isURL = opening.kind == .url
      let what: Sentence =
        isURL
        ? "the URL \(name: scene.names[opening.came?.name ?? .empty])" : "the tapped notification"
      let read: Sentence =
        isURL
        ? "The app read it when its scene was connected" : "The app was given it at its launch"
      let came =
        isURL ? opening.came.map { [scene.witness("URL", $0.sequence, $0.time)] } ?? [] : []
      return Story(
        "nothing came of \(what) that the app was launched with",
        [
          "\(read), and has reported nothing since that it reports for the one that it was given now.",
          "Who was to handle it may not have been there yet.",
        ],
        came + (opening.read.map { [$0] } ?? [])
          + (opening.later.map { [scene.witness(opening.kind.later, $0.sequence, $0.begin)] } ?? [])
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
      if given.class.value == .other, names[given.attribute ?? .empty] == "later-url" {
        opening.laterName = given.name
      }
      guard given.class.value == .other, names[given.attribute ?? .empty] == "url",
        !context.history.hasBecomeActive
      else { return }
      let (time, sequence) = (event.time, event.sequence)
      (opening.kind, opening.came) = (.url, (given.name, time, sequence))
    } else if let url = opening.came, opening.kind == .url, opening.read == nil,
      Payload.ResourceRelease(event).name == url.name
    {
      let (stream, sequence, time) = (context.stream, event.sequence, event.time)
      opening.isReading = true
      opening.read = Witness(label: "read", stream: stream, sequence: sequence, time: time)
    }
  }

  /// A callback begins: it brings the response that the app is launched with, or a later one.
  private static func begins(
    _ event: borrowing Event,
    _ opening: inout Opening,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    if opening.read != nil {
      guard isCall(for: opening.kind, event.site, context, names) else { return }
      opening.later = (event.time, event.sequence, [])
    } else if opening.came == nil, let launch = context.history.launch, !launch.isIntoBackground,
      isCall(for: .response, event.site, context, names)
    {
      let (stream, sequence, time) = (context.stream, event.sequence, event.time)
      (opening.kind, opening.came) = (.response, (.empty, time, sequence))
      opening.isReading = true
      opening.read = Witness(label: "response", stream: stream, sequence: sequence, time: time)
    }
  }

  /// Whether the callback that begins or ends brings another one of the kind.
  private static func isCall(
    for kind: Opening.Kind,
    _ site: SiteID,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    switch kind {
    case .url: return context.callback == .openURL
    case .response:
      guard context.callback == nil else { return false }
      let name = names[names[site].name]
      return responseNames.contains { name.hasPrefix($0) }
    }
  }

  /// The app reports something of its own.
  private static func note(
    _ event: borrowing Event,
    _ opening: inout Opening,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    let site = event.site
    guard event.observer == .own, site != .none else { return }
    let isQuiet = opening.later == nil && !opening.isReading
    if isQuiet, opening.sites.contains(site) { return }
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
      opening.came = nil
      (opening.read, opening.isReading) = (nil, false)
    } else if context.hasRoom(opening.sites.count, for: "line") {
      opening.sites.insert(site)
    }
  }

  private static func judge(
    _ opening: inout Opening,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    guard !opening.isTold, let came = opening.came, let later = opening.later else { return nil }
    let laterName = opening.laterName
    opening.laterName = nil
    let isAlike =
      opening.kind == .url ? laterName.map { asksAlike(names[came.name], names[$0]) } : nil
    guard !later.sites.isEmpty else {
      opening.later = nil
      return nil
    }
    // What the one of the launch asks for may have been there already.
    if isAlike == false {
      opening.later = nil
      return .held
    }
    guard later.sites.isDisjoint(with: opening.sites) else {
      opening = Opening()
      return .held
    }
    opening.isTold = true
    var doubt: Sentence?
    for family in [EventFamily.data, .work, .resource, .meta] where doubt == nil {
      doubt = context.unseen(family, since: came.time)
    }
    if let doubt { return .unclear("what came of it may be missing: \(doubt)") }
    // What a notification is about, or a URL, may not be recorded: the later one may be of another kind.
    return .broken(isAlike == nil ? .info : nil)
  }

  /// Whether two URLs ask for the same of two things: they differ in the last part of a path, or in
  /// what stands behind it, which is not recorded.
  private static func asksAlike(_ one: String, _ other: String) -> Bool {
    guard one != other else { return true }
    let parts = [one, other].map { $0.split(separator: "/", omittingEmptySubsequences: false) }
    return parts[0].count == parts[1].count && parts[0].count > 3
      && parts[0].dropLast() == parts[1].dropLast()
  }
}
