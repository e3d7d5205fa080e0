// SPDX-License-Identifier: Apache-2.0
import Dispatch
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

  /// The mutex is the C library's own matter: it stands at one address, and is never copied.
  nonisolated(unsafe) private static let mutex = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    return mutex
  }()

  /// Waits for a lock that another thread holds, and does not give back.
  @inline(never)
  static func wait() {
    let isHeld = DispatchSemaphore(value: 0)
    DispatchQueue(label: "holder").async { hold(isHeld) }
    isHeld.wait()
    pthread_mutex_lock(mutex)
  }

  @inline(never)
  private static func hold(_ isHeld: DispatchSemaphore) {
    pthread_mutex_lock(mutex)
    isHeld.signal()
    while true { _ = poll(nil, 0, -1) }
  }

  /// Leaves a child behind that sleeps for a minute.
  static func fork() {
    var child: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
    posix_spawnp(&child, "sleep", nil, nil, words, environ)
    for word in words { free(word) }
  }
}
