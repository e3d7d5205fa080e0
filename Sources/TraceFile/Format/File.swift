// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
internal import LifetracePlatform

/// An open file: whole reads and writes at a place, errors with words.
final class File {
  /// Where it is, for messages too.
  var path: String { didSet { knownName = name } }
  private let descriptor: Int32
  private var holdsLock = false
  /// What the system called it when it was known to stand at ``path``.
  private var knownName: String?

  enum Access {
    case read, create, append
  }

  init(_ path: String, _ access: Access) throws(TraceFileError) {
    self.path = path
    let flags =
      switch access {
      case .read: O_RDONLY
      case .create: O_RDWR | O_CREAT | O_EXCL
      case .append: O_RDWR
      }
    // To open a pipe may wait without end, and to open a device may set it going.
    if let what = FileKind(at: path).problem { throw TraceFileError(path, .notAFile(what)) }
    descriptor = cplatform_open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard descriptor >= 0 else {
      if access == .create, errno == EEXIST { throw TraceFileError(path, .exists) }
      throw TraceFileError(
        path,
        .io(operation: access == .create ? "create it" : "open it", code: errno)
      )
    }
    // What stands there may have changed since the look.
    _ = try status()
    knownName = name
  }

  deinit {
    // A child that another thread has just forked holds the lock as well, until it runs its program.
    if holdsLock { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  /// Takes the lock that only one writer of a file may hold; it goes with the file.
  ///
  /// A reader that asks whether there is a writer holds it for an instant: that is waited for.
  func lock() throws(TraceFileError) {
    var attempts = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK else {
        throw TraceFileError(path, .io(operation: "lock it", code: errno))
      }
      attempts += 1
      guard attempts < Self.lockAttemptsMax else { throw TraceFileError(path, .locked) }
      usleep(1_000)
    }
    holdsLock = true
  }

  private static let lockAttemptsMax = 20

  /// Whether a writer is at work on it.
  var isLocked: Bool {
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    flock(descriptor, LOCK_UN)
    return false
  }

  /// How large it is, which file it is, and how it may be used.
  struct Status {
    var bytes: UInt64
    var device: UInt64
    var inode: UInt64
    /// By how many names it is known.
    var links: UInt64
    /// Bytes in a row, and no pipe or device.
    var isRegular: Bool
    /// The permissions of the file.
    var mode: UInt32

    init(_ facts: stat) {
      bytes = UInt64(facts.st_size)
      device = UInt64(facts.st_dev)
      inode = UInt64(facts.st_ino)
      links = UInt64(facts.st_nlink)
      isRegular = facts.st_mode & S_IFMT == S_IFREG
      mode = UInt32(facts.st_mode) & 0o7777
    }

    func isOfSameFile(as other: Status) -> Bool {
      device == other.device && inode == other.inode
    }
  }

  /// Its size, and which file it is.
  func status() throws(TraceFileError) -> Status {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw TraceFileError(path, .io(operation: "ask for its size", code: errno))
    }
    if let what = FileKind(status.st_mode).problem { throw TraceFileError(path, .notAFile(what)) }
    return Status(status)
  }

  /// The status of the file at `path`, behind links; nil, and `errno`, where that cannot be known.
  static func status(of path: String) -> Status? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Status(facts) : nil
  }

  /// The status of `path` itself, even a symbolic link; nil where that cannot be known.
  static func statusOfName(_ path: String) -> Status? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? Status(facts) : nil
  }

  /// Whether it is this file that stands at `path`.
  func stands(at path: String) -> Bool {
    guard let own = try? status(), let there = Self.status(of: path) else { return false }
    return own.isOfSameFile(as: there)
  }

  /// The path at which it stands now, even after a move; nil where no path is known.
  var presentPath: String? { name.flatMap { stands(at: $0) ? $0 : nil } }

  /// Whether it has kept its name, by what the system says without a look at the path.
  var hasKnownName: Bool { knownName != nil && name == knownName }

  /// Under which path this process's open file can be read, whatever became of its name.
  var openPath: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// The path as the system has it; for a file without a name the last one, and a word behind.
  private var name: String? {
    TracePath.target(ofLink: openPath).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Takes away its name, unless that is another file's by now.
  func remove() { if stands(at: path) { unlink(path) } }

  /// Gives it the permissions of another.
  func change(mode: UInt32) throws(TraceFileError) {
    guard fchmod(descriptor, mode) == 0 else {
      throw TraceFileError(path, .io(operation: "keep its permissions", code: errno))
    }
  }

  /// Up to `count` bytes at `offset`; fewer at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws(TraceFileError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(
          descriptor,
          buffer.baseAddress.map { $0 + filled },
          count - filled,
          off_t(offset) + off_t(filled)
        )
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        filled += got
      }
    }
    if failure != 0 { throw TraceFileError(path, .io(operation: "read it", code: failure)) }
    return bytes
  }

  /// Writes all bytes at `offset`, or throws with some of them written.
  func write(_ bytes: [UInt8], at offset: UInt64) throws(TraceFileError) {
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBufferPointer {
        pwrite(
          descriptor,
          $0.baseAddress.map { $0 + done },
          bytes.count - done,
          off_t(offset) + off_t(done)
        )
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else {
        let code = put == 0 ? ENOSPC : errno
        if [ENOSPC, EDQUOT, EFBIG].contains(code) { throw TraceFileError(path, .full(code: code)) }
        throw TraceFileError(path, .io(operation: "write to it", code: code))
      }
      done += put
    }
  }

  /// Cuts the file to `bytes`.
  func truncate(to bytes: UInt64) throws(TraceFileError) {
    while ftruncate(descriptor, off_t(bytes)) != 0 {
      if errno == EINTR { continue }
      throw TraceFileError(path, .io(operation: "cut it back", code: errno))
    }
  }

  /// Puts it to `other`; true when what was there is now where this was.
  func exchange(with other: String) throws(TraceFileError) -> Bool {
    let isKept = cplatform_exchange(path, other) == 0
    guard isKept || rename(path, other) == 0 else {
      throw TraceFileError(other, .io(operation: "replace it", code: errno))
    }
    path = other
    return isKept
  }

  /// Takes the place of `old`, which is gone then; false where something else stood there, which
  /// is there again.
  func takePlace(of old: File) throws(TraceFileError) -> Bool {
    let temporary = path
    guard old.stands(at: old.path) else { return false }
    guard try exchange(with: old.path) else { return true }
    guard old.stands(at: temporary) else {
      // Another process changed it between the look and the step.
      if stands(at: old.path) { _ = cplatform_exchange(temporary, old.path) }
      path = temporary
      return false
    }
    unlink(temporary)
    return true
  }

  /// Waits until what was written survives a power cut.
  func synchronize() throws(TraceFileError) {
    while fdatasync(descriptor) != 0 {
      if errno == EINTR { continue }
      throw TraceFileError(path, .io(operation: "sync it", code: errno))
    }
  }
}
