// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import ProbeCore
import Testing
import LifetraceTrace

@Suite("Random lives against the model")
@MainActor
struct RandomWalkTests {
  @Test("In virtual time", arguments: 1...10 as ClosedRange<UInt64>)
  func virtual(seed: UInt64) throws {
    let walk = Walk(seed: seed, steps: 1000)
    let scenario = try Scenario(parsing: "app: probe\nsteps: []\n", file: "walk.yml")
    let simulator = Simulator(scenario) { ProbeDelegate() }
    var starts: [Int64] = []
    for (index, event) in walk.events.enumerated() {
      starts.append(simulator.now)
      for step in try Scenario(
        parsing: "app: probe\nsteps:\n- \(event.rawValue)\n- wait: 1s",
        file: ""
      ).steps {
        try simulator.play(step)
      }
      let (found, wanted) = (simulator.state(), walk.states[index])
      guard found == wanted else {
        Issue.record("seed \(seed), step \(index) \(event): state \(found), model \(wanted)")
        return
      }
    }
    let life = simulator.life
    let heard = life.streams.flatMap { stream in
      stream.events.filter { $0.kind == .callbackBegin }.map {
        Heard(time: $0.time.rawValue, name: life.names[life.names[$0.site].name])
      }
    }
    compare(walk, starts, heard, seed: seed)
    #expect(life.report.failures.isEmpty)
    #expect(life.violations.filter { $0.rule.hasPrefix("ST") }.isEmpty)
  }
}

/// A callback of a recording.
struct Heard {
  var time: Int64
  var name: String
}

/// Compares what was heard between the starts of steps with what the model says; reports the first difference.
func compare(_ walk: Walk, _ starts: [Int64], _ heard: [Heard], seed: UInt64) {
  let heard = heard.sorted { $0.time < $1.time }
  var place = 0
  for (index, event) in walk.events.enumerated() {
    let end = index + 1 < starts.count ? starts[index + 1] : .max
    var names: [String] = []
    while place < heard.count, heard[place].time < end {
      if let name = shortName(heard[place].name) { names.append(name) }
      place += 1
    }
    guard names == walk.expected[index] else {
      let before = walk.events[max(0, index - 8)...index].map(\.rawValue)
      Issue.record(
        "seed \(seed), step \(index) \(event): heard \(names), model \(walk.expected[index]) after \(before)"
      )
      return
    }
  }
}
