// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import Testing
import LifetraceTrace

/// The keyframe is the fold: to read one and go on is to have folded from the start.
@Suite struct KeyframeTests {
  @Test(arguments: 0..<8)
  func cuttingAnywhereChangesNothing(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1000 &+ round
    var source = StrangeEvents(seed: seed)
    let events = source.next(400)
    var names = source.names
    var whole = LifeState()
    var prefixes = [whole]
    for event in events {
      whole.apply(event, names: names)
      prefixes.append(whole)
    }
    for cut in 0...events.count {
      let bytes = prefixes[cut].encode(names: names)
      var state = try LifeState(decoding: bytes, names: &names)
      #expect(state == prefixes[cut], "seed \(seed), cut at \(cut)")
      #expect(state.encode(names: names) == bytes, "seed \(seed), cut at \(cut)")
      if cut % 20 == 0 {
        for event in events[cut...] { state.apply(event, names: names) }
        #expect(state == whole, "seed \(seed), cut at \(cut)")
      }
    }
  }

  @Test func aKeyframeCarriesItsStrings() throws {
    var source = StrangeEvents(seed: 3)
    let events = source.next(600)
    var state = LifeState()
    for event in events { state.apply(event, names: source.names) }
    let bytes = state.encode(names: source.names)
    var fresh = Names()
    let again = try LifeState(decoding: bytes, names: &fresh)
    #expect(again.data.count == state.data.count)
    for object in state.data.values {
      let name = source.names[object.name]
      let id = try #require(fresh.find(name))
      let other = try #require(again.data[id])
      #expect(other.durable == object.durable)
      #expect(other.dirty?.time == object.dirty?.time)
    }
  }

  @Test(arguments: 0..<20)
  func damageIsAnErrorAndNeverACrash(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 77 &+ round
    var random = SeededRandom(seed: seed)
    var source = StrangeEvents(seed: seed)
    var state = LifeState()
    for event in source.next(200) { state.apply(event, names: source.names) }
    let bytes = state.encode(names: source.names)
    for cut in bytes.indices {
      var names = Names()
      #expect(throws: ChunkDamage.self) {
        try LifeState(decoding: Array(bytes[..<cut]), names: &names)
      }
    }
    for _ in 0..<200 {
      var broken = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8(
          truncatingIfNeeded: random.next()
        )
      }
      var names = Names()
      if let read = try? LifeState(decoding: broken, names: &names) {
        _ = read.encode(names: names)
      }
    }
  }

  @Test func anotherVersionIsRefused() {
    var names = Names()
    var bytes = LifeState().encode(names: names)
    bytes[0] &+= 1
    let damage = #expect(throws: ChunkDamage.self) {
      try LifeState(decoding: bytes, names: &names)
    }
    #expect(damage?.found == UInt64(LifeState.foldVersion + 1))
    #expect(damage?.expected == "6 or 8")
  }

  /// A keyframe of some megabytes can hold a million sites; only those that the state uses are kept.
  @Test func whatTheStateDoesNotUseIsNotKept() throws {
    let plain = LifeState().encode(names: Names())
    let forged = try #require(KeyframeForge.adding(sites: 100_000, to: plain))
    var names = Names()
    let state = try LifeState(decoding: forged, names: &names)
    #expect(names.sites.count == 1 && names.strings.count == 1)
    #expect(state.encode(names: names) == plain)
  }

  @Test func aSiteHasNoMoreLabelsThanThereMayBe() throws {
    let plain = LifeState().encode(names: Names())
    var names = Names()
    let most = try #require(KeyframeForge.adding(sites: 1, labels: Chunk.labelsMax, to: plain))
    _ = try LifeState(decoding: most, names: &names)
    let more = try #require(KeyframeForge.adding(sites: 1, labels: Chunk.labelsMax + 1, to: plain))
    #expect(throws: ChunkDamage.self) { try LifeState(decoding: more, names: &names) }
  }
}
