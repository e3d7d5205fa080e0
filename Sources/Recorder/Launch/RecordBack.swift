// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import CLifetracePlatform
import Dispatch
import LifetracePlatform
import Synchronization

/// The recorder's process: starts the command in the harness's group, records until it ends, closes the file.
struct RecordBack {
  var plan: RecordPlan
  /// The harness's process group.
  var group: Int32
  /// The process that the harness has started.
  var front: Int32
  /// Where the front process listens.
  var pipe: Int32
  var capture: OutputPipes?

  /// What process lists call it, so that it is not taken for the process that was started.
  private static let name = "lifetrace-rec"

  /// The commands to the recorder.
  static let heard = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1]

  func run() -> Int32 {
    setpgid(0, 0)
    cplatform_name_thread(Self.name)
    signal(SIGTTOU, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    if plan.play != nil { _ = cplatform_set_parent_death_signal(SIGTERM) }
    let signals = cplatform_signal_fd(Self.heard, Int32(Self.heard.count))
    do throws(RecorderError) {
      let recorder = try Recorder(plan.options)
      recorder.onProblem(plan.say)
      // A log without a terminal needs them most: there no user saw it die.
      recorder.onCrash(plan.say)
      try recorder.start()
      guard let play = plan.play else { return try record(recorder, signals) }
      return try follow(play, recorder, signals)
    } catch {
      plan.say("\(error)")
      return Self.code(of: error)
    }
  }

  private static func code(of error: RecorderError) -> Int32 {
    switch error {
    case .commandNotFound: 127
    case .commandNotExecutable: 126
    default: 125
    }
  }

  private func tell(_ what: RecordFront.Message.What, _ value: Int32) {
    Self.tell(pipe, what, value)
  }

  private static func tell(_ pipe: Int32, _ what: RecordFront.Message.What, _ value: Int32) {
    var message = RecordFront.Message(what: what.rawValue, value: value)
    _ = write(pipe, &message, MemoryLayout<RecordFront.Message>.size)
  }

  private func record(_ recorder: Recorder, _ signals: Int32) throws(RecorderError) -> Int32 {
    var launch = LaunchOptions()
    launch.group = group
    capture?.join(&launch)
    let child: ChildProcess
    do throws(RecorderError) {
      child = try recorder.launch(plan.command, launch)
    } catch {
      recorder.discard()
      throw error
    }
    tell(.running, child.pid)
    capture?.closeWriters()
    let pipe = pipe
    capture?.startPassing(child.pid, to: recorder) { Self.tell(pipe, .broken, $0) }
    let ended = cplatform_event_fd()
    recorder.onExit { exit in if exit.pid == child.pid { cplatform_event_post(ended) } }
    if child.status != nil { cplatform_event_post(ended) }
    let isOver = wait(ended, signals, recorder)
    // First the code: should this process be killed while it closes the file, the harness still gets it.
    if isOver { tell(.ended, child.status?.shellCode ?? 125) }
    capture?.finish()
    return Self.finish(recorder, plan.path, hearing: signals, plan.say)
  }

  /// True when the command has ended, false when the recorder was asked to end.
  ///
  /// As long as the front lives the recorder cannot be asked: the recording is the command's, and
  /// ends with it. A signal that is to end the command goes to the front, which passes it on.
  private func wait(_ ended: Int32, _ signals: Int32, _ recorder: Recorder) -> Bool {
    while true {
      var polled = [
        pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&polled, 2, -1)
      if polled[0].revents != 0 { return true }
      var signal = cplatform_signal()
      while cplatform_signal_read(signals, &signal) == 1 {
        if signal.number == SIGUSR1 {
          Self.snapshot(recorder, plan.say)
        } else if getppid() == front {
          plan.say(
            """
            the recorder (pid \(getpid())) goes on until the command has ended
              To end that: kill \(front)
            """
          )
        } else {
          return false
        }
      }
    }
  }

  private static func snapshot(_ recorder: Recorder, _ say: (String) -> Void) {
    do throws(RecorderError) {
      try recorder.snapshot()
    } catch {
      say("\(error)\n  The rest is kept, and written at the end or at the next SIGUSR1.")
    }
  }

  private func follow(
    _ play: (Recorder, [String]) -> PlayedScenario,
    _ recorder: Recorder,
    _ signals: Int32
  ) throws(RecorderError) -> Int32 {
    // Asked to end, the recorder closes the file and kills what it has launched.
    let listener = DispatchSource.makeReadSource(
      fileDescriptor: signals,
      queue: DispatchQueue(label: "lifetrace.signals")
    )
    let (path, say) = (plan.path, plan.say)
    let isEnding = Mutex(false)
    let begin: @Sendable () -> Bool = {
      isEnding.withLock { ending in
        defer { ending = true }; return !ending
      }
    }
    listener.setEventHandler {
      var signal = cplatform_signal()
      while cplatform_signal_read(signals, &signal) == 1 {
        guard signal.number != SIGUSR1 else { Self.snapshot(recorder, say); continue }
        guard begin() else { recorder.endHold(); continue }
        // The trace says that nothing but this has happened to the apps.
        recorder.record(
          RecordedEvent(observer: .recorder) {
            Payload.Log(text: $0.name(Self.ending(by: signal)), level: .notice)
          },
          about: recorder.deviceWriter
        )
        let number = signal.number
        // Elsewhere, so that the next signal is heard.
        DispatchQueue.global().async {
          let end = Self.finish(recorder, path, say)
          exit(end == 0 ? 128 + number : end)
        }
      }
    }
    listener.resume()
    tell(.guarded, recorder.guardian)
    let played = play(recorder, plan.command)
    guard begin() else {
      while true { pause() }
    }
    guard played.code != 125 || recorder.hasLaunched else {
      recorder.discard()
      return played.code
    }
    let end = Self.finish(recorder, path, say)
    guard end == 0 else { return end }
    return played.judge()
  }

  private static func ending(by signal: cplatform_signal) -> String {
    switch signal.number {
    case SIGINT: "the user ended the recording (SIGINT)"
    case SIGQUIT: "the user ended the recording (SIGQUIT)"
    case SIGHUP: "the recording was ended with its terminal (SIGHUP)"
    default: "the recording was ended from outside (SIGTERM)"
    }
  }

  /// The exit code: 0 where all is in the file that was asked for.
  ///
  /// The signals of a plain command are heard here; those of a scenario have their listener.
  private static func finish(
    _ recorder: Recorder,
    _ path: String,
    hearing signals: Int32? = nil,
    _ say: (String) -> Void
  ) -> Int32 {
    do throws(RecorderError) {
      let summary = try recorder.stop(hearing: signals)
      let written = summary.output == recorder.output ? path : summary.output
      for line in summary.lines(path: written) { say(line) }
      if signals == nil, let unjudged = summary.unjudged { say(unjudged) }
      return summary.isAsAsked ? 0 : 125
    } catch {
      switch error {
      case .traceKept, .traceLost:
        say("\(error)")
        return 125
      default: break
      }
      say("what is not in the file stays in \(recorder.sessionDirectory)")
      say("\(error)")
      say("make room, then: lifetrace record --recover")
      return 125
    }
  }
}
