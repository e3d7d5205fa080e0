// SPDX-License-Identifier: GPL-3.0-or-later
import Dispatch
import Synchronization

/// Requests between the thread that reads them and the one that answers.
///
/// `pause`, `cancel` and the end are of use only while something runs: they interrupt it from the thread
/// that reads. All requests are answered in their order, but for those that interrupted.
package final class Inbox: Sendable {
  /// No more wait; the client is not read until there is room.
  static let requestsMax = 64

  /// What was read.
  package enum Message: Sendable {
    case request(Request)
    /// What was no message of the protocol, in words.
    case problem(String)

    var request: Request? { if case .request(let request) = self { request } else { nil } }
  }

  private struct State {
    var waiting: [Message] = []
    var running: Int64?
    var cancelled: Set<Int64> = []
    var isClosed = false
    var isBroken = false

    /// Whether a request ends what runs.
    func isEnded(by message: Message) -> Bool {
      guard let running, let request = message.request else { return false }
      switch request.command {
      case "pause", "disconnect", "terminate": return true
      case "cancel":
        return request.arguments.number("requestId") == Int(running)
          || request.arguments.text("progressId") == Inbox.progressID(of: running)
      default: return false
      }
    }
  }

  private let state = Mutex(State())
  private let interrupted = Atomic<Bool>(false)
  private let filled = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)

  /// An empty one.
  package init() { for _ in 0..<Self.requestsMax { room.signal() } }

  /// Whether what runs is to end.
  package var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

  /// Whether the end came in the middle of what nobody could read.
  package var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Takes a message, as soon as there is room.
  package func put(_ message: Message) {
    room.wait()
    state.withLock { state in
      state.waiting.append(message)
      if state.isEnded(by: message) { interrupted.store(true, ordering: .relaxed) }
      // What still waits is not begun at all.
      if let request = message.request, request.command == "cancel",
        let seq = request.arguments.number("requestId").map(Int64.init),
        state.waiting.contains(where: { $0.request?.seq == seq })
      {
        state.cancelled.insert(seq)
      }
    }
    filled.signal()
  }

  /// Nothing more will come; `broken` where more came than was understood.
  package func close(broken: Bool = false) {
    state.withLock { ($0.isClosed, $0.isBroken) = (true, broken) }
    filled.signal()
  }

  /// The next message, which runs from here on, and whether it was cancelled; nil at the end.
  package func next() -> (message: Message, isCancelled: Bool)? {
    while true {
      let found: (Message, Bool)?? = state.withLock { state in
        state.running = nil
        guard !state.waiting.isEmpty else { return state.isClosed ? .some(nil) : nil }
        let message = state.waiting.removeFirst()
        state.running = message.request?.seq
        // What was said of it while it waited counts as well.
        let isStopped = state.waiting.contains(where: state.isEnded)
        interrupted.store(isStopped, ordering: .relaxed)
        let isCancelled = state.running.flatMap { state.cancelled.remove($0) } != nil
        return (message, isCancelled)
      }
      if let found {
        if found != nil { room.signal() }
        return found
      }
      filled.wait()
    }
  }

  /// The requests that interrupted what runs, which are answered first; it is interrupted no more.
  package func takeInterruptions() -> [Request] {
    state.withLock { state in
      // The session ends in its turn.
      let urgent = state.waiting.filter(state.isEnded).compactMap(\.request)
        .filter { ["pause", "cancel"].contains($0.command) }
      state.waiting.removeAll { one in urgent.contains { $0.seq == one.request?.seq } }
      for _ in urgent { room.signal() }
      interrupted.store(false, ordering: .relaxed)
      return urgent
    }
  }

  /// How the client names the progress of a request.
  static func progressID(of seq: Int64) -> String { "request-\(seq)" }
}
