// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Glibc
import LifetraceInterop
import LifetraceTimeline
import LifetraceTraceFile

/// A file that a reading command was given: a trace, or a story in text.
struct Recording {
  /// A story is no larger than this.
  static let storyBytesMax = 64 << 20

  let source: any EventSource
  /// What is wrong with the file, a sentence each.
  let problems: [String]

  /// Opens a trace, or, where it is none, a story.
  init(opening path: String) throws {
    do throws(TraceFileError) {
      let reader = try TraceReader(path: path)
      source = FileSource(reader)
      let lost = reader.census.lost
      // As far as headers tell: what is damaged within is met by the check.
      problems =
        reader.problems.map { $0.description }
        + (lost.isNone ? [] : ["\(lost.text): what they held is not judged."])
    } catch {
      guard let story = try Self.story(path) else {
        throw TraceOpening.leave(error)
      }
      source = story.source
      problems = []
    }
  }

  /// Reads a story, which the file has to be.
  static func readStory(_ path: String) throws -> Story {
    guard access(path, R_OK) == 0 else {
      Failure.say("\(path): \(String(cString: strerror(errno)))")
      throw TraceOpening.io
    }
    guard let story = try story(path) else {
      Failure.say("\(path): is no story: it holds no writers, or no text")
      throw TraceOpening.damaged
    }
    return story
  }

  /// Nil where the file cannot be a story either.
  private static func story(_ path: String) throws -> Story? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= storyBytesMax {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes.append(contentsOf: buffer[..<count])
      if bytes.prefix(4_096).contains(0) { return nil }
    }
    guard !bytes.isEmpty, bytes.count <= storyBytesMax else { return nil }
    do throws(StoryError) {
      let story = try Story.parse(String(decoding: bytes, as: UTF8.self))
      return story.writers.isEmpty ? nil : story
    } catch {
      Failure.say(
        "\(path): neither a trace nor a story: \(error.description)\n"
          + "  The log of a device becomes a trace with: lifetrace import console \(path) -o OUT"
      )
      throw TraceOpening.damaged
    }
  }
}
