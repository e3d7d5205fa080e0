// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DL, wakes: each has its time, and an answer that the system waits for.
enum WakeDeadlines {
  static let wake = Rule(
    "DL09",
    "The completion handler of every wake is called in time.",
    source: "UIApplicationDelegate background fetch and push; codes 0x2182bad3 and 0x2182bad4",
    fix: "Call the completion handler on every path, failures included.",
    restsOnAllWork: true,
    thresholds: ["wake-handler", "processing-task"],
    Extent(
      ledger: .wakes,
      clock: { wake, end, context, names in
        let reason = names[wake.reason]
        // The short time of a VoIP push is that of the report; its completion has what others have.
        let limit =
          reason == "voip" ? context.profile.wakeHandler : context.profile.limit(ofWake: reason)
        return .init(length: end - wake.time, limit: .init(nanoseconds: limit.kill))
      },
      isKilled: { wake, event, context, names in
        let reason = names[wake.reason]
        // There the system kills for the report of the call, whatever became of the completion.
        if reason == "voip" { return false }
        let code = reason == "url-session" ? TerminationCode.urlSession : TerminationCode.fetch
        return context.isKill(event, code: code, names)
      },
      killsOldest: true,
      cut: .over
    ) { scene, wake, late in
      let title: Sentence = "the wake by \(name: scene.names[wake.reason])"
      let limit = scene.limit(late.limit.kill)
      let verb = late.stop == .ended ? "was called after" : "was not called for"
      let isLate = late.length > scene.context.surely(late.limit.kill)
      let handler = scene.context.lastRun(of: .expirationHandler).flatMap {
        late.stop != .ended && $0.begin >= wake.time ? $0 : nil
      }
      var story = late.story(
        scene,
        wake,
        from: "wake",
        to: late.stop == .ended ? "completion" : "end",
        open: "\(title) has no completion",
        because: scene.missing("the completion", .wake, since: wake)
          ?? "the recording ends \(scene.words(late.length)) into \(limit)",
        unclear: "\(title) may have taken too long",
        over: "the completion handler of \(title) \(verb) "
          + "\(scene.words(late.length, over: late.limit.warn))",
        [isLate ? "The limit is \(limit)." : "The system killed the app for it."]
          + (handler.map {
            [
              "An expiration handler had run\(scene.at($0.site)) "
                + "\(scene.before($0.begin, $0.beginSequence)), and had not completed it either."
            ]
          } ?? [])
      )
      if let handler, case .over = late.outcome {
        story.witnesses.append(
          scene.witness("expiration handler", handler.beginSequence, handler.begin, handler.site)
        )
      }
      return story
    }
  )

  static let completedOnce = Rule(
    "DL10",
    "A completion handler is called once.",
    source: "UIKit's contract of completion handlers: call once",
    severity: .warning,
    fix: "Guard the call, or clear the handler when it was called.",
    Unopened(ledger: .wakes, judgesUnbegun: false) { scene, earlier in
      // Without what the host puts before the ids that it gives.
      Story(
        "wake \(scene.event.identity & UInt64(UInt32.max)) was completed again\(scene.at(scene.event.site))",
        (earlier.map { ["Its completion handler had been called \(scene.before($0))."] } ?? [])
          + (scene.caller == nil ? [] : ["The second call came\(scene.calledIn)."]),
        scene.callerWitness + [scene.witness("completion")]
          + (earlier.map { [scene.witness("completed before", $0.sequence, $0.time)] } ?? [])
      )
    }
  )

  static let call = Rule(
    "DL12",
    "A VoIP wake is answered by the report of a call, in time.",
    source:
      "PushKit: every VoIP push must be reported to CallKit; the system kills with 0xbaadca11",
    fix: "Report the call first of all, on every path; connect afterwards.",
    restsOnAllWork: true,
    thresholds: ["voip-report"],
    CallReport { scene, call in
      let limit = scene.context.profile.voipReport
      let (begin, end) = (scene.witness("wake", call.wake), scene.here("end"))
      let length = scene.words(call.length)
      let rule: Sentence =
        "It should be reported within \(scene.limit(limit.warn)); the system kills at "
        + "\(scene.limit(limit.kill))."
      switch call.outcome {
      case .late:
        return Story(
          "the call of a VoIP wake was reported after \(length)",
          [rule],
          [begin, scene.witness("reported")]
        )
      case .completed:
        return Story(
          "a VoIP wake was completed, and no call was reported",
          ["The completion handler was called \(length) after the wake\(scene.calledIn).", rule],
          [begin] + scene.callerWitness + [scene.witness("completed")]
        )
      case .unreported:
        return Story("no call was reported for \(length) after a VoIP wake", [rule], [begin, end])
      case .killed:
        return Story(
          "the system killed the app: a VoIP wake came and no call was reported",
          [rule],
          [begin, scene.witness("killed")]
        )
      case .unclear:
        return Story(
          "the call of a VoIP wake may not have been reported in time",
          [],
          [begin, end]
        )
      }
    }
  )

  static let bluetooth = Rule(
    "DL13",
    "The work of a Bluetooth wake is done within seconds.",
    source: "Core Bluetooth Programming Guide: about 10 seconds to complete a task",
    severity: .warning,
    fix: "Do less, or begin a background task for the rest.",
    restsOnAllWork: true,
    thresholds: ["bluetooth-wake"],
    Extent(
      ledger: .bluetoothWakes,
      clock: { wake, end, context, _ in
        // A background task has a time of its own.
        guard context.state.tasks.isEmpty else { return nil }
        return .init(length: end - wake.time, limit: context.profile.bluetoothWake)
      }
    ) { scene, wake, late in
      late.story(
        scene,
        wake,
        from: "wake",
        to: "completion",
        open: "the wake by bluetooth has no completion",
        because: "nothing has ended it",
        unclear: "the wake by bluetooth may have taken too long",
        over: "the wake by bluetooth took \(scene.words(late.length, over: late.limit.warn))",
        [
          "It may take \(scene.limit(late.limit.warn)); the system throttles or kills what takes longer."
        ]
      )
    }
  )
}
