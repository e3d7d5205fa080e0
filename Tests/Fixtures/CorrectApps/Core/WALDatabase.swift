// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What SQLite does with its files and locks in WAL mode, for one number instead of tables.
///
/// The header names the format (byte 18 and 19: 2 is WAL), `-shm` is the index of the log. An open
/// connection holds byte 128 of the index, which says that somebody is there, and the shared range of
/// the main file; a transaction holds bytes from 120 on, and gives them back.
final class WALDatabase: Sendable {
  private let main: Int32
  private let log: Int32
  private let index: Int32

  private static let deadMansSwitch: Int = 128
  private static let writer: Int = 120
  private static let sharedRange: (first: Int, count: Int) = (0x4000_0002, 510)
  private static let numberPlace: Int = 32

  init(path: String) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC
    main = open(path, flags, 0o600)
    log = open(path + "-wal", flags, 0o600)
    index = open(path + "-shm", flags, 0o600)
    if lseek(main, 0, SEEK_END) == 0 {
      var header = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
      (header[18], header[19]) = (2, 2)
      _ = pwrite(main, header, header.count, 0)
      _ = ftruncate(index, 32_768)
      fsync(main)
    }
    setLock(F_RDLCK, on: main, Self.sharedRange.first, Self.sharedRange.count)
    setLock(F_RDLCK, on: index, Self.deadMansSwitch, 1)
  }

  deinit { for file in [main, log, index] { close(file) } }

  /// The number of the last transaction.
  var version: UInt64 {
    var number: UInt64 = 0
    _ = pread(log, &number, 8, Self.numberPlace)
    return number
  }

  /// A transaction: it is on the disk when this returns true.
  func write(version: UInt64) -> Bool {
    guard setLock(F_WRLCK, on: index, Self.writer, 1) else { return false }
    defer { setLock(F_UNLCK, on: index, Self.writer, 1) }
    var number = version
    return pwrite(log, &number, 8, Self.numberPlace) == 8 && fdatasync(log) == 0
  }

  @discardableResult
  private func setLock(_ kind: Int32, on file: Int32, _ first: Int, _ count: Int) -> Bool {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = first
    lock.l_len = count
    return fcntl(file, F_SETLK, &lock) == 0
  }
}
