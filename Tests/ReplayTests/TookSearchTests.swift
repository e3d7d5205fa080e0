// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// A search for what took long passes over what cannot have, and still finds what a look at every end would.
@Suite struct TookSearchTests {
  /// Work, callbacks and tasks that begin and end at random, and by event how long that took which it ended; nil
  /// where its begin is not there.
  private struct World {
    private static let pairs: [(begin: EventKind, end: EventKind)] = [
      (.workBegin, .workEnd), (.callbackBegin, .callbackEnd), (.taskBegin, .taskEnd),
    ]

    var events = [Event(.processStart, at: HostTime(rawValue: 0))]
    /// By index of the event.
    var took: [Int: Int64?] = [:]

    init(seed: UInt64, count: Int, gap: Int?) {
      var random = SeededRandom(seed: seed)
      var open: [(pair: Int, identity: UInt64, time: Int64)] = []
      var ended: UInt64 = 1 << 40
      var (time, sequence) = (Int64(1_000), UInt64(0))
      for index in 1..<count {
        sequence += index == gap ? 4 : 1
        time += Int64.random(in: 0...40, using: &random)
        // Some arrive late, and keep their time.
        let own = random.below(8) == 0 ? time - 30 : time
        let pair = random.below(Self.pairs.count)
        var event = Event(
          Self.pairs[pair].begin,
          at: HostTime(rawValue: own),
          identity: UInt64(index)
        )
        if random.below(12) == 0 {
          // It says itself how long that took.
          let length = Int64.random(in: 0...4_000, using: &random)
          let said = Payload.NotificationHandled(type: .empty, key: .empty, took: length)
          event = Event(said, at: HostTime(rawValue: own))
          took[index] = length
        } else if !open.isEmpty, random.below(2) == 0 {
          let place = random.below(4) == 0 ? random.below(open.count) : open.count - 1
          let begun = open.remove(at: place)
          event.kind = Self.pairs[begun.pair].end
          event.identity = begun.identity
          took[index] = max(0, own - begun.time)
          ended = begun.identity
        } else if random.below(10) == 0 {
          event.kind = Self.pairs[pair].end
          // Also once more what has ended.
          event.identity = random.below(2) == 0 ? ended : 1 << 40
          took[index] = .some(nil)
        } else {
          open.append((pair, UInt64(index), own))
        }
        event.sequence = sequence
        events.append(event)
      }
    }

    func player(rows: Int) -> Player {
      let writer = MemorySource.Writer(
        id: WriterID(high: 1, low: 1),
        attributes: WriterAttributes(app: "notes"),
        events: events
      )
      return Player(Timeline(MemorySource([writer], names: Names(), rows: rows)))
    }
  }

  @Test(arguments: 0..<40)
  func findsWhatEveryEndSays(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var random = SeededRandom(seed: seed)
    // Events are missing on the way, right at the beginning, or nowhere.
    let gap = [60, 1, nil, nil][Int(round % 4)]
    let world = World(seed: seed, count: 160, gap: gap)
    let limit = Int64(random.below(round % 2 == 0 ? 400 : 4_000))
    let conditions: [(String, (Int64) -> Bool)] = [
      ("took > \(limit)ns", { $0 > limit }), ("took >= \(limit)ns", { $0 >= limit }),
      ("took == \(limit)ns", { $0 == limit }), ("took < \(limit)ns", { $0 < limit }),
      ("\(limit)ns < took", { $0 > limit }),
    ]
    for (text, holds) in conditions {
      for maybe in [false, true] {
        let player = world.player(rows: 16)
        let timeline = player.timeline
        let asking = Asking(try Question(text), player, aim: .condition(maybe: maybe))
        let filter = asking.filter
        let hits = world.events.indices.filter { index in
          guard let took = world.took[index] else { return false }
          // Of an end behind missing events the begin may be among those.
          guard let took else { return maybe && index >= gap ?? .max }
          return holds(took)
        }
        for ordinal in 0...timeline.count {
          let position = timeline.position(ordinal: ordinal)
          let (after, before) = (hits.first { $0 >= ordinal }, hits.last { $0 < ordinal })
          let comment: Comment = "\(text), maybe \(maybe), at \(ordinal), seed \(seed)"
          #expect(try timeline.find(filter, from: position, .forward)?.index == after, comment)
          #expect(try timeline.find(filter, from: position, .backward)?.index == before, comment)
        }
        withExtendedLifetime(player) {}
      }
    }
  }

  @Test func whatCannotHaveTakenSoLongIsNotLookedAt() throws {
    var state = LifeState()
    let names = Names()
    func time(_ seconds: Int64) -> HostTime { HostTime(rawValue: seconds * 1_000_000_000) }
    func isTooShort(_ text: String, _ kind: EventKind, to last: Int64) throws -> Bool {
      Evaluator(try Question(text))
        .tooShort(KindSet([kind]), from: time(50), to: time(last), after: state, names)
        .contains(kind)
    }
    state.apply(Event(.processStart, at: time(0)), names: names)
    state.apply(Event(.workBegin, at: time(10), identity: 1, sequence: 1), names: names)
    #expect(try isTooShort("took > 100s", .callbackEnd, to: 150))
    #expect(try !isTooShort("took > 100s", .callbackEnd, to: 151))
    #expect(try !isTooShort("took >= 100s", .callbackEnd, to: 150))
    // The work has been open for forty seconds already.
    #expect(try isTooShort("took > 100s", .workEnd, to: 110))
    #expect(try !isTooShort("took > 100s", .workEnd, to: 111))
    #expect(try isTooShort("thread == t3 && took > 100s", .workEnd, to: 110))
    #expect(try !isTooShort("thread == t3 || took > 100s", .workEnd, to: 110))
    #expect(try !isTooShort("took < 100s", .workEnd, to: 110))
    #expect(try !isTooShort("!(took > 100s)", .workEnd, to: 110))
    #expect(try !isTooShort("count spans > 9", .workEnd, to: 110))
    let evaluator = Evaluator(try Question("took > 100s"))
    #expect(evaluator.unsure(KindSet([.workBegin, .workEnd]), after: state) == KindSet())
    // Nobody knows when that began which ends behind missing events.
    state.apply(Event(.callbackBegin, at: time(49), identity: 2, sequence: 9), names: names)
    #expect(evaluator.unsure(KindSet([.workBegin, .workEnd]), after: state) == KindSet([.workEnd]))
  }

  @Test func whetherAnEndIsOfSomethingKnown() {
    var state = LifeState()
    state.apply(event(.workBegin, 1, 4), names: Names())
    func knows(_ events: [Event]) -> Bool {
      state.knowsBegins(ofEnds: KindSet([.workEnd, .taskEnd]), among: events.span)
    }
    #expect(knows([event(.workEnd, 1, 5)]))
    #expect(knows([event(.workBegin, 2, 5), event(.workEnd, 2, 6), event(.workEnd, 1, 7)]))
    #expect(!knows([event(.workEnd, 2, 5)]), "of another identity")
    #expect(!knows([event(.callbackBegin, 2, 5), event(.workEnd, 2, 6)]), "of another kind")
    #expect(!knows([event(.workEnd, 1, 5), event(.workEnd, 1, 6)]), "once more")
    #expect(!knows([event(.taskBegin, 3, 5), event(.taskEnd, 3, 6)]), "no span")
    #expect(knows([event(.callbackEnd, 9, 5)]), "not asked for")
  }

  private func event(_ kind: EventKind, _ identity: UInt64, _ sequence: UInt64) -> Event {
    Event(kind, at: HostTime(rawValue: 0), identity: identity, sequence: sequence)
  }
}
