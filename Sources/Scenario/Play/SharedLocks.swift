// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// A lock on a file of an app group's container, for which other processes may wait.
package struct SharedLock: Sendable, Hashable {
  /// The file, below the container as the scenario names it.
  package var path: String
  /// What holds it: `flock`, `a POSIX lock`, `an open SQLite transaction`.
  package var kind: String

  /// The lock in words, such as `flock on group/notes.sqlite`.
  package var text: String { "\(kind) on \(path)" }
}

/// The locks for which the system kills an app that is suspended with one.
///
/// The kernel lists them in `/proc/PID/fdinfo`: a line `lock:` for each lock (flock, POSIX, open
/// file description) that stands on an open file. None is seen of a process that may not be looked
/// at. Not every lock counts, as on a device:
///
/// - The companions of a database (`-shm`, `-wal`, `-journal`) are judged with it, not alone.
/// - A file with the extended attribute `com.apple.runningboard.can-suspend-locked` is left alone; on
///   Linux, where users name attributes so, with `user.` in front.
/// - A database in WAL mode keeps a shared lock for as long as it is open. Only a transaction
///   blocks others: it holds bytes 120 to 127 of the `-shm` file (write, checkpoint, recover, five
///   read marks), or a write lock on the database (exclusive mode). Byte 128 only says that it is
///   open.
/// - In every other file, and in a database with a rollback journal, any lock counts.
package enum SharedLocks {
  static let exemption = "user.com.apple.runningboard.can-suspend-locked"

  /// In the names of the temporary files of the SDK's saves, whose locks no app waits for.
  private static let temporary = ".saving-"

  /// A lock that `pid` holds on a file in `directory` or below it, and that counts; nil where none does.
  package static func held(by pid: Int32, below directory: String) -> SharedLock? {
    // What only the app has mounted is not found from here, but called by the same name.
    let real = realpath(directory, nil)
    defer { free(real) }
    let container = (real.map { String(cString: $0) } ?? directory) + "/"
    let files = locked(by: pid, below: container)
    for path in files.keys.sorted() {
      guard let file = files[path], let kind = kind(file, at: path, among: files) else { continue }
      return SharedLock(path: "\(directory)/\(path.dropFirst(container.count))", kind: kind)
    }
    return nil
  }

  /// An open file that has locks of this process, or whose companions may.
  private struct File {
    var pid: Int32
    var descriptor: Int32
    var locks: [Lock] = []
  }

  private static func kind(_ file: File, at path: String, among files: [String: File]) -> String? {
    guard !["-shm", "-wal", "-journal"].contains(where: path.hasSuffix), !isExempt(file) else {
      return nil
    }
    switch DatabaseMode(header: header(of: file)) {
    case .writeAheadLog:
      let marks = files[path + "-shm"]?.locks.contains { $0.overlaps(120...127) } ?? false
      return marks || file.locks.contains(where: \.isExclusive) ? "an open SQLite transaction" : nil
    case .rollbackJournal: return file.locks.isEmpty ? nil : "an open SQLite transaction"
    case nil: return file.locks.first?.kind
    }
  }

  private static func locked(by pid: Int32, below container: String) -> [String: File] {
    var files: [String: File] = [:]
    OpenFiles.each(of: pid) { descriptor, path in
      guard path.hasPrefix(container), !path.contains(temporary) else { return }
      let locks = Lock.all(SmallFile.bytesIfReadable("/proc/\(pid)/fdinfo/\(descriptor)") ?? [])
      files[path, default: File(pid: pid, descriptor: descriptor)].locks += locks
    }
    return files
  }

  private static func isExempt(_ file: File) -> Bool {
    cplatform_has_attribute("/proc/\(file.pid)/fd/\(file.descriptor)", exemption) == 1
  }

  /// The first bytes of a regular file; fewer where it is shorter or may not be read.
  private static func header(of file: File) -> [UInt8] {
    let path = "/proc/\(file.pid)/fd/\(file.descriptor)"
    var about = stat()
    guard stat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG else { return [] }
    // A process that closes a file gives up all its POSIX locks on it: an app that is simulated in
    // this process must not lose what is being looked for.
    let isOwn = file.pid == getpid()
    let descriptor = isOwn ? file.descriptor : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { if !isOwn { close(descriptor) } }
    var bytes = [UInt8](repeating: 0, count: DatabaseMode.headerBytes)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }
}

extension SharedLocks {
  /// One line of `fdinfo`: `lock:  1: POSIX  ADVISORY  READ 1234 08:01:131 128 128`.
  struct Lock {
    var type: Substring
    var isExclusive: Bool
    var bytes: ClosedRange<UInt64>

    var kind: String {
      switch type {
      case "FLOCK": "flock"
      case "POSIX": "a POSIX lock"
      case "OFDLCK": "a lock of an open file"
      default: "a lock"
      }
    }

    func overlaps(_ range: ClosedRange<UInt64>) -> Bool { bytes.overlaps(range) }

    static func all(_ fdinfo: [UInt8]) -> [Lock] {
      String(decoding: fdinfo, as: UTF8.self).split(separator: "\n").compactMap { line in
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count >= 9, words[0] == "lock:" else { return nil }
        let first = UInt64(words[7]) ?? 0
        let last = UInt64(words[8]) ?? .max
        return Lock(
          type: words[2],
          isExclusive: words[4] == "WRITE",
          bytes: first...max(first, last)
        )
      }
    }
  }

  /// How an SQLite database keeps its promises, by its header.
  enum DatabaseMode {
    case writeAheadLog
    case rollbackJournal

    static let headerBytes = 20

    /// Nil for what is no database.
    init?(header: [UInt8]) {
      guard header.count >= Self.headerBytes, header.starts(with: "SQLite format 3\0".utf8) else {
        return nil
      }
      // The versions that are needed to write and to read it: 2 is the write-ahead log.
      self = header[18] == 2 || header[19] == 2 ? .writeAheadLog : .rollbackJournal
    }
  }
}
