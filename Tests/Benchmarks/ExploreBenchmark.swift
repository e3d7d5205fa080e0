// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceExplore
import LifetraceScenario
import LifetraceTesting
import NotesCore

/// A day with the sample app, mended.
///
/// The user types, and leaves: what was typed is saved on the way to the background, under a background
/// task, and is dirty until then. Changes wait while it is suspended.
private func day(sessions: Int) -> String {
  var lines = ["app: notes", "steps:", "- launch"]
  for session in 1...sessions {
    lines += [
      "- repeat: {times: 40, steps: [{tell: {edit: \"Dear diary, session \(session)\"}}, {wait: 100ms}]}",
      "- interrupt: {reason: alert, phase: begin}", "- interrupt: {reason: alert, phase: end}",
      "- home", "- suspend",
      "- post: {type: NSSystemTimeZoneDidChangeNotification, value: zone-\(session)}",
      "- post: {type: NSCurrentLocaleDidChangeNotification, value: locale-\(session)}", "- open",
    ]
  }
  return lines.joined(separator: "\n")
}

private let lostEdit = """
  app: notes
  steps:
  - launch
  - tell: {edit: "Dear diary, today I lost nothing."}
  - home
  - purge
  - relaunch
  """

/// Ends at every point of a life, in virtual time: ten thousand points of a day with the sample app, and
/// the edit that it loses.
@MainActor
private func exploring(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let sessions = size == .small ? 1 : 25
  let long = try Scenario(parsing: day(sessions: sessions), file: "benchmark.yml")
  let short = try Scenario(parsing: lostEdit, file: "lost-edit.yml")
  var start = now()
  let many = try explore(long) { NotesDelegate(options: .init(fixed: true)) }
  let taken = Double(now() - start)
  // Each has a moment of its own: an event is one point, and but one thing ends it there.
  let points = Set(many.exploration.cases.map(\.point)).count
  precondition(points == many.playedCount && many.failures.isEmpty, "\(many)")
  start = now()
  let sample = try explore(short) { NotesDelegate(options: .init()) }
  let sampleTaken = Double(now() - start)
  precondition(sample.failures.map(\.rule) == ["DS02"], "\(sample)")
  return [
    BenchmarkRow(
      "virtual ends at \(points) points of a day with \(sessions) saves",
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

/// The same edit of real processes, ended at each point by `lifetrace explore`.
private func exploringProcesses() throws -> BenchmarkRow {
  let folder = try BenchmarkDirectory()
  let scenario = folder.path + "/lost-edit.yml"
  guard let file = fopen(scenario, "w") else {
    throw BenchmarkFailure(text: "cannot write \(scenario)")
  }
  fputs(lostEdit + "\n", file)
  fclose(file)
  let notes = lifetrace().split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/notes"
  let start = now()
  _ = try run([lifetrace(), "explore", scenario, "--", notes])
  let taken = Double(now() - start)
  return BenchmarkRow(
    "the sample, at its points, on real processes",
    "\(fixed(taken / 1e9, 1)) s",
    target: "30 s",
    reached: taken <= 30e9
  )
}

func benchmarkExplore(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let rows = try MainActor.assumeIsolated { try exploring(size) }
  return size == .large ? rows + [try exploringProcesses()] : rows
}
