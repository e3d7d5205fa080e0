// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetracePlatform
import LifetracePlatform

/// Where the processes of one recording and their recorder meet: a private, locked directory.
///
///     lifetrace-1000-3f2a…/       0700
///       session                   shared with the apps: clock kind, policy, heartbeat; its lock is the recorder's life
///       clock                     a line for each piece of the clock fit: tick, nanoseconds, rate, run
///       about                     where the trace goes, for a recorder that adopts the session
///       redacted                  the secrets that have numbers, where strings are redacted
///       last-1, last-2, …         what a flight recorder keeps
///       told-1, told-2, …         events of host and recorder that are not in the trace yet
///       pool-<writer>             made by the apps
///       written                   how far the stream of each writer is numbered
///       taken-0, taken-1          what the last chunk has brought, as long as its blocks are given back
///       refused-<writer>          what was counted instead of written, where the trace may not grow
///       disk                      the disk of the device under test, where a scenario gives it one
///       data                      the folders of its apps, where it gives them no disk
///       observed                  versions of files, made by observed apps (`record --observe`)
///
/// It stands in memory where it can, since a pool is written at every event. A
/// session whose lock can be had is an orphan: its recorder is gone.
package final class SessionDirectory: @unchecked Sendable {
  // @unchecked: the mapping is written by the recorder's thread alone, through atomics; all else is constant.

  package let path: String
  private let lockFD: Int32
  private let clockFD: Int32
  /// How far the streams are numbered.
  let written: WrittenLedger
  let session: UnsafeMutableRawPointer
  /// Where the trace goes.
  package let about: SessionAbout

  static let prefix = "lifetrace-"
  /// The contents of these go with the session.
  package static let disk = "disk"
  package static let data = "data"
  /// The session file as long as it has no name yet, and when it has none any more.
  private static let unnamed = "session.tmp"
  private static var sessionBytes: Int { 4096 }

  /// The usual places, best first.
  package static var parents: [String] {
    var places: [String] = []
    if let runtime = environment("XDG_RUNTIME_DIR") { places.append(runtime) }
    places.append("/dev/shm")
    if let temporary = environment("TMPDIR") { places.append(temporary) }
    places.append("/tmp")
    return places
  }

  /// Makes a session in the first place that takes it.
  init(about: SessionAbout, parents: [String], clock: HostClock, options: RecorderOptions)
    throws(RecorderError)
  {
    let made = try Self.make(in: parents, about)
    path = made.path
    lockFD = made.lock
    clockFD = made.clock
    session = made.session
    written = made.written
    self.about = about
    open(clock: clock, options: options)
  }

  /// Takes over an orphaned session.
  package init(adopting path: String) throws(RecorderError) {
    self.path = path
    guard Self.isPrivate(path) else {
      throw .notASession(path: path, why: "it is not a directory of yours with mode 0700")
    }
    let lock = LifetracePlatform.open(path + "/session", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else { throw .notASession(path: path, why: errnoText(errno)) }
    var isTaken = false
    defer { if !isTaken { close(lock) } }
    guard LockHolder.lock(lock) else { throw .sessionInUse(path: path) }
    guard let session = Self.map(lock) else {
      throw .notASession(path: path, why: "its session file is cut short")
    }
    defer { if !isTaken { munmap(session, Self.sessionBytes) } }
    guard lt_drain_is_session(session) else {
      throw .notASession(path: path, why: "its session file is not of this version")
    }
    let clock = LifetracePlatform.open(path + "/clock", O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    guard clock >= 0 else { throw .notASession(path: path, why: "its clock file is missing") }
    defer { if !isTaken { close(clock) } }
    guard let about = SessionAbout(in: path) else {
      throw .notASession(path: path, why: "its about file is missing")
    }
    guard let written = WrittenLedger(in: path) else {
      throw .notASession(path: path, why: "its file of what is written: \(errnoText(errno))")
    }
    isTaken = true
    lockFD = lock
    clockFD = clock
    self.session = session
    self.written = written
    self.about = about
  }

  deinit {
    munmap(session, Self.sessionBytes)
    close(clockFD)
    close(lockFD)
  }

  /// Its own name, without the place where it stands.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The most that the blocks of one process may take.
  var poolBytesMax: UInt64 {
    let most = lt_drain_session_pool_bytes_max(session)
    return most == 0 ? 64 << 20 : max(most, UInt64(LT_BLOCK_BYTES))
  }

  /// The place of the trace from now on, for the next recorder that adopts the session.
  func redirect(to output: String) throws(RecorderError) {
    var about = about
    about.output = output
    guard about.write(in: path) else { throw systemError("write where the trace is", path) }
  }

  /// Removes everything, the directory too; a folder that has other files stays, but is no session.
  func remove() {
    lt_drain_close_session(session)
    // First of all: should this process be killed here, the rest is not taken for a recording that
    // was interrupted.
    rename(path + "/session", path + "/" + Self.unnamed)
    Self.removeFiles(of: path)
  }

  /// Appends a piece of the clock fit.
  func keep(_ piece: ClockFit.Piece) {
    let line = "\(piece.tick) \(piece.nanoseconds) \(piece.rate) \(piece.run)\n"
    _ = Descriptor.write(line, to: clockFD)
  }

  /// A century, and a tick of a second: no clock file of ours says more.
  private static var nanosecondsMax: Int64 { 1 << 62 }
  private static var rateMax: UInt64 { 1_000_000_000 << 32 }
  private static var runMax: UInt32 { 1 << 30 }

  /// The clock of the session as its dead recorder left it; a torn last line is ignored.
  package func keptFit() -> (fit: ClockFit, usesCounter: Bool)? {
    let usesCounter = lt_drain_session_clock(session) == LT_CLOCK_COUNTER.rawValue
    let text = String(
      decoding: SmallFile.bytesIfReadable(path + "/clock", bytesMax: 64 << 20) ?? [],
      as: UTF8.self
    )
    var pieces: [ClockFit.Piece] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      // The first versions did not number the runs of the counter.
      guard words.count == 3 || words.count == 4, let tick = UInt64(words[0]),
        let ns = Int64(words[1]), let rate = UInt64(words[2]),
        let run = words.count == 3 ? 0 : UInt32(words[3]),
        (0...Self.nanosecondsMax).contains(ns), rate <= Self.rateMax, run <= Self.runMax,
        pieces.last.map({ $0.run <= run }) ?? (rate > 0)
      else { continue }
      pieces.append(ClockFit.Piece(tick: tick, nanoseconds: ns, rate: rate, run: run))
    }
    return ClockFit(pieces: ClockFit.standing(pieces), isIdentity: !usesCounter).map {
      ($0, usesCounter)
    }
  }

  /// Sessions of this user whose recorder is gone, or was killed and is about to be.
  package static func orphans(in parents: [String] = SessionDirectory.parents) -> [String] {
    var seen: Set<String> = []
    var found: [String] = []
    for parent in parents where seen.insert(parent).inserted {
      for name in namesInDirectory(parent) where name.hasPrefix("\(prefix)\(getuid())-") {
        let path = parent + "/" + name
        guard isPrivate(path) else { continue }
        let fd = LifetracePlatform.open(path + "/session", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else { continue }
        if LockHolder.isGone(fd) { found.append(path) }
        close(fd)
      }
    }
    return found
  }

  /// The same, split by whether they were begun with this process's `XDG_RUNTIME_DIR`: a recovery to
  /// which none is named leaves the others alone.
  package static func orphansByRuntime() -> (own: [String], others: [String]) {
    let all = orphans()
    let runtime = environment("XDG_RUNTIME_DIR") ?? ""
    let own = all.filter { session in
      // An earlier version did not say; where it stands is all that is known.
      let begunWith = SessionAbout(in: session)?.runtimeDirectory
      return begunWith.map { $0 == runtime } ?? session.hasPrefix(runtime + "/")
    }
    return (own, all.filter { !own.contains($0) })
  }
}

// The rest of a session whose recorder was killed as its recording ended, or before it began: a
// folder whose session file has no name.
extension SessionDirectory {
  /// Removes the folder where it is that; false, and nothing done, where it is anything else.
  package static func removeHusk(_ path: String) -> Bool {
    guard isPrivate(path), (path.split(separator: "/").last ?? "").hasPrefix(prefix),
      access(path + "/session", F_OK) != 0
    else { return false }
    let fd = LifetracePlatform.open(path + "/" + unnamed, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    defer { if fd >= 0 { close(fd) } }
    guard fd >= 0 ? cplatform_lock(fd) == 0 : namesInDirectory(path).isEmpty else { return false }
    removeFiles(of: path)
    return true
  }

  /// Removes those of this user that are older than a minute: a younger one may be a session that is
  /// being made.
  package static func removeHusks(in parents: [String] = SessionDirectory.parents) {
    for parent in Set(parents) {
      for name in namesInDirectory(parent) where name.hasPrefix("\(prefix)\(getuid())-") {
        var facts = stat()
        let path = parent + "/" + name
        guard lstat(path, &facts) == 0, time(nil) - facts.st_mtim.tv_sec > 60 else { continue }
        _ = removeHusk(path)
      }
    }
  }

  /// The session file last: until then it is known what the folder is.
  private static func removeFiles(of path: String) {
    for folder in [disk, data] { cplatform_remove_tree(path + "/" + folder) }
    for name in namesInDirectory(path) where name != unnamed {
      let entry = path + "/" + name
      if unlink(entry) != 0 { rmdir(entry) }
    }
    unlink(path + "/" + unnamed)
    rmdir(path)
  }
}

extension SessionDirectory {
  private struct Made {
    var path: String
    var lock: Int32
    var clock: Int32
    var session: UnsafeMutableRawPointer
    var written: WrittenLedger
  }

  private static func make(in parents: [String], _ about: SessionAbout) throws(RecorderError)
    -> Made
  {
    var tried: [(place: String, cause: RecorderError)] = []
    for parent in parents {
      do throws(RecorderError) {
        let path = try makeDirectory(in: parent)
        return try makeFiles(in: path, about)
      } catch {
        tried.append((parent, error))
      }
    }
    throw .noSessionDirectory(tried: tried)
  }

  private static func makeDirectory(in parent: String) throws(RecorderError) -> String {
    var random = SystemRandomNumberGenerator()
    let path = "\(parent)/\(prefix)\(getuid())-\(String(random.next(), radix: 16))"
    guard mkdir(path, 0o700) == 0 else { throw systemError("make a session directory", path) }
    return path
  }

  private static func makeFiles(in path: String, _ about: SessionAbout) throws(RecorderError)
    -> Made
  {
    var (fd, clock): (Int32, Int32) = (-1, -1)
    var mapped: UnsafeMutableRawPointer?
    func fail(_ action: String) -> RecorderError {
      let error = systemError(action, path)
      if let mapped { munmap(mapped, sessionBytes) }
      for open in [fd, clock] where open >= 0 { close(open) }
      for name in namesInDirectory(path) { unlink(path + "/" + name) }
      rmdir(path)
      return error
    }
    // Locked before it has its name: a session that is being made must not be taken for an orphan.
    let temporary = path + "/" + unnamed
    fd = LifetracePlatform.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard fd >= 0 else { throw fail("make a session file") }
    guard cplatform_lock(fd) == 0, cplatform_reserve(fd, Int64(sessionBytes)) == 0,
      let session = map(fd)
    else { throw fail("reserve a session file") }
    mapped = session
    clock = LifetracePlatform.open(path + "/clock", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard clock >= 0 else { throw fail("make a clock file") }
    guard about.write(in: path) else { throw fail("write about") }
    guard let written = WrittenLedger(in: path) else {
      throw fail("make a file of what is written")
    }
    return Made(path: path, lock: fd, clock: clock, session: session, written: written)
  }

  private static func map(_ fd: Int32) -> UnsafeMutableRawPointer? {
    var facts = stat()
    guard fstat(fd, &facts) == 0, facts.st_size >= Int64(sessionBytes) else { return nil }
    let place = mmap(nil, sessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
    return place == MAP_FAILED ? nil : place
  }

  private func open(clock: HostClock, options: RecorderOptions) {
    let policy: (kind: UInt32, timeout: UInt64) =
      switch options.onFull {
      case .drop: (LT_ON_FULL_DROP.rawValue, 0)
      case .block(let nanoseconds): (LT_ON_FULL_BLOCK.rawValue, nanoseconds)
      }
    lt_drain_open_session(
      session,
      UInt32(getpid()),
      clock.kind,
      policy.kind,
      policy.timeout,
      options.poolBytesMax
    )
    lt_drain_beat(session, clock.tick)
    for piece in clock.fit.pieces { keep(piece) }
    rename(path + "/" + Self.unnamed, path + "/session")
  }

  /// A directory, not a link, ours, and closed to others.
  private static func isPrivate(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
      && facts.st_uid == getuid() && facts.st_mode & 0o077 == 0
  }
}
