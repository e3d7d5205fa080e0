// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceScenario
import Synchronization

/// The folders in which the apps of one simulation keep their data: empty at first, and gone with it.
///
/// They are made for the app that asks first. The simulation removes them: code of an app that waits
/// for what never comes is held for good, and would hold its folder.
final class SimulatedFolders: Sendable {
  private struct State {
    var root: String?
    var isOver = false
  }

  private let state = Mutex(State())

  /// The folder of the app at that place in the scenario; nil where none can be made, or the
  /// simulation is over.
  func folder(ofApp index: Int) -> String? {
    state.withLock { state in
      guard let root = Self.root(&state) else { return nil }
      let path = root + "/app\(index)"
      return mkdir(path, 0o700) == 0 || errno == EEXIST ? path : nil
    }
  }

  /// The process of the app has ended in the middle of its code: what the files hold now counts,
  /// whatever the rest of that code does to them.
  func keep(ofApp index: Int) {
    state.withLock { state in
      // Without a folder too: the rest of that code may ask for one.
      guard let root = Self.root(&state) else { return }
      _ = cplatform_copy_tree("\(root)/app\(index)", Self.kept(index, in: root))
    }
  }

  /// The next process finds the files as the end has left them.
  func bringBack(ofApp index: Int) {
    state.withLock { state in
      guard let root = state.root, access(Self.kept(index, in: root), F_OK) == 0 else { return }
      cplatform_remove_tree("\(root)/app\(index)")
      _ = rename(Self.kept(index, in: root), "\(root)/app\(index)")
    }
  }

  /// What is in the folder of the app; nil where it has asked for none.
  func left(byApp index: Int) -> LeftFiles? {
    state.withLock { $0.root }.map { LeftFiles(below: "\($0)/app\(index)") }
  }

  /// Removes them; what still runs of the apps is given none any more.
  func remove() {
    state.withLock { state in
      state.isOver = true
      if let root = state.root { cplatform_remove_tree(root) }
      state.root = nil
    }
  }

  private static func kept(_ index: Int, in root: String) -> String { "\(root)/ended\(index)" }

  private static func root(_ state: inout State) -> String? {
    guard !state.isOver else { return nil }
    state.root = state.root ?? SimulationRoot.shared.newFolder()
    return state.root
  }
}
