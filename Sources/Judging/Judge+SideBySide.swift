// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTrace
import LifetraceTraceFile
import Synchronization

/// What judging some lives has found.
package struct JudgedLives: Sendable {
  /// What the rules have said.
  package var checker: Checker
  /// By stream: which events could be read.
  package var held: [HeldSequences]
  /// Whether some could not.
  package var hasUnreadable: Bool

  init<Source>(_ judge: Judge<Source>) {
    (checker, held, hasUnreadable) = (judge.checker, judge.held, judge.hasUnreadable)
  }

  /// Adds what was found in `lives`, which come behind those of this one.
  mutating func add(_ later: JudgedLives, of lives: ArraySlice<AppLife>) {
    checker.add(later.checker)
    for incarnation in lives.flatMap(\.incarnations) {
      held[incarnation.index] = later.held[incarnation.index]
    }
    hasUnreadable = hasUnreadable || later.hasUnreadable
  }
}

extension JoinedTraces {
  /// Judges all lives, on up to `cores` threads where there are at least `eventsMin` events.
  ///
  /// Lives know nothing of each other: the findings of each are put together in their order, so
  /// that it is the same on any number of cores. Each thread opens the files for itself.
  package func judged(by checker: Checker, cores: Int, eventsMin: Int) -> JudgedLives {
    var checker = checker
    if checker.asksForMessages { checker.take(messages) }
    if checker.asksForSharedData { checker.take(sharedData) }
    if cores > 1, let judged = sideBySide(by: checker, cores: cores, eventsMin: eventsMin) {
      return judged
    }
    var judge = Judge(self, checker)
    judge.judge(lives)
    return JudgedLives(judge)
  }

  /// The same on several threads; nil where it is too little for that, or the files have changed.
  func sideBySide(by checker: Checker, cores: Int, eventsMin: Int) -> JudgedLives? {
    let parts = parts(of: lives, about: cores * 4, eventsMin: eventsMin)
    guard parts.count > 1 else { return nil }
    let found = judge(parts, by: checker, cores: cores)
    guard !found.isOther, var judged = found.parts[0] else { return nil }
    for (part, lives) in zip(found.parts, parts).dropFirst() {
      guard let part else { return nil }
      judged.add(part, of: lives)
    }
    for (reader, problems) in zip(readers, found.problems) { reader.learn(problems) }
    return judged
  }

  /// Lives in their order, in about `count` parts of as many events; none for few events.
  private func parts(
    of lives: [AppLife],
    about count: Int,
    eventsMin: Int
  ) -> [ArraySlice<AppLife>] {
    let total = eventCount(lives[...])
    guard total >= eventsMin else { return [] }
    var parts: [ArraySlice<AppLife>] = []
    var first = 0
    var sum = 0
    for index in lives.indices {
      sum += eventCount(lives[index...index])
      guard sum >= total / count || index == lives.count - 1 else { continue }
      parts.append(lives[first...index])
      first = index + 1
      sum = 0
    }
    return parts
  }

  private func eventCount(_ lives: ArraySlice<AppLife>) -> Int {
    lives.flatMap(\.incarnations).reduce(0) { $0 + streams[$1.index].eventCount }
  }

  /// What several threads have found so far.
  private struct Found {
    /// The judged lives, by part of the work.
    var parts: [JudgedLives?]
    /// By file: what could not be decoded.
    var problems: [[TraceProblem]]
    /// Whether some thread has seen other files, or dropped names: then none of it counts.
    var isOther = false
  }

  private func judge(
    _ parts: [ArraySlice<AppLife>],
    by checker: Checker,
    cores: Int
  ) -> Found {
    let (paths, streams) = (readers.map(\.path), streams)
    // The longest first: no thread waits for it at the end.
    let order = parts.indices.sorted { eventCount(parts[$0]) > eventCount(parts[$1]) }
    let found = Mutex(Found(parts: parts.map { _ in nil }, problems: paths.map { _ in [] }))
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: min(cores, parts.count)) { _ in
      let files = try? JoinedTraces(paths.map { try TraceReader(path: $0) })
      guard let files, files.streams == streams else {
        return found.withLock { $0.isOther = true }
      }
      while true {
        let turn = next.add(1, ordering: .relaxed).oldValue
        guard turn < order.count else { break }
        let number = order[turn]
        var judge = Judge(files, checker)
        judge.judge(parts[number])
        let judged = JudgedLives(judge)
        found.withLock { $0.parts[number] = judged }
      }
      let problems = files.readers.map(\.decodeProblems)
      let hasDropped = files.names.hasDropped
      found.withLock {
        if hasDropped { $0.isOther = true }
        for (file, problems) in problems.enumerated() { $0.problems[file] += problems }
      }
    }
    return found.withLock { $0 }
  }
}
