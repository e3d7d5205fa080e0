// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support

/// Walking recordings of many processes that live at the same time: steps, `goto`, `list`, `ps`, and
/// the memory of it.
///
/// `LIFETRACE_BENCH_WRITERS` names other counts than the usual ones: `64` or `64,1024`.
func benchmarkWriters(_ size: BenchmarkSize, show: (BenchmarkRow) -> Void) throws {
  let directory = try BenchmarkDirectory()
  let asked = getenv("LIFETRACE_BENCH_WRITERS").map { String(cString: $0) }
  let counts =
    asked.map { $0.split(separator: ",").compactMap { Int($0) } }
    ?? (size == .small ? [1, 9, 65] : [1, 32, 63, 64, 65, 257, 1_024])
  for count in counts {
    let path = try CrowdedTrace.path(
      writers: count,
      chunks: 4,
      rows: size == .small ? 64 : 16_384,
      in: directory.path
    )
    try walk(path, writers: count, jumps: size == .small ? 20 : 1_000).forEach(show)
  }
}

private func walk(_ path: String, writers count: Int, jumps: Int) throws -> [BenchmarkRow] {
  let output = path + ".walk"
  defer { unlink(output) }
  _ = try run([ownPath(), WalkChild.flag, path, "\(jumps)"], output: output)
  let figures = try Figures(of: output)
  let size = Double(count) / 64
  /// What may take as long for each writer beyond 64 as for each of those.
  func linear(_ limit: Double) -> Double { limit * max(1, size) }
  let writers = count == 1 ? "1 writer" : "\(count) writers"
  var rows = [BenchmarkRow("\(writers): open", "\(fixed(figures.p50("open"), 1)) ms")]
  for (name, what) in [("step", "step"), ("back", "step back")] {
    let (p50, p99, most) = try figures.all(name)
    rows.append(
      BenchmarkRow(
        "\(writers): \(what), p50 / p99 / max",
        "\(fixed(p50, 1)) / \(fixed(p99, 1)) us",
        peer: "at most \(fixed(most / 1e3, 1)) ms",
        target: "p99 2 ms",
        reached: p99 <= 2_000
      )
    )
  }
  let jump = try figures.all("goto")
  // At 1,024: 200 ms.
  let (p50, p99) = (linear(10) * (count > 512 ? 1.25 : 1), linear(20))
  rows.append(
    BenchmarkRow(
      "\(writers): goto, p50 / p99",
      "\(fixed(jump.p50, 1)) / \(fixed(jump.p99, 1)) ms",
      target: "\(fixed(p50, 0)) / \(fixed(p99, 0)) ms",
      reached: jump.p50 <= p50 && jump.p99 <= p99
    )
  )
  let cold = try figures.all("cold")
  rows.append(
    BenchmarkRow(
      "\(writers): goto, nothing in memory, p50 / max",
      "\(fixed(cold.p50, 1)) / \(fixed(cold.most, 1)) ms",
      target: "\(fixed(linear(50), 0)) ms",
      reached: cold.most <= linear(50)
    )
  )
  let limit = count <= 64 ? 10 : min(50, linear(10))
  for (name, what) in [("list", "list 20"), ("ps", "ps, a step on"), ("ps-first", "ps, first")] {
    let (p50, _, most) = try figures.all(name)
    rows.append(
      BenchmarkRow(
        "\(writers): \(what), p50 / max",
        "\(fixed(p50, 1)) / \(fixed(most, 1)) ms",
        target: name == "ps-first" ? "" : "p50 \(fixed(limit, 0)) ms",
        reached: name == "ps-first" ? nil : p50 <= limit
      )
    )
  }
  let megabytes = figures.p50("memory")
  let memory = count <= 64 ? 120.0 : 256.0
  rows.append(
    BenchmarkRow(
      "\(writers): memory of all that",
      "\(fixed(megabytes, 0)) MB",
      target: "\(fixed(memory, 0)) MB",
      reached: megabytes <= memory
    )
  )
  return rows
}

/// What a ``WalkChild`` has printed.
private struct Figures {
  private var lines: [String: [Double]] = [:]

  init(of path: String) throws {
    guard let file = fopen(path, "r") else { throw BenchmarkFailure(text: "no \(path)") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
        as: UTF8.self
      )
      let words = text.split { $0 == " " || $0 == "\n" }
      guard let name = words.first else { continue }
      lines[String(name)] = words.dropFirst().compactMap { Double($0) }
    }
  }

  func p50(_ name: String) -> Double { lines[name]?.first ?? 0 }

  func all(_ name: String) throws -> (p50: Double, p99: Double, most: Double) {
    guard let found = lines[name], found.count == 3 else {
      throw BenchmarkFailure(text: "the walk printed nothing of \(name)")
    }
    return (found[0], found[1], found[2])
  }
}
