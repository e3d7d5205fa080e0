// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that live for one input, in memory where there is room.
enum Scratch {
  static let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  static func path(_ name: String) -> String {
    "\(folder)/lifetrace-fuzz-\(getpid())-\(UInt(bitPattern: pthread_self().hashValue))-\(name)"
  }
}
