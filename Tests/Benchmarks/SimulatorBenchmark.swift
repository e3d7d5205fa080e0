// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import ProbeCore

/// Life in virtual time: an app that is used, suspended and woken, day in, day out.
func benchmarkSimulator(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let rounds = size == .small ? 200 : 20_000
  let text = """
    app: probe
    profile: ios7
    steps:
    - launch
    - repeat:
        times: \(rounds)
        steps: [{touch: save}, {touch: save}, {call: begin}, {call: end}, home, {wait: 1min},
          {post: {type: NSCurrentLocaleDidChange, value: sv_SE}}, {wake: fetch}, {wait: 10min}, open]
    """
  let scenario = try Scenario(parsing: text, file: "benchmark.yml")
  let (events, days, taken) = try MainActor.assumeIsolated {
    let simulator = Simulator(scenario) { ProbeDelegate() }
    let start = now()
    for step in scenario.steps { try simulator.play(step) }
    let taken = Double(now() - start)
    return (simulator.eventCount, Double(simulator.now) / 86.4e12, taken)
  }
  let rate = Double(events) / taken * 1000
  return [
    BenchmarkRow(
      "virtual life-cycle events a second",
      "\(fixed(rate, 2)) M",
      peer: "\(fixed(days, 1)) days in \(fixed(taken / 1e9, 2)) s",
      target: "at least 1 M",
      reached: rate >= 1
    )
  ]
}
