// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTraceFile
import LifetraceTrace

/// The recording that `repair`, `merge` and `import` make: whole, or not at all.
///
/// It is written beside its place and moved there at the end, so a failure
/// leaves neither half a file nor the loss of the one that was to be replaced,
/// which may be one of those that are read.
struct NewTrace: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The new recording.",
    completion: .file()
  )
  var path: String

  @Flag(name: [.short, .long], help: "Replace an existing file.")
  var force = false

  /// Copies the readable events of `inputs` into it, and reports the others.
  func copy(_ inputs: [String], inOrder order: TraceCopy.ChunkOrder? = nil) throws -> CopySummary {
    let summary = try make { path throws(TraceFileError) in
      try TraceCopy.make(path, from: inputs, inOrder: order)
    }
    for (path, problem) in summary.problems {
      Failure.say("\(Printable.line(path)): \(problem.text)")
    }
    return summary
  }

  /// Leaves where `output` is one of the files that are read.
  static func keep(_ files: [String], from output: String) throws {
    guard SameFile.isOne(output, of: files) else { return }
    Failure.say("\(Printable.line(output)): is what is read; -o names another file")
    throw ExitCode(EX_USAGE)
  }

  /// Lets `body` write a file, which is then the recording; leaves with the error of either.
  ///
  /// None of the files that are to be `kept` is replaced by it: not everything in them is in what is made.
  func make<Made>(
    keeping kept: [String] = [],
    _ body: (String) throws(TraceFileError) -> Made
  ) throws -> Made {
    try Self.keep(kept, from: path)
    return try Self.make(path, isForced: force, body)
  }

  /// The same for a recording that another option names.
  static func make<Made>(
    _ path: String,
    isForced: Bool,
    _ body: (String) throws(TraceFileError) -> Made
  ) throws -> Made {
    TraceOpening.ignoreFileSizeSignal()
    var draft = path
    do throws(TraceFileError) {
      if !isForced, access(path, F_OK) == 0 { throw TraceFileError(path, .exists) }
      // A link stays one.
      let place = try TracePath.resolve(path)
      draft = "\(place).\(getpid()).new"
      let made = try body(draft)
      guard rename(draft, place) == 0 else {
        throw TraceFileError(path, .io(operation: "put it in its place", code: errno))
      }
      return made
    } catch {
      if draft != path { unlink(draft) }
      if case .full(let code) = error.reason {
        Failure.say(
          "\(Printable.line(path)): \(errnoText(code)); nothing was written. "
            + "Make room, or write elsewhere with -o"
        )
        throw TraceOpening.io
      }
      var told = error
      if told.path == draft { told.path = path }
      // What a folder holds is of no concern to a file that was to be written.
      if told.path == path, case .notAFile = told.reason {
        Failure.say(told.description)
        throw TraceOpening.io
      }
      throw TraceOpening.leave(told)
    }
  }
}
