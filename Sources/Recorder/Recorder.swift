// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import Dispatch
import LifetracePlatform
import Synchronization
package import LifetraceTrace

/// Records every process that joins its session, into one trace file.
///
///     let recorder = try Recorder(RecorderOptions(output: "run.lifetrace"))
///     try recorder.start()
///     let app = try recorder.launch(["./notes"])
///     app.wait()
///     print(try recorder.stop().events)
///
/// Two threads of its own: one drains pools and writes chunks; one starts
/// processes and does nothing else, because the signal that kills them with the
/// recorder fires when the thread that started them ends. Should the recorder
/// be killed, a guardian process sees its pipe close and kills what is left of
/// the session, groups and strays alike, and removes its cgroups. Both only with
/// ``RecorderOptions/launchedDieWithRecorder``; else the apps live on, and the
/// session can be adopted.
package final class Recorder: Sendable {
  /// What it was asked for, with the output resolved.
  package let options: RecorderOptions
  let exchange: Exchange
  let launcher: Launcher
  private let core: Mutex<UnsafeCore?>
  private let phase = Mutex(Phase.new)

  private enum Phase { case new, running, ended }

  /// The session directory, for `LIFETRACE_SESSION`.
  package let sessionDirectory: String

  /// The stream of the device: lock, orientation, foreground owner.
  package let deviceWriter: WriterID

  /// Creates the session directory and the trace file.
  package convenience init(_ options: RecorderOptions) throws(RecorderError) {
    var options = options
    options.output = try resolvedOutput(options.output)
    let store = try ChunkStore(options, mode: .create)
    let clock = HostClock()
    var random = SystemRandomNumberGenerator()
    let device = WriterID(high: random.next(), low: random.next())
    var about = SessionAbout(options)
    about.deviceHigh = device.high
    about.deviceLow = device.low
    do throws(RecorderError) {
      let session = try SessionDirectory(
        about: about,
        parents: options.sessionParents ?? SessionDirectory.parents,
        clock: clock,
        options: options
      )
      store.keepPast(in: session.path)
      do throws(RecorderError) {
        try self.init(
          options: options,
          session: session,
          clock: clock,
          store: store,
          device: device,
          adoption: nil
        )
      } catch {
        session.remove()
        throw error
      }
    } catch {
      store.discard()
      throw error
    }
  }

  init(
    options: RecorderOptions,
    session: SessionDirectory,
    clock: HostClock,
    store: ChunkStore,
    device: WriterID,
    adoption: (Adoption, Names)?
  ) throws(RecorderError) {
    let journal = SubmissionJournal(in: session.path)
    let left = adoption == nil ? [] : journal.takeOver()
    let exchange = Exchange(clock: clock, journal: journal)
    let launcher = try Launcher(session: session.path, options: options)
    let core: RecorderCore
    do throws(RecorderError) {
      core = try RecorderCore(
        options: options,
        session: session,
        exchange: exchange,
        store: store,
        device: device
      )
    } catch {
      launcher.end()
      throw error
    }
    core.guardianPID = launcher.guardianPID
    if let (adoption, names) = adoption { core.adopt(adoption, names, left) }
    self.options = options
    self.exchange = exchange
    self.launcher = launcher
    sessionDirectory = session.path
    deviceWriter = device
    self.core = Mutex(UnsafeCore(core: core))
  }

  /// Starts to drain, on a thread of its own.
  package func start() throws(RecorderError) {
    if options.reapsDescendants { _ = cplatform_set_subreaper(1) }
    // The core goes over to its thread, which alone uses it from now on.
    let handedOver = core.withLock { core -> UnsafeCore? in
      defer { core = nil }
      return core
    }
    guard let handedOver, Worker.start("lifetrace-drain", { handedOver.core.run() }) else {
      handedOver?.core.giveUp()
      throw .system(action: "start", subject: "the recorder's thread", errno: EAGAIN)
    }
    phase.withLock { $0 = .running }
  }

  /// Starts `command` with the session in its environment.
  package func launch(_ command: [String], _ options: LaunchOptions = LaunchOptions())
    throws(RecorderError) -> ChildProcess
  {
    exchange.beginLaunch()
    do throws(RecorderError) {
      let launched = try launcher.launch(command, options, exits: exchange.exits)
      exchange.endLaunch(launched.pid)
      return launched
    } catch {
      exchange.endLaunch(nil)
      throw error
    }
  }

  /// Whether a process was started; before that there is nothing to keep a recording of.
  package var hasLaunched: Bool { exchange.state.withLock { $0.mailbox.hasLaunched } }

  /// Runs `body` on the thread that launches: launched processes see the mounts that it sees.
  package func whereLaunched<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T? {
    launcher.run(body)
  }

  /// Why ``RecorderOptions/suspendsByFreezer`` cannot be; nil where it can, or was not asked for.
  package var whyNoFreezer: String? { launcher.whyNoFreezer }

  /// The process that kills what this one leaves behind; 0 where there is none.
  package var guardian: Int32 { launcher.guardianPID }

  /// The stream of the living process `pid`, once it has joined.
  package func writer(forPID pid: Int32) -> WriterID? {
    exchange.state.withLock { $0.registry.writers[pid] }
  }

  /// Waits until `pid` has joined; nil when it ended or did not join in time.
  package func waitForWriter(ofPID pid: Int32, nanoseconds: Int64) -> WriterID? {
    let joined = DispatchSemaphore(value: 0)
    let known = exchange.state.withLock { $0.registry.writer(of: pid, orSignal: joined) }
    if let known { return known }
    _ = joined.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
    return writer(forPID: pid)
  }

  /// The time on the clock of this recording.
  package func now() -> HostTime { exchange.now() }

  /// Puts an event into the stream of `writer`; strings are interned by the recorder.
  ///
  /// Without a time it gets the present one.
  package func record(_ event: RecordedEvent, about writer: WriterID) {
    _ = exchange.submit(event, about: .writer(writer))
  }

  /// Puts an event into the stream of the process `pid`; where it has not joined yet, once it has.
  ///
  /// Events of a process that never joins are dropped at its end.
  package func record(_ event: RecordedEvent, aboutProcess pid: Int32) {
    _ = exchange.submit(event, about: .process(pid))
  }

  /// Puts what the process `pid` has printed into its stream, before it joins and after its end too.
  ///
  /// Text of a process that never joins is put into the stream of the device. A process that prints
  /// faster than can be recorded is held back: the call then waits until the recorder has caught
  /// up.
  package func recordOutput(_ event: RecordedEvent, ofPID pid: Int32) {
    let backlog = exchange.submit(event, printedBy: pid, device: deviceWriter)
    if backlog >= Self.backlogMax { catchUp() }
  }

  /// What the process `pid` prints is read, over so many pipes: a crash waits for its last lines.
  func beginOutput(ofPID pid: Int32, pipes: Int) {
    exchange.state.withLock { $0.registry.beginPrinting(pid, pipes) }
  }

  /// A pipe of the process `pid` has come to its end.
  func endOutput(ofPID pid: Int32) { exchange.command(.printed(pid: pid)) }

  /// The process `pid` has crashed, and begins to print its stack; its end has this time.
  func noteCrash(ofPID pid: Int32, at time: HostTime) {
    exchange.state.withLock { $0.registry.crash(pid, at: time) }
  }

  /// When the process `pid` has crashed, which prints its stack yet; nil for one that is well.
  package func crashTime(ofPID pid: Int32) -> HostTime? {
    exchange.state.withLock { $0.registry.crashes[pid] }
  }

  /// More posted events than this are not kept in memory.
  private static let backlogMax = 8_192

  /// Names the app that the process `pid` is, should it never join by itself.
  ///
  /// It then has a stream as an app has it, with what the host records about it.
  package func identify(pid: Int32, as app: String, after previous: WriterID?) {
    exchange.command(.identified(pid: pid, app: app, previous: previous))
  }

  /// Ends the recording of what could not be started: no file is left, one that was replaced is back.
  package func discard() {
    exchange.command(.discard)
    _ = try? stop()
  }

  /// Counts a simulated reboot of the device: processes that start later carry the new number.
  package func deviceRebooted() { exchange.command(.deviceReboot) }

  /// Calls `body` on the recorder's thread after each exit has been put into its stream.
  package func onExit(_ body: @escaping @Sendable (ProcessExit) -> Void) {
    exchange.state.withLock { $0.listeners.exits.append(body) }
  }

  /// Calls `report` on the recorder's thread with the events that have just been put into their streams.
  ///
  /// Those of `kinds` come with their names, the others are counted. A later
  /// call replaces an earlier one. Costs nothing until it is called.
  package func watch(_ kinds: Set<EventKind>, _ report: @escaping @Sendable ([Sighting]) -> Void) {
    exchange.state.withLock { $0.listeners.observer = EventObserver(kinds: kinds, report: report) }
  }

  /// Waits until the events emitted before now have been put into their streams.
  package func catchUp() { _ = ask { .drained($0) } }

  /// Calls `body` on the recorder's thread when the file takes no more, with the reason.
  ///
  /// Events that it does not take stay with the apps as long as there is room, and are tried again.
  package func onProblem(_ body: @escaping @Sendable (String) -> Void) {
    exchange.state.withLock { $0.listeners.problems.append(body) }
  }

  /// Calls `body` on the recorder's thread when a process that has joined crashes, with a sentence.
  ///
  /// A crash that the host has ordered is none of these.
  package func onCrash(_ body: @escaping @Sendable (String) -> Void) {
    exchange.state.withLock { $0.listeners.crashes.append(body) }
  }

  /// Waits until all that was recorded so far stands in the file, or with what a flight recorder keeps.
  ///
  /// Throws when the file takes no more; events that are not in it stay where they were, and are
  /// tried again.
  package func flush() throws(RecorderError) {
    if let problem = ask({ .flush($0) }) { throw problem }
  }

  /// Writes what a flight recorder keeps to the file, now.
  ///
  /// Throws when the file does not take all of it; the rest is kept on.
  package func snapshot() throws(RecorderError) {
    if let problem = ask({ .snapshot($0) }) { throw problem }
  }

  /// What keeps the recorder's thread from doing it.
  private func ask(_ command: (RecorderCommand.Answer) -> RecorderCommand) -> RecorderError? {
    // A recorder that was never started would not answer.
    let hasEnd = exchange.state.withLock { $0.mailbox.result != nil }
    guard hasEnd || phase.withLock({ $0 == .running }) else { return nil }
    let answer = RecorderCommand.Answer()
    exchange.command(command(answer))
    return answer.wait()
  }

  /// Ends the wait for room of a recording that no file has any more; without one it does nothing.
  package func endHold() { exchange.holdEnd.signal() }

  /// Drains the remaining events, ends the trace, removes the session.
  ///
  /// The session stays, to be adopted, when the file cannot be written or a process not be read.
  package func stop() throws(RecorderError) -> RecordingSummary {
    _ = ask { .stop($0) }
    let was = phase.withLock { phase in
      defer { phase = .ended }
      return phase
    }
    if was != .ended { launcher.end() }
    let result = exchange.state.withLock { $0.mailbox.result }
    guard let result else {
      throw .system(action: "end", subject: "a recording that was never started", errno: EINVAL)
    }
    return try result.get()
  }
}

/// Carries the core to its thread.
///
/// @unchecked: made by `start`, which forgets the core; only the drain thread touches it then.
private struct UnsafeCore: @unchecked Sendable {
  let core: RecorderCore
}
