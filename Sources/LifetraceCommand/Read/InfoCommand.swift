// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetraceReports
import LifetraceTraceFile
import LifetraceWords

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Says what a recording holds.",
    discussion: """
      Apps with their incarnations, times, ends, sizes, losses and clocks; for a log of a device also \
      states, background tasks, and when the system may have suspended the app. Of a recording up to \
      32 MiB all checksums are compared; of a larger one only headers are read, so that it takes \
      milliseconds, and damage inside a chunk is for verify to see.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Flag(help: "Also processes that were only seen, not recorded.")
  var all = false

  @OptionGroup var order: OrderOption

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let reader = try TraceOpening.open(file)
    let facts: RecordingFacts
    do throws(TraceFileError) {
      facts = try RecordingFacts(
        reader,
        bystanders: all || json,
        recovery: RecoveryHint.text(for: reader)
      )
    } catch {
      throw TraceOpening.leave(error)
    }
    print(json ? facts.json.text : facts.text.joined(separator: "\n"))
    if order.strict, !facts.orderDoubts.isEmpty { throw TraceOpening.damaged }
    if facts.file.isDamaged { throw TraceOpening.damaged }
  }
}
