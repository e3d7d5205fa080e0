// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A file that stands still under whoever opens it next, until it is let go.
///
/// By a lease: the kernel has the opener (be it an exec) wait until the holder has given it up.
final class HeldFile {
  let path: String
  private let file: Int32
  private static let setLease: Int32 = 1024
  private static let getLease: Int32 = 1025
  private static let setSignal: Int32 = 10

  init(_ path: String) throws {
    self.path = path
    file = open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    // What tells of the opener is by default a signal that ends this process.
    #expect(fcntl(file, Self.setSignal, SIGURG) == 0)
    var isHeld = false
    // Processes that were being started when the file was written have it open for a moment.
    Front.wait {
      isHeld = fcntl(file, Self.setLease, F_WRLCK) == 0
      return isHeld
    }
    try #require(isHeld)
  }

  deinit { close(file) }

  func waitForWhoOpensIt() throws {
    var isWaiting = false
    Front.wait {
      isWaiting = fcntl(file, Self.getLease, 0) != F_WRLCK
      return isWaiting
    }
    try #require(isWaiting)
  }

  func letGo() { #expect(fcntl(file, Self.setLease, F_UNLCK) == 0) }
}
