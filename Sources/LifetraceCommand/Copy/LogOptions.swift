// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDeviceLog
import LifetraceLifecycle
import LifetraceTraceFile

/// What the imports of logs have in common.
struct LogOptions: ParsableArguments {
  @Option(help: "The profile; by default the log's system version decides.")
  var profile: String?

  @Option(help: "Only apps whose id contains this.")
  var app: String?

  @Option(
    help: "What lines of the app's own stand for: edits, saves, work, marks.",
    completion: .file(extensions: ["yml", "yaml"])
  )
  var map: String?

  @Option(
    help: """
      The clock of the device was within this of the clocks of the machines whose recordings are joined \
      with it (1s): so much is known then of what was first. Without it, real time places and proves nothing.
      """,
    transform: WaitTime.init(typed:)
  )
  var clockWithin: WaitTime?

  func validate() throws {
    if let profile, Profile.named(profile) == nil {
      let all = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no profile \(profile); there are \(all)")
    }
  }

  /// Reads with these options; leaves with the error's code.
  func read(
    _ body: (LogImport.Options) throws(LogImportError) -> LogImport
  ) throws -> LogImport {
    let map = try map.map(MapFile.read)
    return try Self.leaving { () throws(LogImportError) in
      try body(
        LogImport.Options(
          profile: profile,
          app: app,
          map: map,
          clockWithin: clockWithin.map { Int64($0.milliseconds) * 1_000_000 }
        )
      )
    }
  }

  /// Leaves with the code of what `body` throws.
  static func leaving<Made>(_ body: () throws(LogImportError) -> Made) throws -> Made {
    do throws(LogImportError) {
      return try body()
    } catch {
      Failure.say(error.description)
      throw ExitCode(error.isIO ? 74 : 2)
    }
  }

  /// Writes the recording, and says what was read.
  func write(_ log: LogImport, to output: NewTrace, of files: [String]) throws {
    let name = files.count == 1 ? files[0] : "\(files.count) files"
    try output.make(keeping: files) { path throws(TraceFileError) in
      try log.write(to: TraceWriter(path: path, options: .create))
    }
    Failure.say("\(LogImportError.name(name)): \(log.summary)")
  }
}
