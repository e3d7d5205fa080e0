// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceRecorder
import LifetraceTransport
import LifetraceTransportNATS

/// To where a recording is sent while it is made, and what becomes of its file then.
struct ShippingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Send each chunk to a collector as well (lifetrace collect), through this NATS server, or whichever \
      of several with commas between answers. The file is the spool: an outage of any length costs nothing but its growth. At --max-size what a collector \
      has leaves the file first; only where that is not enough, events are counted as lost. At the end \
      what is left is sent for up to --ship-wait; lifetrace ship sends the rest.
      """,
      valueName: "url"
    )
  )
  var to: String?

  @Option(
    help: ArgumentHelp(
      "With --to: wait at the end until all has arrived (10s).",
      valueName: "time"
    ),
    transform: WaitTime.init(typed:)
  )
  var shipWait: WaitTime?

  @Flag(
    help: """
      With --to: free the file of what a collector has, while recording, and remove it at the end when \
      a collector has all of it. After a kill, lifetrace record --recover and lifetrace ship send what \
      is left.
      """
  )
  var removeShipped = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard to != nil || (shipWait == nil && !removeShipped) else {
      throw ValidationError("--ship-wait and --remove-shipped go with --to.")
    }
  }

  /// Starts the process that sends the recording while it grows; what sends the rest at the end.
  ///
  /// Nil without --to. Called before this process has threads. Leaves where no server would do. The file is freed of what has arrived where that is asked for, or where it may not grow; not
  /// where it `keepsAll` for who reads it.
  func start(_ plan: inout RecordPlan, keepsAll: Bool) throws -> (() -> Void)? {
    guard let to else { return nil }
    let access = server.access(to: to)
    try LinkFailure.leaving { () throws(Sender.Failure) in
      do throws(LinkError) { try NATSLink.check(access) } catch { throw .link(error) }
    }
    plan.options.compacts = false
    plan.options.sealAfterNanoseconds = LiveShipping.sealAfter
    plan.options.chunkBytesMax = LiveShipping.chunkBytesMax
    let isFreed = removeShipped || plan.options.sizeMax != nil && !keepsAll
    let confirmations = isFreed ? Confirmations() : nil
    plan.options.custody = confirmations?.custody(isEager: removeShipped)
    let shipping = LiveShipping(
      path: plan.options.output,
      subjects: server.subjects(),
      access: access,
      confirmations: confirmations
    )
    let process = shipping.start()
    return {
      let hasArrived = shipping.finish(process, within: shipWait?.milliseconds ?? 10_000)
      if hasArrived, removeShipped { unlink(shipping.path) }
    }
  }
}
