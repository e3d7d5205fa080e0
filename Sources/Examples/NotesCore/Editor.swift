// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import Synchronization

/// The draft in memory, and the save that follows an edit two seconds later.
///
/// Typing fast must not write to disk at each letter, so the save waits until
/// the user pauses. That wait is where an app loses data: if it is suspended
/// and purged in between, nothing is saved.
public final class Editor: Sendable {
  /// How long after the last edit the draft is saved.
  public static let debounceSeconds = 2.0

  private let store: Store
  private let saving = WorkQueue(label: "saving")
  private let state = Mutex(State())
  /// The save that waits, as the trace knows it.
  private let deferred = Lifetrace.Resource("draft.txt", .pendingSave)

  private struct State {
    var text = ""
    var savedText = ""
    var pending: DelayedWork?
  }

  /// An editor of what the store holds.
  public init(store: Store) {
    self.store = store
    let text = store.load() ?? ""
    state.withLock {
      $0.text = text
      $0.savedText = text
    }
  }

  /// The draft as the user sees it.
  public var text: String { state.withLock { $0.text } }

  /// The user typed.
  public func edit(_ text: String) {
    state.withLock { $0.text = text }
    store.draft.dirty { text.utf8 }
    deferSave()
  }

  /// Saves without waiting any longer, on the queue; `completion` is called after the save.
  public func flush(completion: @escaping @Sendable () -> Void) {
    if let pending = state.withLock({ $0.pending.take() }), pending.cancel() { deferred.release() }
    saving.async {
      self.saveNow()
      completion()
    }
  }

  private func deferSave() {
    if let pending = state.withLock({ $0.pending.take() }), pending.cancel() { deferred.release() }
    deferred.acquire()
    let pending = saving.asyncAfter(seconds: Self.debounceSeconds) {
      self.deferred.release()
      self.saveNow()
    }
    state.withLock { $0.pending = pending }
  }

  private func saveNow() {
    let version = store.draft.version
    let (text, savedText) = state.withLock { ($0.text, $0.savedText) }
    if text == savedText {
      store.draft.unchanged(version: version)
    } else if let saved = store.save({ self.text }) {
      state.withLock { $0.savedText = saved }
    }
  }
}
