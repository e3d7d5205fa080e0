// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceScenario
import Synchronization

/// The folders in which the apps of one simulation keep their data: empty at first, and gone with it.
///
/// They are made for the app that asks first.
final class SimulatedFolders: Sendable {
  private let root = Mutex<String?>(nil)

  deinit {
    root.withLock { root in
      if let root { cplatform_remove_tree(root) }
    }
  }

  /// The folder of the app at that place in the scenario; nil where none can be made.
  func folder(ofApp index: Int) -> String? {
    root.withLock { root in
      root = root ?? Self.make()
      guard let root else { return nil }
      let path = root + "/app\(index)"
      return mkdir(path, 0o700) == 0 || errno == EEXIST ? path : nil
    }
  }

  /// The process of the app has ended in the middle of its code: what the files hold now counts,
  /// whatever the rest of that code does to them.
  func keep(ofApp index: Int) {
    root.withLock { root in
      // Without a folder too: the rest of that code may ask for one.
      root = root ?? Self.make()
      if let root { _ = cplatform_copy_tree("\(root)/app\(index)", Self.kept(index, in: root)) }
    }
  }

  /// The next process finds the files as the end has left them.
  func bringBack(ofApp index: Int) {
    root.withLock { root in
      guard let root, access(Self.kept(index, in: root), F_OK) == 0 else { return }
      cplatform_remove_tree("\(root)/app\(index)")
      _ = rename(Self.kept(index, in: root), "\(root)/app\(index)")
    }
  }

  /// What is in the folder of the app; nil where it has asked for none.
  func left(byApp index: Int) -> LeftFiles? {
    root.withLock { $0 }.map { LeftFiles(below: "\($0)/app\(index)") }
  }

  private static func kept(_ index: Int, in root: String) -> String { "\(root)/ended\(index)" }

  private static func make() -> String? {
    // In memory, where that is: no power cut reaches them, and syncing would cost milliseconds.
    let memory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp"
    let place = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? memory
    var template = Array("\(place)/lifetrace-simulation-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) }
  }
}
