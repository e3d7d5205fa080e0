// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Memory, processor and graphics of an app that is not in use.
extension Resources {
  /// The footprints that a rule compares, each with its event.
  private struct Footprints: Sendable {
    /// Before the app left the active state.
    var active: Sample?
    /// At the last warning.
    var warning: Sample?
    /// The last one.
    var last: Sample?

    struct Sample: Opened {
      let bytes: UInt64
      let time: HostTime
      let sequence: UInt64
      var site: SiteID { .none }

      init(_ event: borrowing Event) {
        bytes = Payload.MemorySample(event).footprint
        (time, sequence) = (event.time, event.sequence)
      }
    }
  }

  static let kept = Rule(
    "RS08",
    "An app that uses much memory releases some of it in the background.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: reduce your "
      + "memory footprint; the largest apps are purged first",
    severity: .warning,
    fix: "Drop caches, images and whatever can be made again in didEnterBackground.",
    thresholds: ["large-footprint", "kept-footprint"],
    Recall(
      attention: [.event(.memorySample)] + Trigger.stateChanges,
      memory: Footprints()
    ) { seen, event, context, _ in
      if event.kind == .memorySample {
        seen.last = Footprints.Sample(event)
        return nil
      }
      guard let change = context.change else { return nil }
      if change.from == .active {
        seen.active = seen.last.flatMap { $0.time >= context.state.stateSince ? $0 : nil }
      }
      guard change.suspends, let active = seen.active, let last = seen.last,
        last.time >= context.state.stateSince
      else { return nil }
      let profile = context.profile
      guard last.bytes > profile.largeFootprint else { return .held }
      guard Double(last.bytes) >= profile.keptFootprint * Double(active.bytes) else { return .held }
      return .broken(unless: context.doubt(.resource, since: active.time))
    } says: { scene, seen in
      guard let active = seen.active, let last = seen.last else {
        return Story("the app kept its memory", [], [scene.witness("suspended")])
      }
      let share = scene.context.profile.keptFootprint
      return Story(
        "the app was suspended with \(bytes: last.bytes) of memory, as good as all that it had "
          + "when it was active",
        [
          "It had \(bytes: active.bytes) when it left the active state; "
            + "\(Int(share * 100)) % of that or more is nothing released. From "
            + "\(bytes: scene.context.profile.largeFootprint) on it matters."
        ],
        [scene.witness("active", active), scene.witness("at the suspension", last)]
      )
    }
  )

  static let warned = Rule(
    "RS13",
    "An app that uses much memory answers a memory warning by releasing some of it.",
    source: "Xcode documentation, Responding to low-memory warnings",
    severity: .warning,
    fix: "Drop caches, images and whatever can be made again in didReceiveMemoryWarning.",
    thresholds: ["large-footprint"],
    Recall(
      attention: [.event(.memorySample), .event(.device)] + Trigger.endings,
      memory: Footprints()
    ) { seen, event, context, names in
      switch event.kind {
      case .memorySample: seen.last = Footprints.Sample(event)
      case .device:
        if names[Payload.Device(event).what] == "memory-warning" { seen.warning = seen.last }
      default:
        guard context.state.process.ending == nil, context.state.appState != .suspended,
          let before = seen.warning, let last = seen.last, last.sequence > before.sequence,
          isMemoryKill(event, names)
        else { return nil }
        // A small app has nothing to release.
        guard before.bytes > context.profile.largeFootprint, last.bytes >= before.bytes else {
          return .held
        }
        return .broken(unless: context.doubt(.resource, since: before.time))
      }
      return nil
    } says: { scene, seen in
      guard let before = seen.warning, let last = seen.last else {
        return Story("a memory warning changed nothing", [], [scene.witness("end")])
      }
      return Story(
        "the app released nothing after a memory warning, and the system took its memory",
        ["It had \(bytes: before.bytes) at the warning, and \(bytes: last.bytes) at the end."],
        [scene.witness("at the warning", before), scene.witness("at the end", last)]
      )
    }
  )

  private static func isMemoryKill(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    if event.kind == .purge { return true }
    return ["purge", "jetsam", JetsamReason.overLimit].contains(names[event.endingCause])
  }

  static let busy = Rule(
    "RS12",
    "The app does not compute all the time in the background.",
    source: guide,
    severity: .warning,
    fix: "Do less, or in a processing task, which the system begins when the device is idle.",
    thresholds: ["background-cpu", "busy-share"],
    Recall(
      attention: [.event(.cpuSample), .event(.transition)],
      memory: Load()
    ) { load, event, context, _ in
      switch event.kind {
      case .cpuSample:
        guard context.state.appState == .background else { return nil }
        let sample = Payload.CpuSample(event)
        (load.cpu, load.wall) = (sample.cpu, sample.wall)
      default:
        let cpu = Payload.Transition(event).cpu ?? 0
        if context.change?.to == .background { load.entered = (cpu, event.time) }
        guard context.change?.from == .background, let entered = load.entered, cpu > 0 else {
          return nil
        }
        (load.cpu, load.wall) = (cpu - entered.cpu, event.time - entered.time)
      }
      guard load.wall > 0 else { return nil }
      let share = Double(load.cpu) / Double(load.wall)
      guard share > context.profile.busyShare else { return .held }
      switch context.compare(load.wall, context.profile.backgroundCPU.warn) {
      case .within: return .held
      case .unclear(let reason): return .unclear(reason)
      case .over: return .broken()
      }
    } says: { scene, load in
      let limit = scene.limit(scene.context.profile.backgroundCPU.warn)
      return Story(
        "the app computed for \(duration: load.cpu) of \(duration: load.wall) in the background",
        [
          "From \(limit) on, \(Int(scene.context.profile.busyShare * 100)) % of the time is all the "
            + "time: it costs the battery, and the system may end the app."
        ],
        [scene.stateWitness, scene.here("here")]
      )
    }
  )

