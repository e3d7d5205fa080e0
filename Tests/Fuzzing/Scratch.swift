// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that live for one input, in memory where there is room.
enum Scratch {
  static let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  static func path(_ name: String) -> String {
    "\(folder)/lifetrace-fuzz-\(getpid())-\(UInt(bitPattern: pthread_self().hashValue))-\(name)"
  }

  static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
