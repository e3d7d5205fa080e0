// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDeviceLog
import LifetracePlatform
import LifetraceTrace
import LifetraceReports
import LifetraceTraceFile

struct ImportAutoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auto",
    abstract: "Reads logs and reports of a device, each for what it is, into one recording.",
    discussion: """
      What export jsonl wrote is read as import jsonl does. Logs in all forms that `import console` reads; crash reports as text (.crash) and as JSON (.ips); \
      reports of low memory (JetsamEvent); payloads of MetricKit (what jsonRepresentation() returns). \
      Facts about one process are joined by its bundle id or name and its pid, in the order of time: a \
      crash report ends the process whose lines are in the log.

      A log that says no day is put on that of a dated file that is about one of its processes. A \
      crash report alone gives a short stream: the state at the end, the deadline that was missed, the \
      end and its cause. MetricKit counts, and says no times: its counts are notes, which no rule \
      judges.
      """
  )

  @Argument(help: "The logs and reports; - reads a log from standard input.", completion: .file())
  var files: [String]

  @OptionGroup var output: NewTrace
  @OptionGroup var options: LogOptions

  func run() throws {
    if let lines = files.first(where: ImportLinesCommand.isOwn) {
      guard files.count == 1 else {
        Failure.say(
          "\(Printable.line(lines)): is a recording in JSON lines, and no log\n"
            + "  To read it by itself: lifetrace import jsonl \(CommandText.file(lines)) -o OUT"
        )
        throw ExitCode(EX_USAGE)
      }
      return try ImportLinesCommand.read(lines, into: output)
    }
    let log = try options.read { settings throws(LogImportError) in
      try LogImport(joining: files, options: settings)
    }
    try options.write(log, to: output, of: files)
  }
}
