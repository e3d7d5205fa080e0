// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace

/// The file of the notes about a recording, which lies beside it: `run.lifetrace.notes`.
///
///     {"lifetrace-notes":1}
///     {"event":"notes#1:22","mark":"edit","note":"too late","words":"…","writer":"5f0c…"}
///
/// A line a note, in an order that depends on the notes alone: version control merges it. Each change
/// is made to what stands there at that moment, under the file's lock, and takes the place of the
/// file as a whole, so that two prompts lose nothing of each other. A file with a line that is not
/// understood is read as far as it is, and never written.
package struct NotesFile: Sendable {
  /// It is no larger.
  package static let bytesMax = 8 << 20
  /// It holds at most this many notes.
  package static let notesMax = 10_000
  /// How often a lock that another program holds is tried, a millisecond apart.
  private static let lockAttemptsMax = 2_000
  private static let heading = #"{"lifetrace-notes":1}"#

  /// Where it lies.
  package let path: String

  /// The file at `path`, which need not be there yet.
  package init(path: String) { self.path = path }

  /// Why it cannot be read as a whole, or not be written: a sentence.
  package struct Damage: Error, Equatable, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
  }

  /// What stands in it, and what does not belong there, a sentence each.
  package struct Content {
    package var notes: [Note] = []
    package var damages: [Damage] = []
  }

  /// What stands in it; nothing where it is missing.
  ///
  /// Cost: the file is read as a whole.
  package func read() -> Content {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      if errno == ENOENT { return Content() }
      return Content(damages: [damage("cannot be read: \(errnoText(errno))")])
    }
    // To open a pipe may wait without end.
    guard facts.st_mode & S_IFMT == S_IFREG else {
      return Content(damages: [damage("is no plain file")])
    }
    do throws(SmallFile.Failure) {
      return content(of: try SmallFile.bytes(of: path, bytesMax: Self.bytesMax))
    } catch {
      return Content(damages: [damage("cannot be read: \(error.reason)")])
    }
  }

  private func damage(_ words: String) -> Damage { Damage("\(Printable.line(path)) \(words)") }

  private func content(of bytes: [UInt8]) -> Content {
    var content = Content()
    guard let text = String(validating: bytes, as: UTF8.self) else {
      content.damages.append(damage("is no text in UTF-8"))
      return content
    }
    var known: Set<Note.Identity> = []
    var isHeaded = false
    // A carriage return and a line feed are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      if line.allSatisfy({ $0 == " " }) { continue }
      do throws(Damage) {
        if !isHeaded {
          isHeaded = true
          if line == Self.heading { continue }
          throw Damage("it is not the heading \(Self.heading)")
        }
        if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: line.hasPrefix) {
          throw Damage("a merge was left here; take this line out, and keep those between")
        }
        guard content.notes.count < Self.notesMax else {
          throw Damage("there are more than \(Self.notesMax) notes")
        }
        let note = try Note(line: line)
        // Two branches may have noted the same.
        if known.insert(note.identity).inserted { content.notes.append(note) }
      } catch {
        content.damages.append(
          Damage("\(Printable.line(path)):\(index + 1): \(Printable.line(error.description))")
        )
        if content.notes.count >= Self.notesMax { return content }
      }
    }
    return content
  }

  // MARK: - Changing

  /// Changes what stands there now, and returns what stands there then.
  ///
  /// Throws where it is damaged or cannot be written, or where another program holds it: then it is
  /// as it was.
  package func change(_ body: (inout [Note]) -> Void) throws(Damage) -> [Note] {
    let descriptor = try lock()
    defer { close(descriptor) }
    let content = read()
    if let first = content.damages.first { throw first }
    var notes = content.notes
    body(&notes)
    notes.sort(by: Note.isBefore)
    guard notes.count <= Self.notesMax else {
      throw damage("would hold more than \(Self.notesMax) notes")
    }
    guard notes != content.notes else { return notes }
    let text = ([Self.heading] + notes.map(\.line)).joined(separator: "\n") + "\n"
    guard text.utf8.count <= Self.bytesMax else {
      throw damage("would be larger than \(Self.bytesMax) bytes")
    }
    let code = WholeFile.write(text, to: path, replaces: true)
    guard code == 0 else { throw damage("cannot be written: \(errnoText(code))") }
    return notes
  }

  /// Opens the file that stands at the path, made if it is missing, and holds its lock.
  private func lock() throws(Damage) -> Int32 {
    for attempt in 0..<Self.lockAttemptsMax {
      if attempt > 0 { usleep(1_000) }
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
      guard descriptor >= 0 else { throw damage("cannot be written: \(errnoText(errno))") }
      var (held, there) = (stat(), stat())
      // Another prompt may have put a new file in the place of this one.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &held) == 0,
        stat(path, &there) == 0, held.st_ino == there.st_ino, held.st_dev == there.st_dev
      {
        return descriptor
      }
      close(descriptor)
    }
    throw damage("is held by another program")
  }
}
