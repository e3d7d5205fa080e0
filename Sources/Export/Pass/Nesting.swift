// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// Which slices of a stream do not lie inside what their thread was doing.
///
/// On one lane an end closes what was begun last: that is all that viewers can draw. So a slice that
/// ends before something that was begun inside it has to stand on another lane, which must be known
/// when it begins. A thread's work is mostly nested, and then nothing is kept here.
struct Nesting {
  /// More exceptions of one stream than this are not kept: then all its slices are taken for such.
  static let looseMax = 1 << 18

  private var loose: Set<UInt64> = []
  private var isAllLoose = false

  /// Whether the slice that the event with this number begins stands on a lane apart.
  @inline(__always)
  func isLoose(_ sequence: UInt64) -> Bool {
    isAllLoose || !loose.isEmpty && loose.contains(sequence)
  }

  /// Follows what threads do in the chunks of `stream` that say so; no other chunk is decoded, and
  /// without a timeline none.
  init(_ timeline: Timeline?, stream: Int) {
    guard let timeline else { return }
    let chunks = timeline.streams[stream].chunks
    var threads = Threads()
    for number in chunks.indices where !chunks[number].kinds.isDisjoint(with: .nesting) {
      guard !isAllLoose else { return }
      let firsts = timeline.streams[stream].firstIndices
      timeline.pass(firsts[number]..<firsts[number + 1], of: stream) { events, names in
        guard timeline.canRead(number, of: stream) else { return false }
        for index in events.indices { threads.take(events[index], names) { mark($0) } }
        return true
      }
    }
  }

  private mutating func mark(_ sequence: UInt64) {
    guard loose.count < Self.looseMax else { return isAllLoose = true }
    loose.insert(sequence)
  }
}

/// What each thread has begun and not ended.
private struct Threads {
  private struct Open: Equatable, BitwiseCopyable {
    var thread: Int
    var sequence: UInt64
  }

  private struct Stack {
    let thread: ThreadID
    var sequences: [UInt64] = []
    var latest = HostTime(rawValue: .min)
  }

  private var open = FlatTable<SpanKey, Open>()
  private var stacks: [Stack] = []
  private var places: [ThreadID: Int] = [:]
  private var last = 0

  /// Takes the next event of the stream; `mark` is told which begins were not nested after all.
  @inline(__always)
  mutating func take(
    _ event: borrowing Event,
    _ names: borrowing Names,
    _ mark: (UInt64) -> Void
  ) {
    guard KindSet.nesting.contains(event.kind) else { return }
    if let opening = event.kind.opening {
      let key = SpanKey(event.identity, opening)
      guard let place = open.place(of: key) else { return }
      let begun = open.entries[place].value
      open.remove(at: place)
      close(begun, at: event.time, mark)
    } else {
      let key = SpanKey(event.identity, event.kind)
      // What is begun anew is cut here, also where the new one stands on the lane of a queue.
      if let place = open.place(of: key) {
        let begun = open.entries[place].value
        open.remove(at: place)
        close(begun, at: event.time, mark)
      }
      guard case .thread(let thread) = SliceRoute(event, names) else { return }
      let number = number(of: thread)
      guard open.count < LifeState.openMax else { return mark(event.sequence) }
      // On one lane no time lies before the one before it.
      guard event.time >= stacks[number].latest else { return mark(event.sequence) }
      stacks[number].latest = event.time
      stacks[number].sequences.append(event.sequence)
      open.insert(Open(thread: number, sequence: event.sequence), for: key)
    }
  }

  private mutating func close(_ begun: Open, at time: HostTime, _ mark: (UInt64) -> Void) {
    let (thread, sequence) = (begun.thread, begun.sequence)
    if stacks[thread].sequences.last == sequence, time >= stacks[thread].latest {
      stacks[thread].sequences.removeLast()
      stacks[thread].latest = time
    } else {
      if let place = stacks[thread].sequences.lastIndex(of: sequence) {
        stacks[thread].sequences.remove(at: place)
      }
      mark(sequence)
    }
  }

  private mutating func number(of thread: ThreadID) -> Int {
    if last < stacks.count, stacks[last].thread == thread { return last }
    if let known = places[thread] {
      last = known
      return known
    }
    last = stacks.count
    places[thread] = last
    stacks.append(Stack(thread: thread))
    return last
  }
}
