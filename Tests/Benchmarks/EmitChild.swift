// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Glibc
import Lifetrace

/// The measured side of ``benchmarkEmit(_:)``: prints lines of a name and nanoseconds.
enum EmitChild {
  static let flag = "--emit-child"

  /// `small` and `large` measure; `singles:COUNT` times single calls.
  static func run(_ story: String) {
    let words = story.split(separator: ":")
    switch words.first {
    case "singles" where words.count == 2: singleCalls(threads: 8, each: Int(words[1]) ?? 0)
    default: measure(small: story == "small")
    }
  }

  private static func measure(small: Bool) {
    let rounds = small ? 5 : 301
    let events = 10_000
    let recorded = Lifetrace.join()
    let contenders: [(String, (Int) -> Void)] = [
      ("rdtsc", readCounter), ("emit", emit), ("span", span), ("loop", loop),
    ]
    let medians = interleaved(rounds: rounds, contenders.map { item in { item.1(events) } })
    for (item, value) in zip(contenders, medians) {
      print("\(item.0) \(value / Double(events))")
    }
    guard recorded else { return }
    overhead(rounds: small ? 3 : 101, units: small ? 5 : 250)
    twoAgainstOne(rounds: small ? 3 : 41, events: small ? 1000 : 50_000)
    singleCalls(threads: 8, each: small ? 2000 : 500_000)
  }

  @inline(never)
  private static func readCounter(_ count: Int) {
    var sum: UInt64 = 0
    for _ in 0..<count { sum &+= lt_counter() }
    keep(sum)
  }

  @inline(never)
  private static func emit(_ count: Int) {
    for index in 0..<count {
      Lifetrace.mark("tick", .int("index", index), .bytes("size", 64), .int("next", index &+ 1))
    }
  }

  @inline(never)
  private static func span(_ count: Int) {
    var sum: UInt64 = 0
    for index in 0..<count {
      sum &+= Lifetrace.work("step", kind: .compute) { UInt64(truncatingIfNeeded: index) }
    }
    keep(sum)
  }

  /// A program that counts words, plain and with 100,000 events a second of what it does.
  private static func overhead(rounds: Int, units: Int) {
    let text = Array("the note that nobody saved is the note that somebody wanted ".utf8)
    let medians = interleaved(
      rounds: rounds,
      [
        { for unit in 0..<units { keep(countWords(text, unit)) } },
        {
          for unit in 0..<units {
            keep(Lifetrace.work("count", kind: .compute) { countWords(text, unit) })
          }
        },
      ]
    )
    print("plain \(medians[0] / Double(units))")
    print("traced \(medians[1] / Double(units))")
  }

  /// About 20 us of it.
  @inline(never)
  private static func countWords(_ text: [UInt8], _ seed: Int) -> UInt64 {
    var counts: [UInt64: Int] = [:]
    for round in 0..<60 {
      var word = UInt64(truncatingIfNeeded: seed &+ round)
      for byte in text {
        if byte == 32 {
          counts[word, default: 0] += 1
          word = UInt64(truncatingIfNeeded: seed &+ round)
        } else {
          word = (word ^ UInt64(byte)) &* 0x100_0000_01b3
        }
      }
    }
    return UInt64(counts.count)
  }

  @inline(never)
  private static func loop(_ count: Int) {
    var sum: UInt64 = 0
    for index in 0..<count {
      sum = (sum ^ UInt64(truncatingIfNeeded: index)) &* 0x9e37_79b9_7f4a_7c15
    }
    keep(sum)
  }

  /// CPU time, because another program on this machine may take a core from us.
  private static func twoAgainstOne(rounds: Int, events: Int) {
    var one: [Double] = []
    var two: [Double] = []
    for _ in 0..<rounds {
      one += perEvent(threads: 1, events: events)
      two += perEvent(threads: 2, events: events)
    }
    print("one \(median(one))")
    print("two \(median(two))")
  }

  private static func perEvent(threads: Int, events: Int) -> [Double] {
    onThreads(threads) {
      let start = lt_thread_cpu_ns()
      emit(events)
      return Double(lt_thread_cpu_ns() - start) / Double(events)
    }
  }

  /// Every call between two reads of the counter; the reads are part of the figure.
  private static func singleCalls(threads: Int, each: Int) {
    let histograms = onThreads(threads) {
      var histogram = [UInt32](repeating: 0, count: 1 << 20)
      for index in 0..<each {
        let start = lt_counter()
        Lifetrace.mark("tick", .int("index", index), .bytes("size", 64), .int("next", 7))
        let taken = Int(truncatingIfNeeded: lt_counter() &- start)
        histogram[min(max(taken, 0), histogram.count - 1)] += 1
      }
      return histogram
    }
    let nanoseconds = nanosecondsPerTick()
    for (name, fraction) in [("p50", 0.5), ("p999", 0.999)] {
      var left = Int(Double(threads * each) * fraction)
      var tick = 0
      while tick < 1 << 20, left > 0 {
        for histogram in histograms { left -= Int(histogram[tick]) }
        tick += 1
      }
      print("\(name) \(Double(tick) * nanoseconds)")
    }
  }

  private static func nanosecondsPerTick() -> Double {
    let (start, first) = (now(), lt_counter())
    while now() - start < 20_000_000 {}
    let (end, last) = (now(), lt_counter())
    return Double(end - start) / Double(last - first)
  }

  private static func onThreads<Result>(_ count: Int, _ body: @escaping () -> Result) -> [Result] {
    let tasks = (0..<count).map { _ in ThreadTask(body) }
    let threads = tasks.map { task in
      var thread = pthread_t()
      let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        context in
        if let context { Unmanaged<AnyThreadTask>.fromOpaque(context).takeUnretainedValue().run() }
        return nil
      }
      let context = Unmanaged<AnyThreadTask>.passUnretained(task).toOpaque()
      pthread_create(&thread, nil, start, context)
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
    return tasks.compactMap(\.result)
  }
}

private class AnyThreadTask {
  func run() {}
}

private final class ThreadTask<Result>: AnyThreadTask {
  private(set) var result: Result?
  private let body: () -> Result

  init(_ body: @escaping () -> Result) { self.body = body }

  override func run() { result = body() }
}

/// Has the optimiser believe that somebody reads it.
@inline(never)
@_optimize(none)
private func keep(_ value: UInt64) {}
