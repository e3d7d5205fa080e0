// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetraceInterop
import LifetraceOTLP
import LifetraceOTLPReceiver
import LifetracePlatform
import LifetraceRecorder
import LifetraceTrace
import LifetraceTraceFile

/// Takes what is sent by OTLP while a recording is made, in a process of its own that has no part in it.
///
///     let reception = LiveReception(plan)
///     try reception.start(at: address)
///     …
///     let file = try reception.finish()        // run.otlp.lifetrace, where anything came
///
/// What comes is kept as it came until the end, since an answer to a request may come in a later batch
/// than the request; it is answered only when it is kept.
final class LiveReception {
  private let plan: RecordPlan
  private let spool: OTLPSpool
  private var process: Int32?

  /// As process lists call it.
  private static let name = "lifetrace-otlp"
  /// Where SDKs look for the address to send to.
  private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

  init(_ plan: RecordPlan) {
    self.plan = plan
    spool = OTLPSpool(beside: plan.path)
  }

  /// What is there already and would be replaced, unless that was asked for; a sentence.
  var inTheWay: String? {
    guard !plan.options.overwrite else {
      for file in spool.files { unlink(file) }
      return nil
    }
    if let file = spool.files.first {
      let shown = Printable.line(file)
      return """
        \(shown): an interrupted recording has left it
          To bring it in: lifetrace import otlp \(shown) -o OUT; to replace it: --force
        """
    }
    guard access(spool.recording, F_OK) == 0 else { return nil }
    let shown = Printable.line(spool.recording)
    return "\(shown): exists; choose another name with -o, or replace it with --force"
  }

  /// Listens, and starts the process that takes what comes.
  func start(at address: ListenAddress) throws {
    let (listener, here) = try address.listen()
    try spool.create()
    let front = getpid()
    let pid = cplatform_fork()
    if pid == 0 { exit(run(listener, front)) }
    close(listener)
    guard pid > 0 else {
      spool.remove()
      Failure.say("cannot start the process that receives: \(errnoText(errno))")
      throw ExitCode(125)
    }
    process = pid
    tell(here)
  }

  /// Tells the command where to send, by its environment.
  private func tell(_ here: ListenAddress) {
    if let set = environment(Self.endpoint) {
      if set != here.url {
        Failure.say(
          "\(Self.endpoint) is \(Printable.line(set)): what follows it is not sent to \(here.url)"
        )
      }
      return
    }
    setenv(Self.endpoint, here.url, 1)
    setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", 0)
  }

  private func run(_ listener: Int32, _ front: Int32) -> Int32 {
    cplatform_name_thread(Self.name)
    _ = cplatform_set_parent_death_signal(SIGKILL)
    // They are meant for the command; this ends with the recording.
    for number in [SIGINT, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
    guard getppid() == front else { return 0 }
    let intake = OTLPIntake { bytes, form in self.spool.keep(bytes, form) }
    return OTLPServer(intake).serve(listener, until: SIGTERM) ? 0 : EX_OSERR
  }

  /// Ends it, and makes a recording of what came; nil where nothing did.
  ///
  /// Leaves with 125 where that cannot be written: what came stays then.
  func finish() throws -> String? {
    if let process {
      kill(process, SIGTERM)
      var result = cplatform_wait_result()
      _ = cplatform_wait(process, 0, 0, 1, &result)
    }
    do {
      let made = try gather()
      guard made.records > 0 else {
        spool.remove()
        Failure.say("nothing has come by OTLP")
        return nil
      }
      let story = made.story
      try NewTrace.make(spool.recording, isForced: plan.options.overwrite) {
        path throws(TraceFileError) in
        try story.write(to: TraceWriter(path: path, options: .create))
      }
      spool.remove()
      let (one, other) = (Printable.line(plan.path), Printable.line(spool.recording))
      Failure.say(
        """
        \(other): \(made.summary(of: story)), by OTLP
          With the recording: lifetrace merge \(one) \(other) -o OUT
        """
      )
      return spool.recording
    } catch {
      if let problem = error as? OTLPError { Failure.say(Printable.text("\(problem)")) }
      for file in spool.files {
        let shown = Printable.line(file)
        Failure.say(
          """
          \(shown): holds what came by OTLP
            To bring it in: lifetrace import otlp \(shown) -o OUT
          """
        )
      }
      throw ExitCode(125)
    }
  }

  /// What the spool holds, with secrets replaced.
  private func gather() throws(OTLPError) -> OTLPStory {
    var made = OTLPStory()
    let redact = Redactor(plan.options.redactions)
    for file in spool.files {
      var batch = try OTLPBatch(path: file)
      batch.replaceTexts { redact($0) }
      made.add(batch)
    }
    return made
  }
}
