// SPDX-License-Identifier: Apache-2.0

public import Trace

/// Records every process that joins its session, into one trace file.
///
///     let recorder = try Recorder(RecorderOptions(output: "run.lifetrace"))
///     try recorder.start()
///     let app = try recorder.launch(["./notes"])
///     app.wait()
///     print(try recorder.stop().events)
public final class Recorder: Sendable {
  /// Creates the session directory and the trace file.
  public init(_ options: RecorderOptions) throws(RecorderError) {
    throw .noSessionDirectory(tried: [])
  }

  /// The session directory, for `LIFETRACE_SESSION`.
  public var sessionDirectory: String { "" }

  /// Starts to drain, on a thread of its own.
  public func start() throws(RecorderError) {}

  /// Starts `command` with the session in its environment.
  public func launch(_ command: [String], _ options: LaunchOptions = LaunchOptions())
    throws(RecorderError) -> ChildProcess
  {
    throw .commandNotFound(command.first ?? "")
  }

  /// The stream of the living process `pid`, once it has joined.
  public func writer(forPID pid: Int32) -> WriterID? { nil }

  /// Waits until `pid` has joined; nil when it ended or did not join in time.
  public func waitForWriter(ofPID pid: Int32, nanoseconds: Int64) -> WriterID? { nil }

  /// The stream of the device: lock, orientation, foreground owner.
  public var deviceWriter: WriterID { WriterID(high: 0, low: 0) }

  /// The time on the clock of this recording.
  public func now() -> HostTime { HostTime(rawValue: 0) }

  /// Puts an event into the stream of `writer`; strings are interned here.
  public func record(_ event: RecordedEvent, about writer: WriterID) {}

  /// Stops a process (SIGSTOP to it alone) and records the suspension once the stop is confirmed.
  @discardableResult
  public func suspend(pid: Int32) throws(RecorderError) -> HostTime { now() }

  /// Records that the process resumes, then lets it run.
  @discardableResult
  public func resume(pid: Int32, reason: String) throws(RecorderError) -> HostTime { now() }

  /// Kills a process; its exit event tells this cause.
  public func kill(pid: Int32, _ death: Death) throws(RecorderError) {}

  /// Calls `body` on the recorder's thread after each exit has been put into its stream.
  public func onExit(_ body: @escaping @Sendable (ProcessExit) -> Void) {}

  /// Waits until all that was recorded so far stands in the file.
  public func flush() throws(RecorderError) {}

  /// Drains what is left, ends the trace, removes the session.
  public func stop() throws(RecorderError) -> RecordingSummary { RecordingSummary() }
}
