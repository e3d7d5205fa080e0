// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceRecorder
import LifetraceTrace
import LifetraceTransport
import Synchronization

/// What a collector has, on its way from the process that sends to the one that records.
///
/// Messages between two processes of this machine: one that is lost with its sender costs nothing
/// but room, as the collector is asked again.
final class Confirmations: Sendable {
  private let sender: Int32
  private let recorder: Int32
  /// In the sender, what was not taken yet; in the recorder, all that has come.
  private let held = Mutex<[WriterID: Held]>([:])

  /// The two ends, made before there are two processes; nil where the system gives none.
  init?() {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    (sender, recorder) = (ends[0], ends[1])
  }

  deinit {
    close(sender)
    close(recorder)
  }

  /// To be sent: what a collector has of a writer.
  func note(_ have: Have) {
    held.withLock { held in
      for stretch in have.held.stretches { held[have.writer, default: Held()].insert(stretch) }
    }
  }

  /// Sends what was noted, as far as there is room for it.
  func send() {
    held.withLock { held in
      for (writer, numbers) in held {
        let body = Have(writer, numbers).body
        guard LifetracePlatform.send(sender, body, body.count, 0) == body.count else { return }
        held[writer] = nil
      }
    }
  }

  /// What the recorder asks.
  func custody(isEager: Bool) -> Custody {
    Custody(isEager: isEager, hasNews: { self.receive() }) { writer, numbers in
      self.held.withLock { $0[writer]?.contains(numbers) ?? false }
    }
  }

  /// Takes in what has come; whether something has.
  private func receive() -> Bool {
    var hasNews = false
    var buffer = [UInt8](repeating: 0, count: Have.bytesMax)
    while true {
      let count = recv(recorder, &buffer, buffer.count, 0)
      guard count > 0 else { return hasNews }
      guard let have = Have(Array(buffer[..<count])) else { continue }
      note(have)
      hasNews = true
    }
  }
}
