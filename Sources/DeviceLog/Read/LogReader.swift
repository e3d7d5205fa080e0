// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
import LifetracePlatform
internal import LifetraceTrace

/// Why a log could not be imported.
package enum LogImportError: Error, Sendable, CustomStringConvertible {
  /// The file cannot be opened or read.
  case unreadable(path: String, reason: String)
  /// There is nothing in it.
  case empty(path: String)
  /// No line has a form that is known; `sample` is the first line.
  case notALog(path: String, sample: String)
  /// The lines are a log's, but none is about the life of an app.
  case nothingRecognized(path: String, lines: Int, processes: [String])
  /// No app in the log has an id that contains the text asked for.
  case noSuchApp(path: String, wanted: String, known: [String])
  /// It is something else, which has its own way to become a log.
  case foreign(path: String, what: String, advice: String)

  /// Whether the file could not be read, as opposed to understood.
  package var isIO: Bool {
    if case .unreadable = self { true } else { false }
  }

  /// A message for the terminal.
  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(Self.name(path)): \(reason)"
    case .empty(let path): "\(Self.name(path)): is empty"
    case .notALog(let path, let sample):
      """
      \(Self.name(path)): is this a Console export? No line begins with level, time and process.
        Found: \(Printable.line(sample))
        Known are exports of Console.app, idevicesyslog, pymobiledevice3, `log show` in all its styles, and NSLog.
      """
    case .nothingRecognized(let path, let lines, let processes):
      """
      \(Self.name(path)): nothing recognised in \(Quantity.count(UInt64(lines), "line")), of \(Printable.line(processes.joined(separator: ", "))).
        None tells of an app's states, background tasks, suspension or end. Take the log while the app is used, with the lines of the app and of runningboardd at level default, unfiltered.
      """
    case .noSuchApp(let path, let wanted, let known):
      """
      \(Self.name(path)): no app in it has an id that contains \(Printable.line(wanted))
        There are \(Printable.line(known.prefix(10).joined(separator: ", ")))\(known.count > 10 ? " …" : "").
      """
    case .foreign(let path, let what, let advice):
      "\(Self.name(path)): is \(what), not a log in text.\n  \(advice)"
    }
  }

  /// What a message calls the input.
  package static func name(_ path: String) -> String {
    path == "-" ? "standard input" : Printable.line(path)
  }
}

/// Hands a file, a pipe or standard input to a scan, in blocks of whole lines.
struct LogReader {
  /// The read buffer; longer lines are cut.
  static let bufferBytes = 1 << 20

  let path: String
  private(set) var bytes = 0
  /// The first line, for a message when nothing is recognised.
  private(set) var sample = ""
  /// The error if no line turns out to be a log's.
  private(set) var unread: LogForeign?
  /// The hash of all bytes: the same log gives the same writers.
  private(set) var digest: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

  init(path: String) { self.path = path }

  mutating func read(into scan: inout LogScan) throws(LogImportError) {
    let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure() }
    defer { if file != STDIN_FILENO { close(file) } }
    try read(into: &scan) { LifetracePlatform.read(file, $0, $1) }
  }

  /// Reads what `fill` puts into a buffer of the size it is given, until that is nothing.
  mutating func read(
    into scan: inout LogScan,
    from fill: (UnsafeMutablePointer<UInt8>, Int) -> Int
  ) throws(LogImportError) {
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.bufferBytes)
    defer { buffer.deallocate() }
    var kept = 0
    var isSkipping = false
    while true {
      let got = fill(buffer + kept, Self.bufferBytes - kept)
      if got < 0 {
        if errno == EINTR { continue }
        if errno == EISDIR {
          let found = LogForeign(folder: path)
          throw .foreign(path: path, what: found.what, advice: found.advice)
        }
        throw failure()
      }
      let filled = kept + got
      var text = LogText(UnsafePointer(buffer), filled)
      if bytes == 0, got > 0 { try begin(&text) }
      bytes += got
      if got == 0 {
        if !isSkipping, text.count > 0 { feed(text, &scan) }
        return
      }
      if isSkipping {
        guard let end = text.find(byte: 0x0A) else {
          kept = 0
          continue
        }
        text = text.dropFirst(end + 1)
        isSkipping = false
      }
      let whole = text.countToLastNewline
      if whole > 0 {
        feed(text.prefix(whole), &scan)
        let rest = text.dropFirst(whole)
        memmove(buffer, rest.start, rest.count)
        kept = rest.count
      } else if text.count > Self.bufferBytes / 2 {
        feed(text, &scan)
        isSkipping = true
        kept = 0
      } else {
        memmove(buffer, text.start, text.count)
        kept = text.count
      }
    }
  }

  private mutating func feed(_ text: LogText, _ scan: inout LogScan) {
    mix(text)
    scan.feed(text)
  }

  private mutating func begin(_ text: inout LogText) throws(LogImportError) {
    if let found = LogForeign(text, path: path) {
      throw .foreign(path: path, what: found.what, advice: found.advice)
    }
    unread = LogForeign(unread: text, path: path)
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      text = text.dropFirst(3)
    }
    let first = text.until(0x0A).string(limit: 100)
    sample =
      first.unicodeScalars.contains("\u{FFFD}")
      ? "bytes that are no text"
      : String(
        first.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
      )
  }

  /// Eight bytes at a time: it identifies a log, it guards nothing.
  mutating func mix(_ text: LogText) {
    var (low, high) = digest
    let raw = UnsafeRawPointer(text.start)
    var at = 0
    while at + 8 <= text.count {
      low = (low ^ raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0x9FB2_1C65_1E98_DF25
      low ^= low >> 32
      at += 8
    }
    while at < text.count {
      low = (low ^ UInt64(text[at])) &* 0x100_0000_01B3
      at += 1
    }
    high = (high ^ low) &* 0xD6E8_FEB8_6659_FD93
    high ^= high >> 29
    digest = (low, high)
  }

  private func failure() -> LogImportError {
    .unreadable(path: path, reason: errnoText(errno))
  }
}

extension LogText {
  /// The bytes up to and with the last newline, 0 without one.
  fileprivate var countToLastNewline: Int {
    guard count > 0, let hit = cplatform_find_last(start, count, 0x0A) else { return 0 }
    return UnsafeRawPointer(hit) - UnsafeRawPointer(start) + 1
  }
}
