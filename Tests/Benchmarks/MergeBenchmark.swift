// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support

/// `merge` of many processes that live at the same time, where each tenth event is a message.
///
/// As it copies, in the order of all, and that order event by event; each is a whole program, from its start
/// to its end.
func benchmarkMerge(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let directory = try BenchmarkDirectory()
  let counts = size == .small ? [3] : [64, 1_024]
  return try counts.flatMap { writers in
    let rows = size == .small ? 64 : 16_384
    // A hundred million events of the many.
    let chunks = writers > 64 ? 6 : 4
    let path = try CrowdedTrace.path(
      writers: writers,
      chunks: chunks,
      rows: rows,
      talks: true,
      in: directory.path
    )
    let events = writers * chunks * rows
    let merge = [lifetrace(), "merge", "-f", "-o", directory.path + "/merged"]
    let copied = try Figures(merge + [path], events: events)
    let ordered = try Figures(merge + ["--ordered", path], events: events)
    let walked = try Figures(
      [ownPath(), OrderChild.flag, directory.path + "/merged", "\(events)"],
      events: events
    )
    let least = writers > 64 ? 5.0 : 10.0
    func row(_ what: String, _ figures: Figures) -> BenchmarkRow {
      BenchmarkRow(
        "\(writers) writers: \(what)",
        "\(fixed(figures.rate, 1)) M/s, \(fixed(figures.megabytes, 0)) MB",
        peer: "copied \(fixed(copied.rate, 1)) M/s, \(fixed(copied.megabytes, 0)) MB",
        target: "\(fixed(least, 0)) M/s, 256 MB",
        reached: size == .small ? nil : figures.rate >= least && figures.megabytes <= 256
      )
    }
    return [row("merge --ordered", ordered), row("its events in the order of all", walked)]
  } + benchmarkClocks(size, in: directory.path)
}

/// The same where each lives on a machine of its own, so that messages bound clocks.
///
/// `LIFETRACE_BENCH_CLOCKS` names other counts than the usual ones: `64` or `64,1024`.
private func benchmarkClocks(_ size: BenchmarkSize, in folder: String) throws -> [BenchmarkRow] {
  let asked = getenv("LIFETRACE_BENCH_CLOCKS").map { String(cString: $0) }
  let counts =
    asked.map { $0.split(separator: ",").compactMap { Int($0) } }
    ?? (size == .small ? [3] : [64, 1_024])
  return try counts.flatMap { clocks in
    let rows = size == .small ? 64 : 4_096
    let chunks = 4
    let path = try CrowdedTrace.path(
      writers: clocks,
      chunks: chunks,
      rows: rows,
      talks: true,
      hasClocks: true,
      in: folder
    )
    let events = clocks * chunks * rows
    let merge = [lifetrace(), "merge", "-f", "-o", folder + "/merged", "--ordered", path]
    let ordered = try Figures(merge, events: events)
    let dumped = try Figures([lifetrace(), "dump", path], events: events)
    func row(_ what: String, _ figures: Figures) -> BenchmarkRow {
      BenchmarkRow(
        "\(clocks) clocks: \(what)",
        "\(fixed(figures.rate, 2)) M/s, \(fixed(figures.megabytes, 0)) MB",
        target: "256 MB",
        reached: size == .small ? nil : figures.megabytes <= 256
      )
    }
    return [row("merge --ordered", ordered), row("dump", dumped)]
  }
}

/// What a program needed for so many events.
private struct Figures {
  /// Millions of events for a second of processor time.
  var rate: Double
  /// The most that it has had in memory.
  var megabytes: Double

  init(_ command: [String], events: Int) throws {
    let (kibibytes, processor) = try run(command)
    rate = Double(events) / processor / 1e6
    megabytes = Double(kibibytes) / 1_024
  }
}
