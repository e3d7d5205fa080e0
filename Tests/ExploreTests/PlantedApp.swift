// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// An app with one mistake in how it keeps a text, or with that mistake mended.
///
/// It keeps the text behind its version in a file of its own, without `Lifetrace.save`, and says what
/// it does. `save` of a scenario gives it a new text.
final class PlantedApp: ApplicationDelegate {
  enum Mistake: CaseIterable, Sendable {
    /// The save waits for two seconds.
    case deferred
    /// It saves on its way to the background only.
    case late
    /// It says that the text is saved before it is.
    case early
    /// It moves the old file away before it moves the new one in.
    case twoRenames
    /// It deletes the old file before it writes the new one.
    case deletes
    /// It writes over the old text, part by part.
    case inPlace
    /// It writes which file is the newest before it writes that file.
    case indexFirst
    /// A launch takes the text out of the file, and writes nothing.
    case takesOut
    /// It writes a text of earlier over the newest when it goes to the background.
    case writesBack
    /// A file says that the text is in use, and a launch that finds it does not read.
    case locks
    /// It saves, and says nothing of it.
    case silent
    /// It saves as it should; but when it is told to tidy up, it moves the file away and back.
    case tidies
  }

  private let mistake: Mistake?
  private let saysFlushing: Bool
  private let text = Lifetrace.Object("text")
  private var directory = "."
  private var current = ""
  private var firstSaved: (version: UInt64, text: String)?

  /// `mistake` nil is any of them mended.
  init(_ mistake: Mistake?, saysFlushing: Bool = true) {
    (self.mistake, self.saysFlushing) = (mistake, saysFlushing)
  }

  private var path: String { directory + "/text" }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    directory = application.dataDirectory ?? "."
    restore()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "tidy", mistake == .tidies {
      rename(path, path + ".old")
      Lifetrace.mark("file is away")
      rename(path + ".old", path)
    }
    guard word == "save" else { return }
    current = value
    let version = text.dirty { value.utf8 }
    switch mistake {
    case .deferred:
      Task { @MainActor in
        try await Task.sleep(for: .seconds(2))
        save(value, version)
      }
    case .late: break
    default: save(value, version)
    }
  }

  func applicationDidEnterBackground(_ application: Application) {
    switch mistake {
    case .late where text.version > 0: save(current, text.version)
    case .writesBack:
      guard let firstSaved, firstSaved.version < text.version else { return }
      Lifetrace.mark("tidying")
      write(Self.bytes(firstSaved.version, firstSaved.text), to: path)
      Lifetrace.mark("tidied")
    default: break
    }
  }

  // MARK: The file

  private static func bytes(_ version: UInt64, _ text: String) -> [UInt8] {
    Array("\(version)\n\(text)".utf8)
  }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { Lifetrace.hash($0) }
  }

  private func save(_ value: String, _ version: UInt64) {
    let bytes = Self.bytes(version, value)
    if firstSaved == nil { firstSaved = (version, value) }
    if mistake != .silent, saysFlushing {
      text.flushing(version: version, bytes: value.utf8.count)
    }
    if mistake == .early { saved(value, version) }
    put(bytes, version)
    if mistake != .early { saved(value, version) }
    Lifetrace.mark("put away")
    unlink(directory + "/in-use")
  }

  private func saved(_ value: String, _ version: UInt64) {
    guard mistake != .silent else { return }
    text.durable(
      version: version,
      level: .disk,
      bytes: value.utf8.count,
      hash: Self.hash(Array(value.utf8))
    )
  }

  private func put(_ bytes: [UInt8], _ version: UInt64) {
    switch mistake {
    case .twoRenames:
      write(bytes, to: path + ".new")
      rename(path, path + ".old")
      Lifetrace.mark("old one is away")
      rename(path + ".new", path)
    case .deletes:
      unlink(path)
      Lifetrace.mark("old one is gone")
      write(bytes, to: path)
    case .inPlace:
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
        _ = part.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        Lifetrace.mark("a part is written")
      }
      close(file)
    case .indexFirst:
      let name = "text-\(version)"
      write(Array(name.utf8), to: directory + "/newest")
      Lifetrace.mark("index is written")
      write(bytes, to: directory + "/" + name)
    case .locks:
      write([], to: directory + "/in-use")
      Lifetrace.mark("in use")
      whole(bytes)
    default: whole(bytes)
    }
  }

  private func whole(_ bytes: [UInt8]) {
    write(bytes, to: path + ".new")
    Lifetrace.mark("new one is written")
    rename(path + ".new", path)
  }

  private func restore() {
    let isLocked = mistake == .locks && access(directory + "/in-use", F_OK) == 0
    let file = mistake == .indexFirst ? newest : path
    guard !isLocked, let bytes = read(file),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let version = UInt64(String(decoding: bytes[..<end], as: UTF8.self))
    else {
      return text.restored(version: 0, bytes: 0)
    }
    let content = Array(bytes[(end + 1)...])
    current = String(decoding: content, as: UTF8.self)
    text.restored(version: version, bytes: content.count, hash: Self.hash(content))
    if mistake == .takesOut { unlink(path) }
  }

  private var newest: String {
    read(directory + "/newest").map { directory + "/" + String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  private func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}

/// An app that cannot be launched without the file that it moves away for a moment.
final class CrashingApp: ApplicationDelegate {
  private var path = ""

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    path = (application.dataDirectory ?? ".") + "/index"
    let isFirst = access(path + ".made", F_OK) != 0
    precondition(isFirst || access(path, F_OK) == 0, "the index is not there")
    for name in [path, path + ".made"] { close(open(name, O_WRONLY | O_CREAT, 0o600)) }
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    rename(path, path + ".old")
    Lifetrace.mark("index is away")
    rename(path + ".old", path)
  }
}
