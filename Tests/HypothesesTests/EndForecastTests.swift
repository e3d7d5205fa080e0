// SPDX-License-Identifier: Apache-2.0
import LifetraceExplore
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceHypotheses
@testable import LifetraceTesting

/// What an end is said to lose is what it loses: random lives are ended behind each of their events,
/// and launched again.
///
/// Eight lives, or LIFETRACE_TEST_SCALE times as many (125 makes it 1,000); LIFETRACE_SEED is the first
/// seed, and a failure names its own.
@Suite @MainActor struct EndForecastTests {
  private static let lives =
    8 * (environment("LIFETRACE_TEST_SCALE").flatMap { UInt64($0) } ?? 1)

  /// What became of the newest version of an object, by what was played.
  private struct Played: Equatable {
    var version: UInt64
    var bytes: UInt64
    var isLost: Bool
    /// The version that was there.
    var found: UInt64
  }

  @Test("A purge at each event loses what was foretold there")
  func purges() throws { try check(.purge, at: .kernel) }

  @Test("A restart of the device loses all that was foretold, and nothing that was called kept")
  func powerCuts() throws { try check(.reboot, at: .disk) }

  @Test("Where events are missing, what they may hold is unknown")
  func losses() throws {
    var names = Names()
    let draft = names.intern("draft")
    var state = LifeState()
    let name = UInt64(draft.rawValue)
    state.apply(Self.event(.processStart, 0, [0, 0]), names: names)
    var dirty = Self.event(.dataDirty, 1, [1, 10, 0])
    dirty.identity = name
    state.apply(dirty, names: names)
    #expect(EndForecast(state, at: .kernel).objects.map(\.fate) == [.lost])
    state.lose(FamilySet(.data), count: 3, since: HostTime(rawValue: 1))
    let forecast = EndForecast(state, at: .kernel)
    #expect(forecast.objects.map(\.fate) == [.unknown(.lost(3, .data))])
    #expect(forecast.objects.first?.leaves == nil && forecast.doubt == .lost(3, .data))
  }

  @Test("A version that was lost before is not lost again by the edit that has counted on below it")
  func countedAnew() throws {
    var names = Names()
    let draft = names.intern("draft")
    func data(_ kind: EventKind, _ number: UInt64, version: UInt64) -> Event {
      var event = Self.event(kind, number, [version, 10 * version, 0])
      event.identity = UInt64(draft.rawValue)
      return event
    }
    var before = LifeState()
    before.apply(Self.event(.processStart, 0, [0, 0]), names: names)
    before.apply(data(.dataDirty, 1, version: 3), names: names)
    var state = LifeState()
    state.beginIncarnation(after: before, names: names)
    state.apply(Self.event(.processStart, 0, [0, 0]), names: names)
    #expect(EndForecast(state, at: .kernel).objects.map(\.version) == [3])
    state.apply(data(.dataDirty, 1, version: 2), names: names)
    let lost = try #require(EndForecast(state, at: .kernel).losses.first)
    #expect(lost.version == 2 && lost.bytes == 20 && lost.fate == .lost)
  }

  private static func event(_ kind: EventKind, _ number: UInt64, _ values: [UInt64]) -> Event {
    var event = Event(
      kind,
      at: HostTime(rawValue: Int64(number)),
      argumentCount: UInt8(values.count),
      sequence: number
    )
    for (index, value) in values.enumerated() { event[index] = value }
    return event
  }

