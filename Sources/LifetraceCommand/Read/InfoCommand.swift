// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetraceReports
import LifetraceTrace
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

      Of several files, or a folder of them, each is told in short, run by run, and then the hosts.
      """
  )

  @Argument(help: "Recordings, or folders of them.", completion: .file())
  var files: [String]

  @Flag(help: "Also processes that were only seen, not recorded.")
  var all = false

  @OptionGroup var order: OrderOption

  @Flag(help: "Print one JSON object a file, a line each.")
  var json = false

  func run() throws {
    let files = RecordingNames.files(files)
    let groups = RunGroup.groups(of: files)
    var hosts = HostSummary()
    var code: ExitCode?
    for group in groups {
      if groups.count > 1, !json {
        print("== \(group.name): \(Quantity.count(group.files.count, "file"))")
      }
      for file in group.files {
        do {
          try tell(file, isOneOfMany: files.count > 1, &hosts)
        } catch let failure as ExitCode {
          code = OpenedFiles.graver(code, failure)
        }
      }
    }
    if files.count > 1, !json { print(hosts.text.joined(separator: "\n")) }
    if let code { throw code }
  }

  private func tell(_ file: String, isOneOfMany: Bool, _ hosts: inout HostSummary) throws {
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
    hosts.add(facts)
    let text = isOneOfMany ? facts.summary : facts.text
    print(json ? facts.json.text : text.joined(separator: "\n"))
    if order.strict, !facts.orderDoubts.isEmpty { throw TraceOpening.damaged }
    if facts.file.isDamaged { throw TraceOpening.damaged }
  }
}
