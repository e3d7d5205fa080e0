// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRecorder
import LifetraceScenario
import LifetraceTrace

/// How a process of an app comes to be, up to its first line and the answer to it.
extension ProcessWorld {
  func start(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> AppConfiguration? {
    if slots[app].greeting == nil {
      guard try prewarm(app, plan, limit: limit) else { return nil }
    }
    guard let greeting = slots[app].greeting else { return nil }
    slots[app].greeting = nil
    return welcome(app, greeting)
  }

  func prewarm(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> Bool {
    let deadline = now + limit
    slots[app].launches += 1
    slots[app].hungUp = false
    slots[app].lastStatus = nil
    slots[app].writer = nil
    slots[app].opening = nil
    slots[app].garbage = 0
    slots[app].stranger = nil
    let socket = try AppSocket(path: "\(directory)/app\(app)-\(slots[app].launches).sock")
    slots[app].socket = socket
    var options = LaunchOptions()
    options.environment = [
      (name: "LIFETRACE_HOST", value: socket.path),
      (name: "LIFETRACE_REASON", value: plan.reason),
      (name: "LIFETRACE_PREVIOUS", value: slots[app].previous.map(\.text) ?? ""),
      // For one that is observed, and gives itself none.
      (name: "LIFETRACE_CALLED", value: scenario.apps[app].name),
    ]
    // The trace has the name that the app gives itself, unless two of them would have the same.
    if slots.indices.contains(where: { $0 != app && slots[$0].command == slots[app].command }) {
      options.environment.append(("LIFETRACE_APP", scenario.apps[app].name))
    }
    if !folders.isEmpty { options.environment.append(("LIFETRACE_DATA", folders[app])) }
    let end = plan.end.flatMap { $0.isSeenFromOutside ? nil : $0 }
    if let end {
      options.environment.append(("LIFETRACE_END", end.variable))
      // A script may be replaced by the app: what ends is the process, whatever runs in it by then.
      options.environment.append(("LIFETRACE_END_PID", String(repeating: " ", count: 10)))
    }
    if let deviceDisk { options.environment.append(("LIFETRACE_DISK", deviceDisk.directory)) }
    // A crash must not ask a user what to do with it.
    if environment("SWIFT_BACKTRACE") == nil {
      options.environment.append(("SWIFT_BACKTRACE", "interactive=no,color=no"))
    }
    options.output = appOutput
    let output = makeOutput()
    output?.join(&options)
    defer { output?.closeWriters() }
    do {
      let process = try recorder.launch(slots[app].command, options)
      slots[app].process = process
      if let end { recorder.doom(pid: process.pid, end.death) }
      output?.startPassing(process.pid, to: recorder)
      slots[app].output = output
    } catch {
      throw HostError("cannot launch \(slots[app].command.joined(separator: " ")): \(error)")
    }
    var meanwhile: [WorldEvent] = []
    defer { held += meanwhile }
    while now < deadline {
      if slots[app].process?.status != nil { return false }
      for event in pump(until: deadline) {
        switch event {
        case .said(app, .hello(let hello)):
          slots[app].stranger = stranger(in: app, hello)
          guard slots[app].stranger == nil else { return false }
          slots[app].greeting = hello
        case .ended(app): return false
        default: meanwhile.append(event)
        }
      }
      guard let greeting = slots[app].greeting, let pid = slots[app].process?.pid else { continue }
      // An app that does not record its own life gets its stream from the host.
      guard greeting.configuration.records else { return true }
      slots[app].writer = recorder.waitForWriter(
        ofPID: pid,
        nanoseconds: min(deadline - now, 200_000_000)
      )
      slots[app].previous = slots[app].writer ?? slots[app].previous
      return true
    }
    return false
  }

  /// The process that speaks for an app and is not the one that was launched: a script has started it,
  /// and would be suspended and killed in its place.
  private func stranger(in app: Int, _ hello: AppMessage.Hello) -> Int32? {
    guard let launched = slots[app].process?.pid, let speaker = slots[app].socket?.peerPID,
      speaker != 0, speaker != launched, hello.pid != launched
    else { return nil }
    return speaker
  }

  /// Pipes for what an app prints; where the system gives none, it is printed and not recorded.
  private func makeOutput() -> OutputPipes? {
    let targets = (capturesOutput ? [STDOUT_FILENO] : []) + [STDERR_FILENO]
    let (recorder, device) = (recorder, recorder.deviceWriter)
    let output = OutputPipes(to: targets) { problem in
      recorder.record(
        RecordedEvent { Payload.Log(text: $0.name(problem), level: .notice) },
        about: device
      )
    }
    return output
  }

  func nameSaid(by app: Int) -> String? { slots[app].nameSaid }

  private func welcome(_ app: Int, _ hello: AppMessage.Hello) -> AppConfiguration {
    slots[app].nameSaid = hello.app
    var welcome = HostLine.Welcome()
    welcome.profile = profile.name
    welcome.timeScale = scenario.timeScalePermille
    welcome.grantTasks(profile.backgroundTask.kill, to: hello.configuration)
    welcome.scenes = profile.hasScenes
    if !hello.configuration.records, let pid = slots[app].process?.pid {
      recorder.identify(pid: pid, as: scenario.apps[app].name, after: slots[app].previous)
    }
    slots[app].socket?.send(.welcome(welcome))
    return hello.configuration
  }

  func whyNoGreeting(from app: Int, within limit: Int64) -> String {
    let program = slots[app].command.first ?? ""
    if let stranger = slots[app].stranger {
      return
        "`\(program)` has started the app as a process of its own (\(stranger)), which would be neither "
        + "suspended nor killed with it: name the app itself, or let a script become it by `exec`, and put "
        + "`timeout` around `lifetrace record`"
    }
    switch slots[app].lastStatus ?? slots[app].process?.status {
    case .code(let code): return "`\(program)` exited with \(code) before it connected"
    case .signal(let number): return "`\(program)` died of signal \(number) before it connected"
    case .unknown, nil: break
    }
    let unscaled = scenario.timeScale == 1 ? "" : ", which `time-scale` does not change"
    let within =
      "within \(Quantity.duration(limit)) (the limit of a launch in \(profile.name)\(unscaled))"
    if let (line, fault) = slots[app].opening {
      if fault.isEmpty { return "`\(program)` said hello, and was not ready \(within)" }
      return "`\(program)` connected, but its first line is no hello, as \(fault): "
        + Printable.line(line)
    }
    let connected = slots[app].socket.map { $0.peer >= 0 } ?? false
    return connected
      ? "`\(program)` connected, but said no hello \(within)"
      : "`\(program)` did not connect \(within)"
  }
}

extension ScriptedEnd {
  /// What a process with the SDK reads in `LIFETRACE_END`: which event of which kind, and its name.
  fileprivate var variable: String {
    let kind = event.map { "\($0.kind.rawValue)" } ?? "0"
    return "\(count) \(kind)" + (event?.name.map { " " + $0 } ?? "")
  }
}
