// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile

/// Recordings that are read as one: those that can be, and how to leave for those that cannot.
///
///     let opened = try OpenedFiles(group.files)
///     let timeline = Timeline(opened.source)
struct OpenedFiles {
  /// The files that were opened.
  let readers: [TraceReader]
  /// All of them as one.
  let recording: JoinedTraces
  /// What to leave with for a file that could not be opened; nil where all were.
  private(set) var code: ExitCode?

  /// Opens `files`, beside others a story too; one that cannot be read is named, and the rest goes on.
  ///
  /// Leaves where none can be read.
  init(_ files: [String]) throws {
    var readers: [TraceReader] = []
    for file in files {
      do {
        let isStory = files.count > 1 && (try? TraceReader(path: file)) == nil
        let story = isStory ? Recording.trace(ofStory: file) : nil
        readers.append(try story ?? TraceOpening.open(file))
      } catch let failure as ExitCode {
        code = Self.graver(code, failure)
      }
    }
    guard !readers.isEmpty else { throw code ?? TraceOpening.damaged }
    self.readers = readers
    do throws(TraceFileError) {
      recording = try JoinedTraces(readers)
    } catch {
      throw TraceOpening.leave(error)
    }
  }

  /// One file is a source of its own, which knows more of names.
  var source: any EventSource {
    readers.count == 1 ? FileSource(readers[0]) : JoinedSource(recording)
  }

  /// What is damaged in the files, as far as it was met, with the name of the file.
  var damage: [String] {
    readers.enumerated().flatMap { number, reader in
      recording.problems(of: number).filter(\.isDamage).map {
        "\(Printable.line(reader.path)): \($0.text)"
      }
    }
  }

  /// Of two exit codes the one that says that the system refused.
  static func graver(_ code: ExitCode?, _ other: ExitCode) -> ExitCode {
    code == TraceOpening.io ? TraceOpening.io : other
  }
}
