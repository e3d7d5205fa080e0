// SPDX-License-Identifier: GPL-3.0-or-later
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import LifetraceTransportNATS

/// Sends a recording while it grows, in a process of its own that only reads the file.
///
///     let shipping = LiveShipping(path: path, subjects: subjects, access: access)
///     let process = shipping.start()
///     …
///     shipping.finish(process, within: 10_000)
///
/// The file is the spool: what is in it is sent until a collector has it, over whatever outage, and the
/// recording does not depend on it. A process that was killed leaves nothing behind that counts: what
/// has arrived is asked of the collector.
struct LiveShipping {
  let path: String
  let subjects: Subjects
  let access: NATSAccess
  /// Where the file is freed of what has arrived.
  let confirmations: Confirmations?

  /// Chunks are sealed after this, in nanoseconds: what a machine takes with it that is gone for good.
  static let sealAfter: Int64 = 1_000_000_000
  /// And at this size of its columns and names, in bytes: with its header it is at most 768 KiB then,
  /// unless the state that it begins with is large.
  static let chunkBytesMax = 640 << 10
  /// As process lists call it.
  static let name = "lifetrace-ship"

  /// Starts it, before this process has threads; its id, or nil where the system gives no process.
  func start() -> Int32? {
    let front = getpid()
    let pid = cplatform_fork()
    if pid == 0 { exit(run(front)) }
    return pid > 0 ? pid : nil
  }

  /// Ends it, and sends what is left; whether all of an ended recording has arrived within so many
  /// milliseconds.
  func finish(_ process: Int32?, within time: Int64) -> Bool {
    if let process {
      kill(process, SIGKILL)
      var result = cplatform_wait_result()
      _ = cplatform_wait(process, 0, 0, 1, &result)
    }
    guard let reader = try? TraceReader(path: path) else { return false }
    let sender = sender(TraceSource([reader]), .ofProcess(stoppingAfter: time))
    do throws(Sender.Failure) {
      // Of a recorder that was killed, apps hold more than the file: it is still asked for.
      if try sender.run() == .done { return reader.hasEnd }
      let tooLarge = sender.shipment.tooLarge
      let left = tooLarge > 0 ? ", \(tooLarge) more than the server takes" : ""
      Failure.say(
        "arrived at the collector: \(sender.shipment.done) of "
          + "\(Quantity.count(sender.shipment.count, "chunk"))\(left); the rest goes with: "
          + "lifetrace ship \(Printable.line(path)) --to \(access.url)"
      )
    } catch {
      Failure.say(
        "\(LinkFailure.text(error))\n  What is recorded goes with: "
          + "lifetrace ship \(Printable.line(path)) --to \(access.url)"
      )
    }
    return false
  }

  private func sender(_ source: any ChunkSource, _ surroundings: Surroundings) -> Sender {
    let access = access
    return Sender(source, subjects, resendAfter: 30_000, surroundings) { () throws(LinkError) in
      try NATSLink(access)
    }
  }

  private func run(_ front: Int32) -> Int32 {
    cplatform_name_thread(Self.name)
    _ = cplatform_set_parent_death_signal(SIGKILL)
    // They are meant for the command; this ends with the recording.
    for number in [SIGINT, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
    var surroundings = Surroundings.ofProcess()
    surroundings.shouldStop = { getppid() != front }
    do throws(Sender.Failure) {
      _ = try sender(GrowingSource(path, confirmations), surroundings).run()
      return 0
    } catch {
      // The recording goes on, and what it holds is tried again at its end.
      Failure.say(LinkFailure.text(error))
      return EX_UNAVAILABLE
    }
  }
}
