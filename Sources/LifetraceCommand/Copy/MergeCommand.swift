// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceReports
import LifetraceTimeline
import LifetraceTraceFile

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Makes one recording of several.",
    discussion: """
      Chunks that are in several of them are taken once. `cat A B > C` makes a valid recording too; \
      merge also checks every chunk and gives the result one index. It leaves with 2 where something was damaged and is not in the result.
      """
  )

  @Argument(help: "Recordings, or folders of them.", completion: .file())
  var files: [String]

  @Flag(
    help: """
      Put chunks where their first events stand in the order of all machines, messages counted: \
      who reads from the front and keeps a chunk of each process that lives meets each send before \
      its receives, and the result is the same whatever the order of the files.
      """
  )
  var ordered = false

  @OptionGroup var output: NewTrace
  @OptionGroup var order: OrderOption

  func run() throws {
    let files = RecordingNames.files(files)
    let summary = try output.copy(files, inOrder: ordered ? try chunkOrder(files) : nil)
    print(FileFacts(output.path, copied: summary).contents)
    let merged = FileSource(try TraceOpening.open(output.path))
    try order.say(Timeline(merged).doubts, of: output.path)
    if summary.hasLoss { throw TraceOpening.damaged }
  }

  /// Where chunks stand in the order of replay.
  private func chunkOrder(_ files: [String]) throws -> TraceCopy.ChunkOrder {
    let readers = try files.map { try TraceOpening.open($0) }
    do throws(TraceFileError) {
      return Timeline(JoinedSource(try JoinedTraces(readers))).chunkOrder()
    } catch {
      throw TraceOpening.leave(error)
    }
  }
}
