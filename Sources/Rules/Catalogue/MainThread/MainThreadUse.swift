// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family MT: what the main thread must not do, and what it alone may.
enum MainThreadUse {
  static let family = RuleFamily(
    "MT",
    "The main thread",
    [
      network, files, computing, interface, launchWork, graphicsEarly, graphicsBehind, unseen,
      waiting,
    ]
  )

  static let network = Rule(
    "MT01",
    "Nothing on the main thread waits for the network.",
    source: "App Programming Guide, The App Life Cycle: threads and concurrency",
    fix: "Use an asynchronous request.",
    roles: .interactive,
    thresholds: ["main-file"],
    MainWork(
      kinds: [.network],
      least: { $0.mainFile.warn },
      isGrave: { $0.isLaunching }
    ) { scene, span, outcome in
      let what: Sentence =
        "\(scene.title(span))\(scene.at(span.site)) used the network on the main thread"
      let witnesses = witnesses(scene, span)
      if outcome == .mayNotBlock {
        return Story("\(what), which may have gone on with other things", [], witnesses)
      }
      let details: [Sentence] =
        scene.context.isLaunching
        ? ["The app was launching: the user waits, and so does the watchdog."] : []
      return Story("\(what) for \(scene.since(span.time))", details, witnesses)
    }
  )

  static let files = Rule(
    "MT02",
    "No file access on the main thread is long enough to miss a frame.",
    source: "App Programming Guide; Performing I/O on the main thread can cause hangs",
    fix: "Read and write on a background queue.",
    roles: .interactive,
    thresholds: ["main-file"],
    slow([.file, .database], "accessed files") { $0.mainFile }
  )

  static let computing = Rule(
    "MT03",
    "No computation on the main thread is long enough to be felt.",
    source: "App Programming Guide: lengthy tasks never on the main thread",
    fix: "Compute on a background queue and hand the result to main.",
    roles: .interactive,
    thresholds: ["main-compute"],
    slow([.compute], "computed") { $0.mainCompute }
  )

  private static func slow(
    _ kinds: [WorkKind],
    _ doing: Sentence,
    atMost limit: @escaping @Sendable (borrowing Profile) -> Profile.Limit
  ) -> MainWork {
    MainWork(kinds: kinds, limit: limit) { scene, span, outcome in
      let what: Sentence = "\(scene.title(span))\(scene.at(span.site)) \(doing) on the main thread"
      let limit = limit(scene.context.profile)
      let witnesses = witnesses(scene, span)
      switch outcome {
      case .mayNotBlock:
        return Story("\(what), which may have gone on with other things", [], witnesses)
      case .unclear: return Story("\(what), perhaps too long", [], witnesses)
      case .reported:
        let details: [Sentence] = ["Its report does not say for how long."]
        return Story("\(what), says the system", details, witnesses)
      case .over:
        let length = scene.words(scene.event.time - span.time)
        return Story(
          "\(what) for \(length)",
          scene.event.observer == .observe
            ? ["The limit of a call that is seen from outside is \(scene.limit(limit.kill))."]
            : [
              "The limit is \(scene.limit(limit.warn)); from \(scene.limit(limit.kill)) on it is "
                + "an error."
            ],
          witnesses
        )
      }
    }
  }

  private static func witnesses(_ scene: Scene, _ span: OpenSpan) -> [Witness] {
    let end = scene.event.kind == .workEnd ? "end" : "end of the process"
    return [scene.witness("begin", span), scene.witness(end)]
  }

  static let interface = Rule(
    "MT04",
    "User-interface work runs on the main thread.",
    source: "App Programming Guide: views and Core Animation must be used on the main thread; "
      + "urlSessionDidFinishEvents(forBackgroundURLSession:): the completion handler is UIKit's, "
      + "and must be called there",
    fix: "Dispatch it to the main queue.",
    roles: .interactive,
    Each(attention: [.workBegin(.ui), .event(.wakeCompletion)], countsOnce: true) {
      event,
      context,
      names in
      if event.kind == .wakeCompletion {
        guard let wake = context.state.wakes[event.identity], names[wake.reason] == "url-session"
        else { return nil }
      }
      return event.thread == .main ? .held : .broken()
    } says: { scene in
      if scene.event.kind == .wakeCompletion {
        return Story(
          "the completion handler of the background URL session was called on thread "
            + "\(scene.event.thread.rawValue)",
          (scene.caller == nil ? [] : ["It was called\(scene.calledIn)."])
            + ["The system takes its picture of the app then, and updates what is on the screen."],
          scene.callerWitness + [scene.witness("called")]
        )
      }
      let site = scene.at(scene.event.site)
      let thread = scene.event.thread.rawValue
      return Story(
        "\(scene.eventTitle)\(site) changed the user interface on thread \(thread)",
        [],
        [scene.witness("begin")]
      )
    }
  )
}
