// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceProcessWorld
import LifetraceRecorder

/// What a step of a scenario costs the host on a real process, launches apart.
func benchmarkHostSteps(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let rounds = size == .small ? 5 : 500
  let directory = try BenchmarkDirectory()
  let scenario = try Scenario(parsing: "app: probe\nsteps: []\n", file: "steps.yml")
  var options = RecorderOptions(output: directory.path + "/steps.lifetrace")
  ScenarioHost.prepare(&options, for: scenario)
  let recorder = try Recorder(options)
  try recorder.start()
  let program = try siblingProgram("Probe")
  let host = try ScenarioHost(scenario: scenario, command: [program], recorder: recorder)
  let text = "app: probe\nsteps: [launch, {call: begin}, {call: end}, {touch: a}, {tell: {x: y}}]"
  let steps = try Scenario(parsing: text, file: "steps.yml").steps
  try host.play(steps[0])
  var samples: [Double] = []
  for _ in 0..<rounds {
    for step in steps.dropFirst() {
      let start = now()
      try host.play(step)
      samples.append(Double(now() - start))
    }
  }
  host.close()
  _ = try recorder.stop()
  let middle = median(samples) / 1e6
  return [
    BenchmarkRow(
      "a scenario step on a real process, median",
      "\(fixed(middle, 3)) ms",
      target: "under 1 ms",
      reached: middle < 1
    )
  ]
}

/// A program that was built beside this one.
private func siblingProgram(_ name: String) throws -> String {
  var path = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &path, path.count)
  let own = String(
    decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) },
    as: UTF8.self
  )
  let folder = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
  let program = "\(folder)/\(name)"
  guard access(program, X_OK) == 0 else {
    throw HostError("\(program) is not built: swift build -c release --product Probe")
  }
  return program
}
