// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import Support
import Testing

/// Locks that threads share, and take again: held until they are given back as often as they were taken.
@Suite struct LockHoldTests {
  private static let threads: [UInt32] = [0, 7, 8, 9]

  /// Who has a lock, in the order in which they came; the first may have been seen by the host alone.
  private struct Model: Equatable {
    var holders: [(thread: UInt32, count: Int)] = []
    var isSeen = false

    static func == (left: Model, right: Model) -> Bool {
      left.isSeen == right.isSeen && left.holders.map(\.thread) == right.holders.map(\.thread)
        && left.holders.map(\.count) == right.holders.map(\.count)
    }

    mutating func take(_ thread: UInt32, isHost: Bool) {
      if isHost {
        guard holders.isEmpty else { return }
        (holders, isSeen) = ([(thread, 0)], true)
        return
      }
      if isSeen { (holders, isSeen) = ([], false) }
      if let place = holders.firstIndex(where: { $0.thread == thread }) {
        holders[place].count += 1
      } else {
        holders.append((thread, 1))
      }
    }

    mutating func giveBack(_ thread: UInt32) {
      guard !holders.isEmpty else { return }
      let place = holders.firstIndex { $0.thread == thread } ?? 0
      holders[place].count -= 1
      if holders[place].count <= 0 { holders.remove(at: place) }
      isSeen = isSeen && !holders.isEmpty
    }
  }

  /// Events that take and give back three locks and a file, at random.
  private struct Source {
    var names = Names()
    var random: SeededRandom
    var models: [ResourceKey: Model] = [:]
    let locks: [ResourceKey]
    let file: ResourceKey

    init(seed: UInt64) {
      random = SeededRandom(seed: seed)
      let (index, store) = (names.intern("index"), names.intern("store"))
      let lock = ResourceClass.lock.rawValue
      locks = [
        ResourceKey(index, lock, 0), ResourceKey(store, lock, 1), ResourceKey(store, lock, 2),
      ]
      file = ResourceKey(store, ResourceClass.file.rawValue, 1)
    }

    mutating func next(_ sequence: UInt64) -> Event {
      let isFile = Int.random(in: 0..<8, using: &random) == 0
      let key = isFile ? file : locks[Int.random(in: locks.indices, using: &random)]
      let thread = LockHoldTests.threads[Int.random(in: 0..<4, using: &random)]
      let isHost = Int.random(in: 0..<6, using: &random) == 0
      let takes = isHost || Int.random(in: 0..<9, using: &random) < 5
      var event = Event(
        takes ? .resourceAcquire : .resourceRelease,
        at: HostTime(rawValue: Int64(sequence) * 1_000),
        identity: key.name.word,
        arguments: (UInt64(key.classCode), 0, key.id, 0),
        argumentCount: 3
      )
      event.sequence = sequence
      event.thread = ThreadID(rawValue: thread)
      event.observerCode = isHost ? Observer.host.rawValue : Observer.own.rawValue
      if key != file {
        if takes {
          models[key, default: Model()].take(thread, isHost: isHost)
        } else {
          models[key]?.giveBack(thread)
        }
      }
      return event
    }
  }

  /// What a state says of a lock, as the model has it.
  private func model(_ state: LifeState, _ key: ResourceKey) -> Model {
    guard let first = state.resources[key] else { return Model() }
    let others = state.sharedHolds.entries.filter { $0.key.lock == key }
      .sorted { $0.value.sequence < $1.value.sequence }
    let shared = others.reduce(0) { $0 + Int($1.value.holds) }
    return Model(
      holders: [(first.thread.rawValue, Int(first.holds) - shared)]
        + others.map { ($0.key.thread.rawValue, Int($0.value.holds)) },
      isSeen: first.holds == 0
    )
  }

