// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Hang.Block {
  /// What blocked main, for how long, and what it was doing in the middle of it.
  func story(_ scene: Scene) -> Story {
    guard let span else {
      return Story(
        "The system killed the app while it was active: its main thread did not answer",
        scene.mainDetails.isEmpty
          ? ["What the main thread was doing is not recorded."] : scene.mainDetails,
        [scene.witness("killed")]
      )
    }
    let name = scene.title(span)
    let begin = scene.witness("begin", span)
    let end =
      switch stop {
      case .ended: scene.witness("end")
      case .killed: scene.witness("killed")
      case .processEnded: scene.witness("end of the process")
      case .recordingEnded: scene.here("end of the recording")
      }
    switch doubt {
    case .untimed: return Story("\(name) may have blocked the main thread", [], [begin])
    case .length: return Story("\(name) may have blocked the main thread", [], [begin, end])
    case .state:
      let title: Sentence =
        "\(name) kept the main thread busy for \(scene.words(duration)), "
        + "perhaps while the app was active"
      return Story(title, [], [begin, end])
    case nil: break
    }
    let limits = scene.context.profile.hang
    let length = scene.words(duration)
    var story = Story(
      "\(name)\(scene.at(span.site)) blocked the main thread for \(length) while the app was active",
      [],
      [begin, end]
    )
    tellInside(scene, &story)
    tellWaiting(scene, &story)
    if stop == .killed { story.details += scene.mainDetails + scene.otherThreads }
    if duration >= scene.context.surely(limits.kill), stop != .killed {
      story.details.append("After \(scene.limit(limits.kill)) the system may kill the app.")
    } else if isSevere, stop != .killed {
      story.details.append(
        "From \(scene.limit(limits.severe)) on the system reports it as a hang."
      )
    }
    return story
  }

  /// Whether main computed next to nothing meanwhile.
  private func tellWaiting(_ scene: Scene, _ story: inout Story) {
    guard stop == .ended, scene.event.kind == .callbackEnd, scene.event.argumentCount > 1,
      scene.context.attributes.clock != .virtual,
      let cpu = Payload.CallbackEnd(scene.event).cpu, cpu <= duration / 8
    else { return }
    story.details.append("Main computed for \(duration: cpu) of it: it waited for something else.")
  }

  /// What main did meanwhile, or in the end.
  private func tellInside(_ scene: Scene, _ story: inout Story) {
    let ending: Sentence? =
      switch stop {
      case .ended: nil
      case .killed: "the watchdog killed the app"
      case .processEnded: "the process ended"
      case .recordingEnded: "the recording ended"
      }
    if let ending { story.details.append("It had not ended when \(ending).") }
    guard let inner else { return }
    let inside: Sentence = "\(scene.title(inner.span))\(scene.at(inner.span.site))"
    if ending != nil {
      story.details.append("At that moment it was in \(inside).")
      return story.witnesses.insert(scene.witness("inside", inner.span), at: 1)
    }
    let part = inner.end - inner.span.time
    story.details.append("\(scene.words(part)) of it is \(inside).")
    story.witnesses.append(scene.witness("longest part", inner.span))
  }
}
