// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceRecorder
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

/// What the commands about the file itself have in common: how they open one, and how they leave.
enum TraceOpening {
  /// Damaged, cut or unreadable.
  static let damaged = ExitCode(2)
  /// The system refused.
  static let io = ExitCode(74)

  /// Opens a trace or leaves with its error; one without a single event is refused.
  static func open(_ path: String) throws -> TraceReader {
    for hint in Leftovers.hints(beside: absolutePath(path)) { Failure.say(hint) }
    do throws(TraceFileError) {
      let reader = try TraceReader(path: path)
      if reader.streams.isEmpty { throw TraceFileError(path, .empty) }
      return reader
    } catch {
      throw leave(error)
    }
  }

  /// Says what is wrong; the code to leave with.
  static func leave(_ error: TraceFileError) -> ExitCode {
    let unreadable = unreadable(error)
    for sentence in unreadable.sentences { Failure.say(sentence) }
    return unreadable.code
  }

  /// What is wrong, in words.
  static func unreadable(_ error: TraceFileError) -> Recording.Unreadable {
    if error.reason == .notATrace, let fault = Recording.fault(ofStory: error.path) {
      return Recording.Unreadable(sentences: [fault], code: damaged)
    }
    if case .notAFile = error.reason, RecordingNames.isFolderWithout(error.path) {
      let name = Printable.line(error.path)
      return Recording.Unreadable(
        sentences: ["\(name): holds no recording: no file in it or below it ends in .lifetrace"],
        code: io
      )
    }
    var sentences = [error.description]
    if case .empty = error.reason, let hint = RecoveryHint.text(for: error.path) {
      sentences.append(hint)
    }
    return Recording.Unreadable(sentences: sentences, code: error.isIO ? io : damaged)
  }

  /// A full file must be an error of ours rather than the end of the process.
  static func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }
}
