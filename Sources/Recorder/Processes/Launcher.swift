// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// Starts processes, from one thread that lives as long as the recorder.
final class Launcher: Sendable {
  private let thread: JobThread
  private let marker: String
  private let observation: Observation?
  private let deathSignal: Int32
  private let guardianPipe: Int32
  let guardianPID: Int32
  /// Where launched processes can be frozen; nil where that was not asked for, or is not permitted.
  private let groups: ControlGroups?
  /// Why it is not permitted.
  let whyNoFreezer: String?

  init(session: String, options: RecorderOptions) throws(RecorderError) {
    guard let thread = JobThread.start("lifetrace-spawn") else {
      throw .system(action: "start", subject: "the thread that launches", errno: EAGAIN)
    }
    self.thread = thread
    marker = "LIFETRACE_SESSION=\(session)"
    observation = options.observation
    deathSignal = options.launchedDieWithRecorder ? SIGKILL : 0
    var pipe: Int32 = -1
    guardianPID = options.launchedDieWithRecorder ? cplatform_guardian_start(marker, &pipe) : 0
    guard guardianPID >= 0 else {
      let error = systemError("start the guardian of", session)
      thread.end()
      throw error
    }
    guardianPipe = pipe
    (groups, whyNoFreezer) = Self.makeGroups(session: session, options)
    if let groups, pipe >= 0 { _ = cplatform_guardian_watch_cgroup(pipe, groups.path) }
  }

  private static func makeGroups(session: String, _ options: RecorderOptions)
    -> (ControlGroups?, String?)
  {
    guard options.suspendsByFreezer else { return (nil, nil) }
    _ = AbandonedGroup.tidy()
    do throws(RecorderError) {
      let name = session.split(separator: "/").last.map(String.init) ?? session
      return (try ControlGroups(named: name), nil)
    } catch {
      return (nil, "\(error)")
    }
  }

  /// The cgroup that a process was launched in, where it has one of its own.
  func group(of pid: Int32) -> ControlGroup? { groups?.group(of: pid) }

  /// Runs `body` on the thread that launches; nil when that has ended.
  func run<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T? { thread.run(body) }

  func launch(_ command: [String], _ options: LaunchOptions, exits: ExitBoard)
    throws(RecorderError) -> ChildProcess
  {
    guard let name = command.first else { throw .commandNotFound("") }
    let environment = variables(adding: options.environment + (observation?.variables ?? []))
    let group = options.group
    let control = groups?.make()
    let request = Request(
      command: command,
      environment: environment,
      options: options,
      deathSignal: deathSignal,
      control: control
    )
    let ends = exits.ends
    guard let outcome = thread.run({ request.spawn() }) else { throw .commandNotFound(name) }
    switch outcome {
    case .running(let pid):
      if let control { groups?.take(control, for: pid) }
      let exit = exits.begin(pid, after: ends)
      let own = group == 0 ? pid : group ?? getpgrp()
      // The groups of others (the harness's) are not the guardian's to kill.
      if guardianPipe >= 0, group == 0 { _ = cplatform_guardian_watch(guardianPipe, own) }
      return ChildProcess(pid: pid, group: own, exit: exit)
    case .failed(let stage, let error):
      throw Self.error(name, stage, error, options)
    }
  }

  /// Ends the thread and sends the guardian away.
  func end() {
    groups?.remove()
    if guardianPipe >= 0 {
      _ = cplatform_guardian_dismiss(guardianPipe)
      close(guardianPipe)
      var result = cplatform_wait_result()
      _ = cplatform_wait(guardianPID, 0, 0, 1, &result)
    }
    thread.end()
  }

  /// Ours go to the child byte for byte: they need not be UTF-8.
  private func variables(adding more: [(name: String, value: String)]) -> [[UInt8]] {
    let names = Set((more.map(\.name) + ["LIFETRACE_SESSION"]).map { Array($0.utf8) })
    var result: [[UInt8]] = []
    var place = environ
    while let entry = place.pointee {
      let bytes = Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry)))
      if !names.contains(Array(bytes.prefix { $0 != UInt8(ascii: "=") })) { result.append(bytes) }
      place += 1
    }
    result.append(Array(marker.utf8))
    for variable in more where variable.name != "LIFETRACE_SESSION" {
      result.append(Array("\(variable.name)=\(variable.value)".utf8))
    }
    return result
  }

  private static func error(
    _ name: String,
    _ stage: Int32,
    _ error: Int32,
    _ options: LaunchOptions
  ) -> RecorderError {
    switch UInt32(bitPattern: stage) {
    case CPLATFORM_SPAWN_EXEC.rawValue:
      error == ENOENT ? .commandNotFound(name) : .commandNotExecutable(name, errno: error)
    case CPLATFORM_SPAWN_DIRECTORY.rawValue:
      .system(action: "enter", subject: options.directory ?? "", errno: error)
    case CPLATFORM_SPAWN_GROUP.rawValue:
      .system(action: "join the process group of", subject: name, errno: error)
    case CPLATFORM_SPAWN_CGROUP.rawValue:
      .system(action: "enter the cgroup of", subject: name, errno: error)
    default: .system(action: "start", subject: name, errno: error)
    }
  }
}

/// One start of a process, with everything copied.
private struct Request: Sendable {
  enum Outcome: Sendable {
    case running(Int32)
    case failed(stage: Int32, errno: Int32)
  }

  var command: [String]
  var environment: [[UInt8]]
  var options: LaunchOptions
  var deathSignal: Int32
  var control: ControlGroup?

  func spawn() -> Outcome {
    withCStrings(command.map { Array($0.utf8) }) { arguments in
      withCStrings(environment) { variables in
        guard let directory = options.directory else { return spawn(arguments, variables, nil) }
        return directory.withCString { spawn(arguments, variables, $0) }
      }
    }
  }

  private func spawn(
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
    _ variables: UnsafePointer<UnsafeMutablePointer<CChar>?>,
    _ directory: UnsafePointer<CChar>?
  ) -> Outcome {
    var request = cplatform_spawn_request()
    request.arguments = arguments
    request.environment = variables
    request.directory = directory
    request.group = options.group ?? -1
    request.parent_death_signal = deathSignal
    request.standard = (options.input ?? -1, options.output ?? -1, options.errorOutput ?? -1)
    if let control {
      request.cgroup = open(control.path + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
    }
    defer { if request.cgroup > 0 { close(request.cgroup) } }
    var stage: Int32 = 0
    let pid = cplatform_spawn(&request, &stage)
    return pid > 0 ? .running(pid) : .failed(stage: stage, errno: errno)
  }

  private func withCStrings<R>(
    _ strings: [[UInt8]],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    var pointers = strings.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("never empty") }
      return body(base)
    }
  }
}
