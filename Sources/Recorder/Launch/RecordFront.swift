// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The process that the harness has started: it relays signals to the command and hands back its exit code.
///
/// The recorder is a child in a process group of its own, so that Ctrl-C does
/// not end it, but in this session, since otherwise it could not put the
/// command into the harness's group. Should the recorder be killed, its
/// children fall to this process, which is a subreaper too: a plain command
/// lives on and its exit code is still handed back; the processes of a scenario
/// are killed, down to the last descendant.
package struct RecordFront {
  let plan: RecordPlan

  package init(_ plan: RecordPlan) { self.plan = plan }

  private var isPlayed: Bool { plan.play != nil }

  /// The recorder's messages over the pipe.
  struct Message {
    enum What: Int32 { case running = 1, ended = 2, broken = 3, guarded = 4 }
    var what: Int32
    var value: Int32
  }

  private static let relayed = [
    SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD,
  ]

  /// Records until the command has ended; the exit code of the whole.
  package func run() -> Int32 {
    // Before there is anybody to relay to: until here a signal ends a command that has done nothing.
    let signals = cplatform_signal_fd(Self.relayed, Int32(Self.relayed.count))
    defer {
      // What is to be done after the recording can be interrupted again.
      cplatform_signal_unblock(Self.relayed, Int32(Self.relayed.count))
      close(signals)
    }
    _ = cplatform_set_subreaper(1)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return fail("make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Each app of a scenario has pipes of its own, from the recorder's process.
    let captures = plan.capturesOutput && !isPlayed
    let capture = captures ? OutputPipes(say: plan.say) : nil
    guard capture != nil || !captures else { return fail("make pipes for the output") }
    let group = getpgrp()
    // Children that were there before us (a shell may have become us) are not our command.
    let others = Set(ProcFS.children(of: getpid()))
    let back = RecordBack(
      plan: plan,
      group: group,
      front: getpid(),
      pipe: ends[1],
      capture: capture
    )
    let recorder = cplatform_fork()
    if recorder == 0 {
      close(ends[0])
      exit(back.run())
    }
    close(ends[1])
    guard recorder > 0 else { return fail("start the recorder") }
    capture?.closeWriters()
    return relay(
      recorder: recorder,
      pipe: ends[0],
      signals: signals,
      capture: capture,
      others: others
    )
  }

  private func fail(_ action: String) -> Int32 {
    plan.say("cannot \(action): \(errnoText(errno))")
    return 125
  }

  private func relay(
    recorder: Int32,
    pipe: Int32,
    signals: Int32,
    capture: OutputPipes?,
    others: Set<Int32>
  ) -> Int32 {
    var command: Int32 = 0
    var guardian: Int32 = 0
    // What came before the recorder has said which process the command is.
    var early: [cplatform_signal] = []
    var code: Int32?
    var recorderStatus: cplatform_wait_result?
    while true {
      var polled = [
        pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        pollfd(fd: recorderStatus == nil ? pipe : -1, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&polled, 2, -1)
      let heard = Self.heard(signals)
      // Whoever has sent a signal may have done so because of what the recorder told us before.
      while recorderStatus == nil, Self.isReadable(pipe) {
        var message = Message(what: 0, value: 0)
        let count = read(pipe, &message, MemoryLayout<Message>.size)
        if count == MemoryLayout<Message>.size {
          switch Message.What(rawValue: message.what) {
          case .running:
            command = message.value
            pass(early, on: command)
            early = []
          case .ended: code = message.value
          case .guarded: guardian = message.value
          case .broken: capture?.closeReader(to: message.value)
          case nil: break
          }
        } else if count >= 0 || errno != EINTR {
          recorderStatus = wait(for: recorder)
        }
      }
      for signal in heard {
        let isOurs = signal.number == SIGUSR1 && plan.options.retention != .all
        if command == 0, !isPlayed, !isOurs { early.append(signal) }
        if code == nil {
          forward(signal, command: command, recorder: recorder)
        } else if RecordBack.heard.contains(signal.number) {
          // It may be waiting for room, and is the only one left to end.
          kill(recorder, signal.number)
        }
      }
      guard let status = recorderStatus else { continue }
      if let code { return ended(code, status) }
      if status.change == Int32(bitPattern: CPLATFORM_EXITED.rawValue),
        command == 0 || isPlayed
      {
        return status.value
      }
      if isPlayed {
        lost()
        killDescendants(but: guardian, others)
        return 125
      }
      if command == 0 {
        // A command that the recorder did not live to report is the only child that it has left to
        // us.
        let left = ProcFS.children(of: getpid()).filter { $0 != guardian && !others.contains($0) }
        guard let first = left.first else {
          lost()
          return 125
        }
        if left.count == 1 { command = first }
        pass(early, on: command)
      }
      return outlive(command: command, status, signals, capture)
    }
  }

  /// The signals that wait to be read.
  private static func heard(_ signals: Int32) -> [cplatform_signal] {
    var heard: [cplatform_signal] = []
    var signal = cplatform_signal()
    while cplatform_signal_read(signals, &signal) == 1 { heard.append(signal) }
    return heard
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }

  /// Hands on what somebody sent; a command that the recorder did not live to report has no number.
  private func pass(_ signals: [cplatform_signal], on command: Int32) {
    for signal in signals where command > 0 && signal.number != SIGCHLD && signal.from_user != 0 {
      kill(command, signal.number)
    }
  }

  /// The command has ended and so has the recorder: which code counts.
  private func ended(_ code: Int32, _ status: cplatform_wait_result) -> Int32 {
    if status.change == Int32(bitPattern: CPLATFORM_EXITED.rawValue) {
      return status.value == 0 ? code : status.value
    }
    lost()
    return code
  }

  private func lost() {
    plan.say(
      "the recorder was killed; bring in what it left with: lifetrace record --recover"
    )
  }

  private func wait(for pid: Int32) -> cplatform_wait_result {
    var result = cplatform_wait_result()
    _ = cplatform_wait(pid, 0, 0, 1, &result)
    return result
  }

  /// The terminal sends its signals to the command as well; a signal sent to us alone is passed on.
  private func forward(_ signal: cplatform_signal, command: Int32, recorder: Int32) {
    guard signal.number != SIGCHLD, signal.from_user != 0 else {
      // A scenario's apps are in groups of their own: Ctrl-C ends the scenario.
      if isPlayed, signal.number == SIGINT || signal.number == SIGQUIT {
        kill(recorder, signal.number)
      }
      return
    }
    if signal.number == SIGUSR1, plan.options.retention != .all {
      kill(recorder, SIGUSR1)
    } else if isPlayed {
      if RecordBack.heard.contains(signal.number) { kill(recorder, signal.number) }
    } else if command > 0 {
      kill(command, signal.number)
    }
  }

  /// The recorder is gone before the command.
  private func outlive(
    command: Int32,
    _ status: cplatform_wait_result,
    _ signals: Int32,
    _ capture: OutputPipes?
  ) -> Int32 {
    if status.change != Int32(bitPattern: CPLATFORM_EXITED.rawValue) { lost() }
    capture?.startPassing()
    while true {
      var result = cplatform_wait_result()
      guard cplatform_wait(0, 0, 0, 0, &result) == 0 else { return 125 }
      if result.pid == command, command > 0 {
        capture?.finish()
        let signaled = result.change == Int32(bitPattern: CPLATFORM_SIGNALED.rawValue)
        return signaled ? 128 + result.value : result.value
      }
      if result.pid > 0 { continue }
      var polled = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0)]
      _ = poll(&polled, 1, -1)
      pass(Self.heard(signals), on: command)
    }
  }

  /// Everything below this process: children that die leave theirs to us, until none is left.
  ///
  /// The recorder's guardian, which does the same and tidies up, ends by itself.
  private func killDescendants(but guardian: Int32, _ others: Set<Int32>) {
    while true {
      let left = ProcFS.children(of: getpid()).filter { !others.contains($0) }
      guard !left.isEmpty else { return }
      for child in left where child != guardian { kill(child, SIGKILL) }
      var result = cplatform_wait_result()
      guard cplatform_wait(0, 0, 0, 1, &result) == 0 else { return }
    }
  }
}
