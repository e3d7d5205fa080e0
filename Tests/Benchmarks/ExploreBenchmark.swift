// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceExplore
import LifetraceScenario
import LifetraceTesting
import NotesCore
import ProbeCore

/// Ends at every point of a life, in virtual time: ten thousand points of an app that saves, and the
/// sample app.
@MainActor
private func exploring(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  // Where the apps save; they are told by the environment.
  let folder = try BenchmarkDirectory()
  setenv("LIFETRACE_DATA", folder.path, 1)
  defer { withExtendedLifetime(folder) { _ = unsetenv("LIFETRACE_DATA") } }
  let rounds = size == .small ? 2 : 1_430
  let saves = try Scenario(
    parsing: """
      app: probe
      steps:
      - launch
      - repeat: {times: \(rounds), steps: [{tell: {save: A}}, {wait: 1s}]}
      - home
      - suspend
      """,
    file: "benchmark.yml"
  )
  let lostEdit = try Scenario(
    parsing: """
      app: notes
      steps:
      - launch
      - tell: {edit: "Dear diary, today I lost nothing."}
      - home
      - purge
      - relaunch
      """,
    file: "lost-edit.yml"
  )
  var start = now()
  let many = try explore(saves) { ProbeDelegate() }
  let taken = Double(now() - start)
  // Each has a moment of its own: an event is one point, and but one thing ends it there.
  let points = Set(many.exploration.cases.map(\.point)).count
  precondition(points == many.playedCount, "\(points) points, \(many.playedCount) ends")
  start = now()
  let sample = try explore(lostEdit) { NotesDelegate(options: .init()) }
  let sampleTaken = Double(now() - start)
  precondition(sample.failures.map(\.rule) == ["DS02"], "\(sample)")
  return [
    BenchmarkRow(
      "virtual ends at \(points) points of a life that saves \(rounds) times",
      "\(fixed(taken / 1e9, 1)) s",
      peer: "\(fixed(taken / 1e6 / Double(max(1, points)), 2)) ms each",
      target: size == .large ? "10,000 in 60 s" : "",
      reached: size == .large ? points >= 10_000 && taken <= 60e9 : nil
    ),
    BenchmarkRow(
      "the sample, at \(sample.playedCount) points, with its smallest scenario",
      "\(fixed(sampleTaken / 1e9, 2)) s",
      target: "1 s",
      reached: size == .large ? sampleTaken <= 1e9 : nil
    ),
  ]
}

func benchmarkExplore(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  try MainActor.assumeIsolated { try exploring(size) }
}
