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
    help: ArgumentHelp(
      "The server: nats://HOST:PORT, or tls://; of a cluster several, with commas between.",
      valueName: "url"
    )
  )
  var url: String

  @Option(
    name: [.short, .customLong("directory")],
    help: "The folder; it is made where it is missing.",
    completion: .directory
  )
  var directory: String

  @Option(
    help: ArgumentHelp(
      "The server's stream (LIFETRACE-TENANT); it is made where it is missing.",
      valueName: "name"
    )
  )
  var stream: String?

  @Option(
    help: ArgumentHelp(
      """
      Take sessions of these partitions alone, as 0-7 or 3, of 0 to 15, from a stream of their own \
      (LIFETRACE-TENANT-0-7): so each session lies in one folder, with several collectors too. Between \
      them they must take all partitions, and no partition in two streams.
      """,
      valueName: "range"
    ),
    transform: Self.partitions
  )
  var partitions: ClosedRange<Int>?

  @Option(
    help: ArgumentHelp(
      "Have so many servers of a cluster keep each chunk (1), where this makes the stream: 1, 3 or 5.",
      valueName: "n"
    )
  )
  var replicas = 1

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
    if let stream, !Subjects.isWord(stream) {
      throw ValidationError("--stream \(stream): the name is 1 to 64 letters, digits, - and _.")
    }
    guard (1...5).contains(replicas) else {
      throw ValidationError("--replicas \(replicas): from 1 to 5 servers keep a chunk.")
    }
  }

  private static func partitions(_ text: String) throws -> ClosedRange<Int> {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let low = ends[0], let high = ends[ends.count - 1],
      low <= high, Subjects.allPartitions.contains(low), Subjects.allPartitions.contains(high)
    else {
      throw ValidationError(
        "it is one of 0 to 15, or two with - between them, the lesser one first."
      )
    }
    return low...high
  }

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    let surroundings = Surroundings.ofProcess()
    var options = Collector.Options()
    options.stream = stream
    options.replicas = replicas
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
    if collection.damaged > 0 {
      Failure.say(
        "\(Printable.line(directory)): \(Quantity.count(collection.damaged, "place")) held no whole chunk, "
          + "as a power cut may leave it; who has such a chunk sends it again, and the files as they were "
          + "are kept beside, named .damaged"
      )
    }
    if collection.bytesCutOff > 0 {
      Failure.say(
        "\(Printable.line(directory)): a torn tail of \(Quantity.bytes(collection.bytesCutOff)) was "
          + "cut off; its chunks are sent again"
      )
    }
    let collector = Collector(
      collection,
      server.subjects(partitions ?? Subjects.allPartitions),
      options,
      surroundings
    ) {
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
