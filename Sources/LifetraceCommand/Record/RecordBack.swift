// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceTrace
import CLifetracePlatform
import Dispatch
import LifetracePlatform
import LifetraceRecorder
import LifetraceReplay
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

  /// What the recorder can be told.
  static let heard = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1]

  func run() -> Int32 {
    setpgid(0, 0)
    cplatform_name_thread(Self.name)
    signal(SIGTTOU, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    if plan.driver != nil { _ = cplatform_set_parent_death_signal(SIGTERM) }
    let signals = cplatform_signal_fd(Self.heard, Int32(Self.heard.count))
    do throws(RecorderError) {
      let recorder = try Recorder(plan.options)
      recorder.onProblem { Failure.say($0) }
      // A log without a terminal needs them most: nobody saw it die.
      recorder.onCrash { Failure.say($0) }
      try recorder.start()
      guard let driver = plan.driver else { return try record(recorder, signals) }
      return try play(driver, recorder, signals)
    } catch {
      Failure.say("\(error)")
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
    launch.output = capture?.output.writer
    launch.errorOutput = capture?.errors.writer
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
    capture?.startPassing(
      { text, isError in
        let event = RecordedEvent(observer: .recorder) {
          Payload.Log(text: $0.name(text), level: isError ? .error : .info)
        }
        recorder.recordOutput(event, ofPID: child.pid)
      },
      onBroken: { Self.tell(pipe, .broken, $0) }
    )
    let ended = cplatform_event_fd()
    recorder.onExit { exit in if exit.pid == child.pid { cplatform_event_post(ended) } }
    if child.status != nil { cplatform_event_post(ended) }
    let isOver = wait(ended, signals, recorder)
    // First the code: should this process be killed while it closes the file, the harness still gets it.
    if isOver { tell(.ended, child.status?.shellCode ?? 125) }
    capture?.finish()
    return Self.finish(recorder, plan.path, hearing: signals)
  }

  /// True when the command has ended, false when somebody asked the recorder to end.
  ///
  /// As long as the front lives nobody can: the recording is the command's, and ends with it. What
  /// is to end the command is for the front, which passes it on.
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
          Self.snapshot(recorder)
        } else if getppid() == front {
          Failure.say(
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

  private static func snapshot(_ recorder: Recorder) {
    do throws(RecorderError) {
      try recorder.snapshot()
    } catch {
      Failure.say("\(error)\n  The rest is kept, and written at the end or at the next SIGUSR1.")
    }
  }

  private func play(_ driver: any ScenarioDriver, _ recorder: Recorder, _ signals: Int32)
    throws(RecorderError) -> Int32
  {
    // Asked to end, the recorder closes the file and kills what it has launched.
    let listener = DispatchSource.makeReadSource(
      fileDescriptor: signals,
      queue: DispatchQueue(label: "lifetrace.signals")
    )
    let path = plan.path
    let isEnding = Mutex(false)
    let begin: @Sendable () -> Bool = {
      isEnding.withLock { ending in
        defer { ending = true }; return !ending
      }
    }
    listener.setEventHandler {
      var signal = cplatform_signal()
      while cplatform_signal_read(signals, &signal) == 1 {
        guard signal.number != SIGUSR1 else { Self.snapshot(recorder); continue }
        guard begin() else { recorder.endHold(); continue }
        // The trace tells that nothing has happened to the apps but this.
        recorder.record(
          RecordedEvent(observer: .recorder) {
            Payload.Log(text: $0.name(Self.ending(by: signal)), level: .notice)
          },
          about: recorder.deviceWriter
        )
        let number = signal.number
        // Elsewhere, so that the next signal is heard.
        DispatchQueue.global().async {
          let end = Self.finish(recorder, path)
          exit(end == 0 ? 128 + number : end)
        }
      }
    }
    listener.resume()
    tell(.guarded, recorder.guardian)
    var driver = driver
    let code = driver.run(recorder: recorder, command: plan.command)
    guard begin() else {
      while true { pause() }
    }
    guard code != 125 || recorder.hasLaunched else {
      recorder.discard()
      return code
    }
    let end = Self.finish(recorder, plan.path)
    guard end == 0 else { return end }
    return driver.judge(recording: plan.options.output, code: code)
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
  private static func finish(_ recorder: Recorder, _ path: String, hearing signals: Int32? = nil)
    -> Int32
  {
    do throws(RecorderError) {
      let summary = try recorder.stop(hearing: signals)
      RecordSummary.say(summary, summary.output == recorder.output ? path : summary.output)
      if signals == nil { RecordSummary.sayUnjudged(summary) }
      return summary.isAsAsked ? 0 : 125
    } catch {
      switch error {
      case .traceKept, .traceLost:
        Failure.say("\(error)")
        return 125
      default: break
      }
      Failure.say("what is not in the file stays in \(recorder.sessionDirectory)")
      Failure.say("\(error)")
      Failure.say("make room, then: lifetrace record --recover")
      return 125
    }
  }
}

/// The line at the end of a recording.
enum RecordSummary {
  /// What a scenario without a finding does not show.
  static func sayUnjudged(_ summary: RecordingSummary) {
    if summary.processes == 0 {
      Failure.say("no app has joined: nothing was judged")
    } else if !summary.hasData, summary.losses == 0 {
      Failure.say("no data object was declared: nothing about losses was judged")
    }
  }

  static func say(_ summary: RecordingSummary, _ path: String) {
    for remark in summary.remarks { Failure.say(remark) }
    var parts = [Quantity.count(summary.processes, "process")]
    if summary.bystanders > 0 { parts.append("\(summary.bystanders) seen from outside") }
    if summary.isSampled {
      parts.append("others looked for by samples (short ones may be missing)")
    }
    if summary.processEventsMissed > 0 {
      let missed = Quantity.count(Int(clamping: summary.processEventsMissed), "event")
      parts.append("\(missed) about processes missed (lifetrace dump --kind log tells)")
    }
    if summary.notFollowed > 0 {
      parts.append("\(Quantity.count(summary.notFollowed, "process")) too many to be followed")
    }
    let events = Int(clamping: summary.events)
    parts.append(Quantity.count(events, "event"))
    if summary.losses > 0 { parts.append("\(Quantity.grouped(summary.losses)) lost") }
    if summary.gone > 0 {
      parts.append("\(Quantity.grouped(summary.gone)) taken out of the file by another program")
    }
    if summary.elsewhere > 0 {
      parts.append("\(Quantity.grouped(summary.elsewhere)) written before and not in it")
    }
    if summary.losses == 0, summary.gone == 0, summary.elsewhere == 0, summary.poolsLeft == 0 {
      parts.append("none lost")
    }
    if summary.letGo > 0 {
      let early =
        summary.crowdedOut == 0
        ? "" : "; \(Quantity.grouped(summary.crowdedOut)) of them early, for want of room"
      parts.append("\(Quantity.count(summary.letGo, "event")) let go (--last\(early))")
    }
    parts.append(Quantity.fileBytes(summary.bytes, events: events))
    if summary.poolsRefused > 0 {
      let refused = Quantity.count(summary.poolsRefused, "process")
      parts.append("\(refused) not readable (lifetrace dump --kind log tells)")
    }
    if summary.poolsLeft > 0 {
      parts.append("\(Quantity.count(summary.poolsLeft, "process")) not read and not in it")
    }
    if summary.notJoined > 0 {
      let absent = Quantity.count(summary.notJoined, "process")
      parts.append("\(absent) could not join (lifetrace dump --kind log tells why)")
    }
    if summary.stillRunning > 0 {
      let running = Quantity.count(summary.stillRunning, "process")
      parts.append("\(running) still running, no longer recorded")
    }
    if summary.namesLost > 0 {
      parts.append(
        "\(Quantity.grouped(summary.namesLost)) without their names (no room for them)"
      )
    }
    if summary.unsavedObjects > 0 {
      // A save may be among the events that are lost, or have come through at the last moment.
      let isCertain =
        summary.losses == 0 && summary.gone == 0 && summary.elsewhere == 0
        && summary.survivingObjects == 0
      parts.append(
        (isCertain ? "unsaved data lost: " : "unsaved data may be lost: ")
          + "\(Quantity.count(summary.unsavedObjects, "object")), "
          + Quantity.bytes(summary.unsavedBytes)
      )
    }
    Failure.say("\(Printable.line(path)): " + parts.joined(separator: ", "))
  }
}
