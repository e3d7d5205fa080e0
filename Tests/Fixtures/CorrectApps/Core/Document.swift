// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp
import Synchronization

/// A text that an app keeps in a file: what the user has changed is in memory until it is saved.
final class Document: Sendable {
  let object: Lifetrace.Object
  let path: String
  private let state = Mutex(State())

  private struct State {
    var text = ""
    /// What is in the file.
    var savedText = ""
    var edits = 0
    /// The last of the edits that is in the file.
    var saved = 0
    var checkpoint: DelayedWork?
  }

  private let checkpoints = WorkQueue(label: "checkpoints")

  init(_ name: String, in home: Home) {
    object = Lifetrace.Object(name)
    path = home.path(name)
  }

  var text: String { state.withLock { $0.text } }
  var isChanged: Bool { state.withLock { $0.edits != $0.saved } }

  /// Reads what the last launch has saved.
  func load() {
    guard let found = try? Lifetrace.restore(object, from: path) else { return }
    state.withLock {
      $0.text = String(decoding: found.bytes, as: UTF8.self)
      $0.savedText = $0.text
    }
  }

  /// Reads it where the system refuses: a folder is what nobody can read as a file.
  func refuseRead() { _ = try? Lifetrace.restore(object, from: "/") }

  func edit(_ text: String) {
    state.withLock {
      $0.text = text
      $0.edits += 1
      object.dirty(bytes: text.utf8.count)
    }
  }

  /// The same for an app that saves where it leaves the screen: there it may stay for hours, so a
  /// minute later this is saved anyway.
  func editForNow(_ text: String) {
    edit(text)
    let checkpoint = checkpoints.asyncAfter(seconds: 60) { [self] in saveOrLog() }
    let before = state.withLock { state in
      defer { state.checkpoint = checkpoint }
      return state.checkpoint
    }
    before?.cancel()
  }

  /// The user does not want what was changed since the last save.
  func revert() {
    state.withLock {
      $0.text = $0.savedText
      $0.saved = $0.edits
      object.discarded()
    }
  }

  /// What is in it stands elsewhere now.
  func remove() {
    state.withLock {
      $0 = State()
      object.discarded()
      unlink(path)
    }
  }

  /// Puts it into the file, if it has changed; `prepare` may take its time over the text.
  func save(level: Lifetrace.Level = .disk, prepare: (String) -> String = { $0 }) throws {
    let (edits, checkpoint) = state.withLock { ($0.edits, $0.checkpoint.take()) }
    checkpoint?.cancel()
    guard isChanged else { return }
    var written = ""
    try Lifetrace.save(object, to: path, level: level) {
      written = prepare(text)
      return Array(written.utf8)
    }
    state.withLock {
      guard $0.saved < edits else { return }
      $0.saved = edits
      $0.savedText = written
    }
  }

  /// The same for an app that tries again at the next occasion, and says why it must.
  func saveOrLog(level: Lifetrace.Level = .disk) {
    do { try save(level: level) } catch { Lifetrace.log("\(error)", level: .error) }
  }
}
