// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import LifetraceTransportNATS

struct ShipCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ship",
    abstract: "Sends recordings to a collector.",
    discussion: """
      Each chunk goes to a NATS server as it stands in the file, and counts as arrived when a \
      collector (lifetrace collect) has it on its disk: what a server says it has may be lost with \
      it, and is sent again. What the collector has already is not sent, so to ship a file again is \
      cheap, and safe. It waits for that, however long the server or the collector is away, and \
      leaves with 75 where --timeout or Ctrl-C ends that; ship it again then. A chunk that is more \
      than the server takes is left out and said, and it leaves with 69 \
      (Sources/Transport/TRANSPORT.md).
      """
  )

  @Argument(help: "The recordings.", completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The server: nats://HOST:PORT, or tls://; of a cluster several, with commas between.",
      valueName: "url"
    )
  )
  var to: String

  @Option(
    help: ArgumentHelp(
      "Wait at most so long, as 90s or 5m; else until all of it has arrived.",
      valueName: "time"
    ),
    transform: WaitTime.init(typed:)
  )
  var timeout: WaitTime?

  @Option(
    help: ArgumentHelp(
      "Send a chunk again that no collector has confirmed after so long (30s).",
      valueName: "time"
    ),
    transform: WaitTime.init(typed:)
  )
  var resendAfter: WaitTime?

  @OptionGroup var server: ServerOptions

  /// Not all of it has arrived: worth another attempt.
  static let isUnfinished = ExitCode(75)

  func run() throws {
    let surroundings = Surroundings.ofProcess(stoppingAfter: timeout?.milliseconds)
    let readers = try files.map { try TraceOpening.open($0) }
    let source = TraceSource(readers)
    let access = server.access(to: to)
    let sender = Sender(
      source,
      server.subjects(),
      resendAfter: resendAfter?.milliseconds ?? 30_000,
      surroundings
    ) { () throws(LinkError) in try NATSLink(access) }
    let outcome = try LinkFailure.leaving { () throws(Sender.Failure) in try sender.run() }
    let shipment = sender.shipment
    guard outcome != .tooLarge else {
      Failure.say(
        "arrived: \(shipment.done) of \(Quantity.count(shipment.count, "chunk")); "
          + "\(shipment.tooLarge) not sent, as more than the server takes (max_payload)"
      )
      throw ExitCode(EX_UNAVAILABLE)
    }
    guard outcome == .done else {
      Failure.say(
        "arrived: \(shipment.done) of \(Quantity.count(shipment.count, "chunk")); "
          + "\(shipment.acknowledged) on the server, for a collector to take; ship again to send the rest"
      )
      throw Self.isUnfinished
    }
    let again = shipment.resent > 0 ? ", \(shipment.resent) sent again" : ""
    print(
      "arrived at the collector: \(Quantity.count(shipment.count, "chunk")), "
        + "\(Quantity.bytes(sender.bytesSent)) sent\(again)"
    )
    if source.damaged > 0 { throw TraceOpening.damaged }
  }
}
