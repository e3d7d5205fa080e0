// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// An app that keeps texts as a scenario tells it, well or badly, and says what it does.
///
/// A word is `VERB-OBJECT`, the value a text: `edit-draft: "one"`. Each text lives in a file of its own,
/// behind its version.
final class KeepingApp: ApplicationDelegate {
  static let verbs = ["edit", "save", "slow", "later", "fail", "give", "back", "old", "twice"]
  static let objects = ["draft", "list", "photo"]

  private struct Text {
    var current = ""
    /// What a save has put there last.
    var saved = (version: UInt64(0), text: "")
  }

  private var directory = "."
  private var texts: [String: Text] = [:]

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    directory = application.dataDirectory ?? "."
    for name in Self.objects { restore(name) }
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    let parts = word.split(separator: "-").map(String.init)
    guard parts.count == 2, Self.objects.contains(parts[1]) else { return }
    perform(parts[0], on: parts[1], value)
  }

  private func perform(_ verb: String, on name: String, _ value: String) {
    let object = Lifetrace.Object(name)
    let text = texts[name] ?? Text()
    switch verb {
    case "edit": edit(name, value)
    case "save": save(name)
    case "twice":
      edit(name, value)
      save(name)
      save(name)
    case "slow":
      edit(name, value)
      let version = object.version
      object.flushing(version: version, bytes: value.utf8.count)
      Lifetrace.mark("before")
      put(name, version, value)
      Lifetrace.mark("behind")
      saved(name, version, value)
    case "later":
      let version = edit(name, value)
      Task { @MainActor in
        try await Task.sleep(for: .seconds(3))
        save(name, version, value)
      }
    case "fail":
      let version = edit(name, value)
      object.flushing(version: version, bytes: value.utf8.count)
      Lifetrace.mark("trying")
      object.failed(version: version, errno: ENOSPC, why: "full")
    case "give":
      edit(name, value)
      object.discarded()
      Lifetrace.mark("given up")
    case "back":
      // What stands there is typed again.
      guard text.saved.version > 0 else { return }
      edit(name, text.saved.text)
    case "old":
      // An edit behind the begin of a save.
      let version = edit(name, value)
      object.flushing(version: version, bytes: value.utf8.count)
      edit(name, value + ", and more")
      put(name, version, value)
      saved(name, version, value)
    default: break
    }
  }

  @discardableResult private func edit(_ name: String, _ value: String) -> UInt64 {
    texts[name, default: Text()].current = value
    return Lifetrace.Object(name).dirty { value.utf8 }
  }

  private func save(_ name: String) {
    let version = Lifetrace.Object(name).version
    guard version > 0, let text = texts[name] else { return }
    save(name, version, text.current)
  }

  private func save(_ name: String, _ version: UInt64, _ value: String) {
    Lifetrace.Object(name).flushing(version: version, bytes: value.utf8.count)
    put(name, version, value)
    saved(name, version, value)
  }

  // MARK: The file

  private func saved(_ name: String, _ version: UInt64, _ value: String) {
    texts[name, default: Text()].saved = (version, value)
    Lifetrace.Object(name).durable(
      version: version,
      level: value.utf8.count % 3 == 0 ? .disk : .kernel,
      bytes: value.utf8.count,
      hash: Self.hash(value)
    )
  }

  private static func hash(_ text: String) -> UInt64 {
    Array(text.utf8).withUnsafeBytes { Lifetrace.hash($0) }
  }

  private func put(_ name: String, _ version: UInt64, _ value: String) {
    let path = "\(directory)/\(name)"
    let bytes = Array("\(version)\n\(value)".utf8)
    let file = open("\(path).new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    rename("\(path).new", path)
  }

  private func restore(_ name: String) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let file = open("\(directory)/\(name)", O_RDONLY)
    let count = file < 0 ? 0 : read(file, &bytes, bytes.count)
    if file >= 0 { close(file) }
    let found = bytes.prefix(max(0, count))
    guard let end = found.firstIndex(of: UInt8(ascii: "\n")),
      let version = UInt64(String(decoding: found[..<end], as: UTF8.self))
    else {
      return Lifetrace.Object(name).restored(version: 0, bytes: 0)
    }
    let text = String(decoding: found[(end + 1)...], as: UTF8.self)
    texts[name] = Text(current: text, saved: (version, text))
    Lifetrace.Object(name).restored(
      version: version,
      bytes: text.utf8.count,
      hash: Self.hash(text)
    )
  }
}
