// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDeviceLog

struct ImportConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Reads the log of an Apple device.",
    discussion: """
      Reads what Console.app exports or has copied (level, time, process and message with tabs between; \
      in any language, and with more columns or others first), the output of idevicesyslog (old and new), \
      pymobiledevice3 and go-ios, `log show` and `log stream` in every style, and NSLog, line by line in any \
      mixture; what trackers, test drivers and terminals put around a line is taken off.

      Each process of each app in the log becomes a stream: its states, its background tasks with \
      their ids and names, suspensions, and its end with its cause. States are unknown before the first \
      evidence; what follows from other lines only is marked as inferred, and so are the ids of tasks \
      that the device logs as <private>. Where the log does not \
      say that the app was suspended, the intervals in which it could have been are held as \
      the resource "suspension possible".
      """
  )

  @Argument(help: "The log; - reads standard input.", completion: .file())
  var file: String

  @OptionGroup var output: NewTrace
  @OptionGroup var options: LogOptions

  func run() throws {
    let log = try options.read { settings throws(LogImportError) in
      try LogImport(path: file, options: settings)
    }
    try options.write(log, to: output, of: [file])
  }
}