  @Test("The state is that of a count by thread, and each keyframe says it", arguments: 1...6)
  func randomHolds(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1000 &+ round
    var source = Source(seed: seed)
    let events = (0..<400).map { source.next(UInt64($0)) }
    source.models = [:]
    source.random = SeededRandom(seed: seed)
    var state = LifeState()
    var prefixes = [state]
    for event in events {
      let key = ResourceKey(
        NameID(word: event.identity),
        UInt8(event.arguments.0),
        event.arguments.2
      )
      let hold = state.hold(of: key, endedOn: event.thread)
      let before = state.everyHold.count
      let again = source.next(event.sequence)
      #expect(again.kind == event.kind && again.thread == event.thread)
      state.apply(event, names: source.names)
      prefixes.append(state)
      if event.kind == .resourceRelease {
        let isLess = state.everyHold.count < before
        #expect((hold != nil) == isLess, "seed \(seed), at \(event.sequence)")
      }
      for key in source.locks {
        let expected = source.models[key] ?? Model()
        #expect(model(state, key) == expected, "seed \(seed), after \(event.sequence)")
        let holds = state.everyHold.filter { $0.name == key.name && $0.resourceClass == .lock }
        #expect(holds.allSatisfy { state.holds(of: $0) > 0 })
      }
    }
    for cut in prefixes.indices {
      let bytes = prefixes[cut].encode(names: source.names)
      var (names, fresh) = (source.names, Names())
      var again = try LifeState(decoding: bytes, names: &names)
      #expect(again == prefixes[cut], "seed \(seed), cut at \(cut)")
      #expect(try LifeState(decoding: bytes, names: &fresh).encode(names: fresh) == bytes)
      let isCounted = prefixes[cut].resources.values.contains { $0.holds != 1 }
      #expect(bytes[0] == (isCounted ? 8 : 6))
      if cut % 10 == 0 {
        for event in events[cut...] { again.apply(event, names: source.names) }
        #expect(again == state, "seed \(seed), cut at \(cut)")
      }
    }
    #expect(prefixes.contains { !$0.sharedHolds.isEmpty })
  }

  @Test("Locks of a damaged keyframe are held as often as their holders say, or it is refused")
  func damagedHolds() throws {
    var source = Source(seed: 4)
    var state = LifeState()
    var count: UInt64 = 0
    while state.sharedHolds.count < 3 {
      state.apply(source.next(count), names: source.names)
      count += 1
    }
    let bytes = state.encode(names: source.names)
    var refused = 0
    for place in bytes.indices.dropFirst() {
      for value in [0, 1, 2, 3, 7, 8, 127] as [UInt8] where bytes[place] != value {
        var broken = bytes
        broken[place] = value
        var names = Names()
        guard var read = try? LifeState(decoding: broken, names: &names) else {
          refused += 1
          continue
        }
        // Whatever is read can be given back to the last.
        var more = Source(seed: UInt64(place))
        for step in 0..<60 { read.apply(more.next(count + UInt64(step)), names: names) }
      }
    }
    #expect(refused > 0)
  }

  @Test("No lock is held more often than there is room for")
  func holdsMax() throws {
    var source = Source(seed: 1)
    let key = source.locks[0]
    var take = source.next(0)
    take.kind = .resourceAcquire
    take.observerCode = Observer.own.rawValue
    take.identity = key.name.word
    take.arguments = (UInt64(key.classCode), 0, key.id, 0)
    var state = LifeState()
    state.apply(Event(.processStart, at: HostTime(rawValue: 0)), names: source.names)
    for _ in 0...LifeState.holdsMax { state.apply(take, names: source.names) }
    #expect(state.resources[key]?.holds == LifeState.holdsMax)
    #expect(state.completeness[.resource].isFull)
  }

  @Test("An earlier release's keyframe, which has no counts, is read")
  func keyframeOfBefore() throws {
    var source = Source(seed: 1)
    var state = LifeState()
    var take = source.next(0)
    take.kind = .resourceAcquire
    take.observerCode = Observer.own.rawValue
    state.apply(take, names: source.names)
    let bytes = state.encode(names: source.names)
    #expect(bytes[0] == 6)
    var names = Names()
    let read = try LifeState(decoding: bytes, names: &names)
    #expect(read.resources.values.allSatisfy { $0.holds == 1 })
  }
}