  private func check(_ act: ScriptedEnd.Act, at level: DurabilityLevel) throws {
    var counts = (ends: 0, lost: 0, kept: 0, open: 0)
    for seed in SeededRandom.seed..<(SeededRandom.seed + Self.lives) {
      let scenario = try Scenario(parsing: Self.life(seed), file: "seed-\(seed).yml").flattened
      var stage = VirtualStage(
        makers: scenario.apps.map { app in
          .init(configuration: .init(bundleIdentifier: app.name), delegate: { KeepingApp() })
        },
        project: ProjectRules(profile: .standard)
      )
      let life = try stage.play(scenario)
      let forecasts = forecasts(of: life, at: level)
      for point in life.points() {
        guard
          let variant = Variant(scenario, life.report.starts, point, act, endsWithStep: true)
        else { continue }
        let ended = try stage.play(variant.scenario)
        let next = ended.report.starts.indices.filter { $0 > variant.start }.first
        guard let next, let dead = ended.streamOfStart[variant.start],
          let launch = ended.streamOfStart[next]
        else {
          Issue.record("seed \(seed): nothing was launched behind \(point.text)")
          continue
        }
        counts.ends += 1
        let truth = Self.truth(ended, dead, launch)
        let forecast = try #require(forecasts[point.stream]?[point.sequence])
        for object in forecast.objects {
          let name = life.names[object.name]
          // What an end before has left, and this process has not looked at.
          guard let played = truth[name] else {
            #expect(object.fate != .lost, "seed \(seed): \(name) at \(point.text)")
            continue
          }
          let place = "\(point.label):\(point.sequence) (\(point.text))"
          let what: Comment = "seed \(seed): \(name) at \(place): \(object), \(played)"
          switch object.fate {
          case .lostBefore: continue
          case .lost:
            counts.lost += 1
            #expect(played.isLost, what)
          case .kept:
            counts.kept += 1
            #expect(!played.isLost, what)
          case .otherBytes: Issue.record("no save of this app writes other bytes: \(what)")
          case .open, .unknown: counts.open += 1
          }
          if object.fate == .lost {
            #expect(object.version == played.version && object.bytes == played.bytes, what)
          }
          if let leaves = object.leaves { #expect(leaves == played.found, what) }
        }
        // Nothing is lost of which nothing was said.
        let named = Set(forecast.objects.map { life.names[$0.name] })
        #expect(truth.filter { $0.value.isLost }.keys.allSatisfy(named.contains), "seed \(seed)")
      }
    }
    print("seed \(SeededRandom.seed): \(counts.ends) ends: \(counts)")
    #expect(counts.lost > counts.ends / 10 && counts.kept > counts.ends / 100, "\(counts)")
    // What is open is said to be so, and must not become the way to be right.
    #expect(counts.open < counts.lost + counts.kept, "\(counts)")
  }

  /// By stream and sequence number: what is foretold behind each event of the undisturbed life.
  private func forecasts(of life: StagedLife, at level: DurabilityLevel)
    -> [Int: [UInt64: EndForecast]]
  {
    var out: [Int: [UInt64: EndForecast]] = [:]
    var before: LifeState?
    for stream in life.streamOfStart.compactMap({ $0 }) {
      var state = LifeState()
      if let before { state.beginIncarnation(after: before, names: life.names) }
      for event in life.writers[stream].events {
        state.apply(event, names: life.names)
        out[stream, default: [:]][event.sequence] = EndForecast(state, at: level)
      }
      before = state
    }
    return out
  }

  /// What was in memory when the process ended, and what the launch behind it found: by the events
  /// alone, without the ledger.
  private static func truth(_ life: StagedLife, _ dead: Int, _ launch: Int) -> [String: Played] {
    var newest: [NameID: (version: UInt64, bytes: UInt64, hash: UInt64)] = [:]
    var found: [NameID: (version: UInt64, hash: UInt64)] = [:]
    for event in life.writers[dead].events where event.kind == .dataRestored {
      let restored = Payload.DataRestored(event)
      newest[restored.object] = (restored.version, restored.bytes, restored.hash)
    }
    for event in life.writers[dead].events {
      switch event.kind {
      case .dataDirty:
        let dirty = Payload.DataDirty(event)
        newest[dirty.object] = (dirty.version, dirty.bytes, dirty.hash)
      case .dataDiscarded:
        // Nobody wants it back.
        newest[Payload.DataDiscarded(event).object] = nil
      default: continue
      }
    }
    for event in life.writers[launch].events where event.kind == .dataRestored {
      let restored = Payload.DataRestored(event)
      guard found[restored.object] == nil else { continue }
      found[restored.object] = (restored.version, restored.hash)
    }
    var out: [String: Played] = [:]
    for (object, newest) in newest {
      let there = found[object] ?? (0, 0)
      let isThere = there.version >= newest.version || newest.hash != 0 && there.hash == newest.hash
      out[life.names[object]] = Played(
        version: newest.version,
        bytes: newest.bytes,
        isLost: !isThere,
        found: there.version
      )
    }
    return out
  }

  /// A scenario made of a seed: edits and saves in front and in the background, and ends.
  static func life(_ seed: UInt64) -> String {
    var random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15)
    var steps = ["launch"]
    var isInFront = true
    for number in 0..<(5 + random.below(8)) {
      switch random.below(isInFront ? 9 : 4) {
      case 0 where !isInFront:
        steps.append("open")
        isInFront = true
      case 1 where !isInFront:
        steps += ["suspend", random.once(in: 2) ? "purge" : "kill", "relaunch"]
        isInFront = true
      case 0 where isInFront:
        steps.append("home")
        isInFront = false
      case 2 where !isInFront, 3 where !isInFront:
        steps.append("wait: \(1 + random.below(5))s")
      default:
        let verb = KeepingApp.verbs[random.below(KeepingApp.verbs.count)]
        let object = KeepingApp.objects[random.below(KeepingApp.objects.count)]
        let text = String(repeating: "x", count: random.below(9)) + "\(number)"
        steps.append("tell: {\(verb)-\(object): \"\(text)\"}")
      }
    }
    return "app: keeper\nsteps:\n" + steps.map { "  - \($0)\n" }.joined()
  }
}
