// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetraceReports
import LifetraceTraceFile

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Judges the file: reads every byte of a recording.",
    discussion: """
      Leaves with 0 where all chunks are whole and none is missing, else with 2. A recording that was \
      cut between chunks, at its beginning or its end, is incomplete: 2 as well, unless \
      --allow-unfinished. Of several files each is judged, also behind one that cannot be read.
      """
  )

  @Argument(help: "Recordings, or folders of them.", completion: .file())
  var files: [String]

  @Flag(help: "A recording that was cut between chunks, or still runs, is well.")
  var allowUnfinished = false

  @Flag(help: "Print one JSON object a file, a line each.")
  var json = false

  func run() throws {
    var code: ExitCode?
    for file in RecordingNames.files(files) {
      do {
        try verify(file)
      } catch let failure as ExitCode {
        code = OpenedFiles.graver(code, failure)
      }
    }
    if let code { throw code }
  }

  private func verify(_ file: String) throws {
    let reader = try TraceOpening.open(file)
    do throws(TraceFileError) {
      try reader.verify()
    } catch {
      throw TraceOpening.leave(error)
    }
    var facts = FileFacts(reader, recovery: RecoveryHint.text(for: reader))
    if allowUnfinished { facts.problems.removeAll { !$0.isDamage } }
    print(json ? facts.json.text : facts.verdict.joined(separator: "\n"))
    if !facts.problems.isEmpty { throw TraceOpening.damaged }
  }
}
