// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a process can do to its host.
enum Misbehaviour {
  /// Writes into the first socket that this process has open, behind the runtime's back.
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    for descriptor in Int32(3)..<64 {
      var kind: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 else { continue }
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Fails as a program of Swift does that looks behind the end of an array.
  @inline(never)
  static func trap() {
    let lines = ["first"]
    print(lines[CommandLine.arguments.count + 7])
  }

  /// Computes without end.
  @inline(never)
  static func spin() {
    var sum: UInt64 = 1
    while sum != 0 { sum = (sum &* 6_364_136_223_846_793_005 &+ 1) | 1 }
  }

  /// Leaves a child behind that sleeps for a minute.
  static func fork() {
    var child: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
    posix_spawnp(&child, "sleep", nil, nil, words, environ)
    for word in words { free(word) }
  }
}
