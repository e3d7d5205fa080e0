// SPDX-License-Identifier: Apache-2.0
import Support
import Testing
import LifetraceTrace

@testable import LifetraceRecorder

/// The times that a recorder gives to ticks, over random histories of the machine's clocks.
@Suite struct ClockHistoryTests {
  private struct Emitted {
    var tick: UInt64
    var run: UInt32
    var truth: Int64
  }

  /// A recorder that looks at the clock every now and then, and what apps emit meanwhile.
  private struct Witness {
    var world: ClockWorld
    var clock: HostClock
    var emitted: [Emitted] = []
    /// The counter's restarts before this recorder.
    var kept: [ClockFit.Piece]
    var lastAnswer = HostTime(rawValue: 0)
    /// When it last looked, in truth.
    var lookedAt: Int64
    /// Since then the clocks have parted.
    var hasParted = false
    var parted: UInt32 = 0
    var epochsBefore: UInt32 = 0
    var told = 0
    var checked = 0

    init(seed: UInt64) {
      world = ClockWorld(seed: seed)
      let first = world.reading()
      world.pass(5_000_000)
      let second = world.reading()
      let fit = ClockFit(from: first, to: second)
      clock = HostClock(fit, usesCounter: true, second)
      kept = fit.pieces
      lookedAt = world.time
    }

    mutating func emit() {
      emitted.append(Emitted(tick: world.tick, run: world.run, truth: world.time))
    }

    /// Looks, and holds what was emitted since the last look against the truth.
    mutating func look(_ where: Comment) {
      var world = world
      let answer = clock.time(
        at: { (world.tick, world.time) },
        reading: { world.reading() }
      )
      self.world = world
      #expect(answer >= lastAnswer, `where`)
      #expect(abs(answer.rawValue - world.time) <= Self.drift(0), `where`)
      let steering = clock.takeSteering()
      kept += steering?.pieces ?? []
      if hasParted { #expect(steering?.isEpoch == true, `where`) }
      if steering?.isEpoch == true {
        told += 1
        #expect(abs(clock.realOffset - world.realAhead) <= Self.drift(0), `where`)
      }
      #expect(clock.fit.epoch + epochsBefore == parted, `where`)
      check(since: world.time - lookedAt, `where`)
      (lastAnswer, lookedAt, hasParted) = (answer, world.time, false)
    }

    /// What the clock drifts unseen, and how far off it may be before that is steered away.
    private static func drift(_ unseen: Int64) -> Int64 {
      2 * ClockFit.errorMaxNanoseconds + Int64(Double(unseen) * ClockFit.driftMax) + 4_000
    }

    private mutating func check(since unseen: Int64, _ where: Comment) {
      // Where the clocks have parted unseen, nobody knows when that was.
      let most = Self.drift(unseen) + (hasParted ? unseen : 0)
      var last = Int64(0)
      var run: UInt32 = 0
      for event in emitted {
        let time = clock.fit.time(of: event.tick, run: event.run).rawValue
        #expect(abs(time - event.truth) <= most, "\(time - event.truth) \(`where`)")
        // Runs meet as exactly as each of them is known.
        #expect(time >= last - (event.run == run ? 0 : Self.drift(unseen)), `where`)
        (last, run) = (time, event.run)
      }
      checked += emitted.count
      emitted = []
    }

    mutating func part(_ how: (inout ClockWorld) -> Void) {
      how(&world)
      hasParted = true
      parted += 1
    }

    /// The recorder is killed; another one goes on with what stands in the session's clock file.
    mutating func beAdopted() {
      epochsBefore += clock.fit.epoch
      let before = clock.fit
      let fit = ClockFit(pieces: ClockFit.standing(kept), isIdentity: false)
      guard let fit else { return #expect(Bool(false), "no pieces") }
      for tick in emitted.map(\.tick) + [before.seen] {
        #expect(fit.time(of: tick) == before.time(of: tick))
      }
      kept = fit.pieces
      clock = HostClock(fit, usesCounter: true, world.reading())
    }
  }

  @Test(arguments: 0..<12)
  func everyTickHasItsTime(index: Int) {
    for seed in 0..<UInt64(KillTests.scale) {
      let seed = SeededRandom.seed * 1_000_003 + UInt64(index) * 1_009 + seed
      history(seed: seed)
    }
  }

  private func history(seed: UInt64) {
    var witness = Witness(seed: seed)
    for step in 0..<400 {
      let place: Comment = "seed \(seed), step \(step)"
      // A recorder looks at least each 100 ms of the clock; apps emit at any time.
      for _ in 0..<(1 + witness.world.random.below(40)) {
        for _ in 0..<witness.world.random.below(4) {
          witness.world.pass(Int64(witness.world.random.below(25_000_000)))
          witness.emit()
        }
        witness.look(place)
      }
      let isStopped = witness.world.random.once(in: 8)
      if isStopped { pause(&witness) }
      happen(&witness)
      if isStopped { pause(&witness) }
      witness.world.pass(Int64(witness.world.random.below(100_000_000)))
      witness.emit()
      witness.look(place)
    }
    #expect(witness.checked > 5_000)
    #expect(witness.parted > 100)
  }

  /// The recorder stands still, and the apps do not.
  private func pause(_ witness: inout Witness) {
    for _ in 0..<30 {
      witness.world.pass(Int64(witness.world.random.below(100_000_000)))
      witness.emit()
    }
  }

  private func happen(_ witness: inout Witness) {
    let length = Int64(4 + witness.world.random.below(50_000)) * ClockWorld.second
    switch witness.world.random.below(7) {
    case 0: witness.part { $0.sleepLightly(length) }
    case 1: witness.part { $0.sleepDeeply(length) }
    case 2: witness.part { $0.move() }
    case 3, 4: witness.world.changeSlew()
    case 5: witness.world.setRealTime()
    default: witness.beAdopted()
    }
  }

  @Test func aSleepIsToldOnceHoweverLongTheRecordingGoesOn() {
    var witness = Witness(seed: 7)
    for _ in 0..<20 { witness.world.pass(90_000_000); witness.look("before") }
    witness.part { $0.sleepLightly(60 * ClockWorld.second) }
    for _ in 0..<3_000 { witness.world.pass(90_000_000); witness.look("after") }
    #expect(witness.told == 1)
    #expect(witness.clock.fit.epoch == 1)
  }

  @Test func aCounterThatBeginsAnewIsSteeredOnAndGoesNotBack() {
    var witness = Witness(seed: 8)
    for _ in 0..<20 { witness.world.pass(90_000_000); witness.look("before") }
    witness.part { $0.sleepDeeply(60 * ClockWorld.second) }
    for _ in 0..<3_000 { witness.world.pass(90_000_000); witness.emit(); witness.look("after") }
    #expect(witness.told == 1)
    #expect(witness.clock.fit.run == 1)
  }
}
