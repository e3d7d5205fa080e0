// SPDX-License-Identifier: GPL-3.0-or-later
import Dispatch
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import Synchronization
import LifetraceTimeline
import LifetraceTrace

/// Checks a large recording on a thread of its own, so that the prompt need not wait.
///
///     let check = BackgroundCheck(judgement, events: timeline.count) {
///       FileSource(try TraceReader(path: path))
///     }
///     check.result        // .running, and later .found(findings)
///
/// Nothing is shared with the prompt: it opens the recording once more.
final class BackgroundCheck: Sendable {
  /// Less of what was decoded than a player keeps: chunks are read once, in order.
  static let timelineBytes = 8 << 20

  /// How far it has come.
  enum Result: Sendable {
    case running
    case found(Findings)
    /// It was stopped, or the recording could not be opened, or is another one by now: it has grown.
    case none
  }

  let judgement: Judgement
  private let events: Int
  private let state = Mutex<Result>(.running)
  private let done = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)

  /// Begins at once; `open` gives the recording anew, and it still has as many events.
  init(_ judgement: Judgement, events: Int, open: @escaping @Sendable () -> (any EventSource)?) {
    self.judgement = judgement
    self.events = events
    DispatchQueue.global(qos: .utility).async { [self] in
      let found = open().flatMap(check)
      state.withLock { $0 = found.map(Result.found) ?? .none }
    }
  }

  /// The findings, if it has come to an end.
  var result: Result { state.withLock { $0 } }

  /// How many events have been judged.
  var judged: Int { done.load(ordering: .relaxed) }

  /// Lets it end at the next chunk.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func check(_ source: any EventSource) -> Findings? {
    let timeline = Timeline(source, memory: .bytes(Self.timelineBytes))
    guard timeline.count == events else { return nil }
    return try? Findings(
      timeline,
      by: judgement,
      isInterrupted: { isStopped.load(ordering: .relaxed) },
      progress: { done.store($0, ordering: .relaxed) }
    )
  }
}