  /// Processor time over wall time.
  private struct Load: Sendable {
    var cpu: Int64 = 0
    var wall: Int64 = 0
    /// Processor time so far, and when, at the begin of the stay in the background.
    var entered: (cpu: Int64, time: HostTime)?
  }

  static let frames = Rule(
    "RS03",
    "An inactive app draws less often than an active one.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: throttle down "
      + "OpenGL ES frame rates",
    severity: .warning,
    fix: "Lower the frame rate in willResignActive, and raise it in didBecomeActive.",
    thresholds: ["frames", "unthrottled-frames"],
    Recall(
      attention: [.event(.resourceUse), .workBegin(.gl), .event(.transition)],
      memory: Frames()
    ) { frames, event, context, _ in
      guard let change = context.change else {
        let isFrame =
          event.kind == .workBegin || Payload.ResourceUse(event).class.value == .gl
        if isFrame { frames.draw(in: context.state.appState) }
        return nil
      }
      let length = event.time - context.state.stateSince
      let least = context.scaled(context.profile.frames.warn)
      switch change.from {
      case .active: frames.leave(after: length, since: context.state.stateSince)
      case .inactive where context.state.stateBefore == .active && length >= least:
        frames.inactiveLength = length
        guard frames.activeLength >= least, frames.active > 0 else { break }
        let since = frames.activeSince
        if let doubt = context.unseen(.resource, since: since)
          ?? context.unseen(.work, since: since)
        {
          return .unclear("frames may be missing: \(doubt)")
        }
        return frames.share >= context.profile.unthrottledFrames ? .broken() : .held
      default: break
      }
      if change.to == .active { frames = Frames() }
      return nil
    } says: { scene, frames in
      Story(
        "the app drew \(frames.inactive) frames while it was inactive, and not slower than before",
        [
          "That is in \(scene.words(frames.inactiveLength)); the \(frames.active) frames before took "
            + "\(scene.words(frames.activeLength))."
        ],
        [scene.stateWitness, scene.here("end of the inactive state")]
      )
    }
  )

  /// Frames drawn in a stay in the active state, and in the inactive one behind it.
  private struct Frames: Sendable {
    private(set) var active = 0
    private(set) var inactive = 0
    private(set) var activeLength: Int64 = 0
    private(set) var activeSince = HostTime(rawValue: 0)
    var inactiveLength: Int64 = 0

    mutating func draw(in state: AppState) {
      if state == .active { active += 1 }
      if state == .inactive { inactive += 1 }
    }

    mutating func leave(after length: Int64, since time: HostTime) {
      (activeLength, activeSince, inactive) = (length, time, 0)
    }

    /// How often it draws while inactive, as a share of how often it drew before.
    var share: Double {
      let before = Double(active) / Double(activeLength)
      return Double(inactive) / Double(inactiveLength) / before
    }
  }

  static let newWork = Rule(
    "RS15",
    "No new computation begins in an inactive app.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: do not start "
      + "any new tasks",
    severity: .warning,
    fix: "Wait for didBecomeActive, or do it under a background task if it cannot wait.",
    restsOnAllWork: true,
    Each(attention: [.workBegin(.compute)], countsOnce: true) { event, context, _ in
      guard context.state.appState == .inactive, context.state.stateBefore == .active,
        // Another thread may have begun it before, and be heard late.
        event.time >= context.state.stateSince
      else { return .held }
      // Part of what began before, of a save, or what a background task says cannot wait.
      guard context.state.tasks.isEmpty, !context.isPart(event) else { return .held }
      if let doubt = context.doubt(.task) { return .unclear("a task may be missing: \(doubt)") }
      return .broken()
    } says: { scene in
      Story(
        "\(scene.eventTitle)\(scene.at(scene.event.site)) began while the app was inactive",
        [
          "The app had been inactive for \(scene.since(scene.state.stateSince)), and no background "
            + "task said that it could not wait."
        ],
        [scene.stateWitness, scene.witness("begin")]
      )
    }
  )
}

extension RuleContext {
  /// Whether work begins inside other work of its thread, or in what the app was called for before
  /// it became inactive, or while data is being saved.
  fileprivate func isPart(_ event: borrowing Event) -> Bool {
    let thread = event.thread
    for span in state.spans.values where span.thread == thread {
      if span.kind == .workBegin { return true }
      if span.kind == .callbackBegin, span.time <= state.stateSince { return true }
    }
    return state.data.values.contains { $0.flushing != nil }
  }
}
