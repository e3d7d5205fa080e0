// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceInterop
import LifetracePlatform
import LifetraceTimeline
import LifetraceTraceFile
import LifetraceTrace

/// What a reading command was given: a trace, a story in text, or several of them as one.
struct Recording {
  /// A story is no larger than this.
  static let storyBytesMax = 64 << 20

  let source: any EventSource
  /// What is wrong with the file, a sentence each.
  let problems: [String]
  /// Whether some of them say that it is not whole.
  let isDamaged: Bool
  /// The traces that it stands in; none for a story alone.
  var readers: [TraceReader] = []
  /// What to leave with for a file that could not be read beside others; nil where all were.
  var unread: ExitCode?

  /// A trace that may be growing: that it has no end yet is no problem.
  init(following source: FileSource) {
    self.source = source
    readers = [source.reader]
    isDamaged = source.reader.problems.contains(where: \.isDamage)
    problems = source.reader.problems.filter(\.isDamage).map { $0.description }
  }

  /// Why a file cannot be read.
  struct Unreadable: Error {
    /// What is wrong, and what would do, a sentence each.
    var sentences: [String]
    /// What a command leaves with.
    var code: ExitCode
  }

  /// Opens a trace, or, where it is none, a story; says what is wrong where it is neither, and leaves.
  init(opening path: String) throws {
    do throws(Unreadable) {
      self = try Recording(reading: path)
    } catch {
      for sentence in error.sentences { Failure.say(sentence) }
      throw error.code
    }
  }

  /// Opens all of `files` as one recording: one that cannot be read is named, and the rest goes on.
  ///
  /// Leaves where none can be read.
  init(opening files: [String]) throws {
    guard files.count > 1 else {
      self = try Recording(opening: files[0])
      return
    }
    let opened = try OpenedFiles(files)
    source = opened.source
    readers = opened.readers
    unread = opened.code
    let lost = opened.recording.census.lost
    let damage = opened.damage
    isDamaged = !damage.isEmpty
    problems =
      damage + (lost.isNone ? [] : ["\(lost.text): what they held is not judged."])
      + (unread.map { _ in ["Not all of the files could be read."] } ?? [])
  }

  /// What several files are called: the first three, and how many more there are.
  static func title(_ names: [String]) -> String {
    let more = names.count - 3
    return names.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// The same for who says it elsewhere.
  init(reading path: String) throws(Unreadable) {
    do throws(TraceFileError) {
      let reader = try TraceReader(path: path, comparesPayloads: false)
      source = FileSource(reader)
      readers = [reader]
      let lost = reader.census.lost
      isDamaged = reader.problems.contains(where: \.isDamage)
      // As far as headers show: damage within is met by the check.
      problems =
        reader.problems.map { $0.description }
        + (lost.isNone ? [] : ["\(lost.text): what they held is not judged."])
    } catch {
      // A file that cannot be read is reported as a trace.
      guard let bytes = try? SmallFile.bytes(of: path, bytesMax: Self.storyBytesMax),
        let story = try Self.story(bytes, path)
      else { throw TraceOpening.unreadable(error) }
      source = story.source
      problems = []
      isDamaged = false
    }
  }

  /// Reads a story, which the file has to be.
  static func readStory(_ path: String) throws -> Story {
    let bytes: [UInt8]
    do throws(SmallFile.Failure) {
      bytes = try SmallFile.bytes(of: path, bytesMax: storyBytesMax)
    } catch {
      Failure.say("\(Printable.line(path)): \(error.reason)")
      if error.code == EFBIG {
        Failure.say("what is larger goes as lines: lifetrace export jsonl FILE, import jsonl LINES")
      }
      throw TraceOpening.io
    }
    do throws(Unreadable) {
      if let story = try story(bytes, path) { return story }
    } catch {
      for sentence in error.sentences { Failure.say(sentence) }
      throw error.code
    }
    Failure.say("\(Printable.line(path)): is no story: it holds no writers, or no text")
    throw TraceOpening.damaged
  }

  /// A story as a trace, for what reads whole files; nil where the file is none.
  static func trace(ofStory path: String) -> TraceReader? {
    guard let bytes = try? SmallFile.bytes(of: path, bytesMax: storyBytesMax), !bytes.contains(0),
      let story = try? Story.parse(String(decoding: bytes, as: UTF8.self)), !story.writers.isEmpty
    else { return nil }
    var template = Array("\(environment("TMPDIR") ?? "/tmp")/lifetrace-story-XXXXXX".utf8CString)
    guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { return nil }
    let file = folder + "/story.lifetrace"
    // The reader holds it open.
    defer {
      unlink(file)
      rmdir(folder)
    }
    guard (try? story.write(to: TraceWriter(path: file, options: .create))) != nil else {
      return nil
    }
    return try? TraceReader(path: file)
  }

  /// What is wrong with a file that begins as a story, in a sentence; nil for any other.
  static func fault(ofStory path: String) -> String? {
    guard let bytes = try? SmallFile.bytes(of: path, bytesMax: storyBytesMax) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard !bytes.prefix(4_096).contains(0), Story.isBegun(in: text) else { return nil }
    do throws(StoryError) {
      _ = try Story.parse(text)
      return nil
    } catch {
      return "\(Printable.line(path)): the story cannot be read: \(error.description)"
    }
  }

  /// Nil where these bytes cannot be a story.
  private static func story(_ bytes: [UInt8], _ path: String) throws(Unreadable) -> Story? {
    guard !bytes.isEmpty, !bytes.prefix(4_096).contains(0) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(StoryError) {
      let story = try Story.parse(text)
      return story.writers.isEmpty ? nil : story
    } catch {
      let name = Printable.line(path)
      let problem =
        fault(ofStory: path)
        ?? "\(name): neither a trace nor a story: \(error.description)\n"
        + "  The log of a device becomes a trace with: lifetrace import console \(name) -o OUT"
      throw Unreadable(sentences: [problem], code: TraceOpening.damaged)
    }
  }
}
