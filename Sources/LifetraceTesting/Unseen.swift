// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen

/// Notices the work of a simulated app that its simulator does not run: tasks, dispatch, threads.
///
///     let unseen = Unseen()
///     unseen.watch { delegate.applicationDidEnterBackground(application) }
///     unseen.text                             // "a Task"
///
/// @unchecked: its memory is written on the thread that watches, and read there.
final class Unseen: @unchecked Sendable {
  private let kinds = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

  init() { kinds.initialize(to: 0) }
  deinit { kinds.deallocate() }

  /// Runs `body`, and notes what it begins on this thread.
  func watch<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = lt_unseen_watch(kinds)
    defer { _ = lt_unseen_watch(before) }
    return try body()
  }

  /// What was begun so far, in words; nil for nothing.
  var text: String? {
    let words: [(UInt32, String)] = [
      (LT_UNSEEN_TASK, "a Task"), (LT_UNSEEN_DISPATCH, "work on a dispatch queue"),
      (LT_UNSEEN_THREAD, "a thread"),
    ]
    let begun = words.filter { kinds.pointee & $0.0 != 0 }.map(\.1)
    return begun.isEmpty ? nil : begun.joined(separator: " and ")
  }
}
