// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import LifetraceTransportNATS

struct CollectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Takes recordings that other machines ship into a folder.",
    discussion: """
      The folder holds a recording for each hour (UTC), which every command reads as it is; \
      lifetrace sessions lists what is in it, and lifetrace extract makes one file of a session. \
      Chunks are on the disk before senders are told, so the collector, the server and the sender \
      may be killed at any moment, and nothing is lost and nothing twice there. Chunks with other \
      bytes than those that are there under their numbers are kept in DIR/conflicts. Ctrl-C ends it.
      """
  )

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The server: nats://HOST:PORT, or tls://.", valueName: "url")
  )
  var url: String

  @Option(
    name: [.short, .customLong("directory")],
    help: "The folder; it is made where it is missing.",
    completion: .directory
  )
  var directory: String

  @Option(
    help: ArgumentHelp("The server's stream; it is made where it is missing.", valueName: "name")
  )
  var stream = Subjects.streamDefault

  @Option(
    help: "What may wait on the server before senders have to (1GiB), where this makes the stream.",
    transform: ByteSize.init(typed:)
  )
  var streamSize: ByteSize?

  @Option(help: "Fetch no more when the folder has this size.", transform: ByteSize.init(typed:))
  var maxSize: ByteSize?

  @Option(
    help: """
      Take no more of one session than this; what is over is refused and counted, and its sender is told.
      """,
    transform: ByteSize.init(typed:)
  )
  var maxSession: ByteSize?

  @Option(
    help: ArgumentHelp(
      "A second copy of a chunk within this time (2m) is dropped by the server, where this makes the stream.",
      valueName: "time"
    ),
    transform: WaitTime.init(typed:)
  )
  var duplicateWindow: WaitTime?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard Subjects.isWord(stream) else {
      throw ValidationError("--stream \(stream): the name is 1 to 64 letters, digits, - and _.")
    }
  }

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    let surroundings = Surroundings.ofProcess()
    var options = Collector.Options()
    options.stream = stream
    options.streamBytesMax = Int64(streamSize?.bytes ?? 1 << 30)
    options.duplicateWindow = duplicateWindow?.milliseconds ?? 120_000
    options.bytesMax = maxSize.map { UInt64($0.bytes) }
    options.sessionBytesMax = maxSession.map { UInt64($0.bytes) }
    let access = server.access(to: url)
    let collection: Collection
    do throws(TraceFileError) {
      collection = try Collection(in: directory) { String(UniversalTime.now.prefix(13)) }
    } catch {
      throw TraceOpening.leave(error)
    }
    if collection.bytesCutOff > 0 {
      Failure.say(
        "\(Printable.line(directory)): a torn tail of \(Quantity.bytes(collection.bytesCutOff)) was "
          + "cut off; its chunks are sent again"
      )
    }
    let collector = Collector(collection, server.subjects, options, surroundings) {
      () throws(LinkError) in try NATSLink(access)
    }
    try LinkFailure.leaving { () throws(Sender.Failure) in try collector.run() }
    let damaged =
      collector.damaged > 0 ? ", \(collector.damaged) damaged on their way" : ""
    let refused =
      collector.refused > 0 ? ", \(collector.refused) over the quota of their session" : ""
    print(
      "\(Quantity.count(collector.stored, "chunk")) stored, \(collector.known) were there"
        + "\(damaged)\(refused); \(Printable.line(directory)) holds "
        + "\(Quantity.count(collection.chunkCount, "chunk")) of "
        + "\(Quantity.count(collection.writerCount, "writer"))"
    )
  }
}
