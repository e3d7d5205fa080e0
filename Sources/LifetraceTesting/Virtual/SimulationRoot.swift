// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import Synchronization

/// The folder of this process in which its simulations have theirs.
///
///     SimulationRoot.shared.newFolder()     // /dev/shm/lifetrace-simulations-3fGh1Q/12
///
/// It goes when the process exits. One that is killed leaves it; the process holds a lock on it while
/// it lives, so that the next one knows it for a leftover and removes it.
final class SimulationRoot: Sendable {
  static let shared = SimulationRoot()

  private static let prefix = "lifetrace-simulations-"

  private struct State {
    var path: String?
    var descriptor: Int32 = -1
    /// Who has made it: a fork of that process leaves it alone.
    var owner = pid_t(0)
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())

  private init() {
    atexit {
      SimulationRoot.shared.state.withLock { state in
        if state.owner == getpid(), let path = state.path { cplatform_remove_tree(path) }
      }
    }
  }

  /// A folder that is empty and nobody else's; nil where none can be made.
  func newFolder() -> String? {
    state.withLock { state in
      // Somebody may have tidied up among the temporary files since the last time, and another process
      // may take one for a leftover that is made and not locked yet.
      for _ in 0..<Self.attemptsMax {
        if state.path == nil { Self.make(&state) }
        guard let root = state.path else { continue }
        state.lastNumber += 1
        let path = "\(root)/\(state.lastNumber)"
        if mkdir(path, 0o700) == 0 { return path }
        state.path = nil
      }
      return nil
    }
  }

  private static let attemptsMax = 4

  private static func make(_ state: inout State) {
    // In memory, where that is: no power cut reaches them, and syncing would cost milliseconds.
    let memory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp"
    let place = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? memory
    removeLeftovers(in: place)
    var template = Array("\(place)/\(prefix)XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return }
    if state.descriptor >= 0 { close(state.descriptor) }
    let path = String(cString: made)
    state.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Where a file system has no locks it is never taken for a leftover.
    guard cplatform_lock(state.descriptor) == 0 || errno != EWOULDBLOCK else { return }
    (state.path, state.owner) = (path, getpid())
  }

  /// Removes the folders of processes that were killed.
  private static func removeLeftovers(in place: String) {
    for name in namesInDirectory(place) where name.hasPrefix(prefix) {
      let path = "\(place)/\(name)"
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if cplatform_lock(descriptor) == 0 { cplatform_remove_tree(path) }
      close(descriptor)
    }
  }
}
