// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetracePlatform
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile

/// A recording that is read while it is made (`record --follow`).
enum Following {
  /// The file is looked at this often.
  static let intervalMilliseconds: Int32 = 50

  /// Opens a recording; waits until there is one, and until something in it is settled.
  ///
  /// One that is made without `--follow` is refused: the places of its events are not known before it
  /// ends.
  static func open(_ path: String) throws -> FileSource {
    var hasSaid = false
    while true {
      if let source = try attempt(path) { return source }
      if !hasSaid {
        Failure.say("\(Printable.line(path)): waiting for its first events; Ctrl-C stops")
        hasSaid = true
      }
      pause()
    }
  }

  static func pause() { _ = poll(nil, 0, intervalMilliseconds) }

  /// What is said where a recording is followed no more; nil where it goes on.
  static func end(_ sighting: TraceReader.Sighting, of reader: TraceReader) -> String? {
    let path = Printable.line(reader.path)
    switch sighting {
    case .another:
      return "\(path): another recording stands there by now; this one is followed no more"
    case .gone: return "\(path): is not there any more; it is followed no more"
    case .same, .more, .rewritten: return nil
    }
  }

  /// Takes in what was written since; how the file stands.
  static func look(_ source: FileSource) -> FollowedFile {
    let sighting: TraceReader.Sighting
    do throws(TraceFileError) { sighting = try source.look() } catch {
      return .lost("It is followed no more: \(error.description)")
    }
    if let end = end(sighting, of: source.reader) { return .lost(end) }
    if source.reader.isBeingWritten { return .live }
    return source.reader.hasEnd ? .ended : .abandoned
  }

  private static func attempt(_ path: String) throws -> FileSource? {
    guard access(path, F_OK) == 0 else { return nil }
    do throws(TraceFileError) {
      let reader = try TraceReader(path: path, comparesPayloads: false)
      guard !reader.streams.isEmpty else { return nil }
      if reader.isBeingWritten {
        guard reader.settles else {
          Failure.say(
            """
            \(Printable.line(path)): is being recorded so that nobody can follow: where its events stand \
            is known at the end
              To follow a recording, make it with: lifetrace record --follow
            """
          )
          throw TraceFileError(path, .locked)
        }
        guard reader.settledBytes > 0 else { return nil }
      }
      return FileSource(reader, isFollowing: true)
    } catch {
      guard case .locked = error.reason else { throw TraceOpening.leave(error) }
      throw TraceOpening.io
    }
  }
}
