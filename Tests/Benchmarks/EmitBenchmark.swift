// SPDX-License-Identifier: Apache-2.0
import Drain
import Glibc
import Lifetrace

/// What an event costs the app that emits it, beside one read of the counter.
///
/// The app is this program once more (``EmitChild``), below a session that this
/// process drains; and once below none.
func benchmarkEmit(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let on = try runEmitChild(size, recorded: true)
  let off = try runEmitChild(size, recorded: false)
  let clock = on["rdtsc"] ?? .nan
  func row(_ what: String, _ key: String, most: Double, _ words: String) -> BenchmarkRow {
    let value = on[key] ?? .nan
    return BenchmarkRow(
      what,
      "\(fixed(value)) ns, \(fixed(value / clock, 2)) x",
      peer: "rdtsc \(fixed(clock)) ns",
      target: words,
      reached: value <= most * clock
    )
  }
  let tail = on["p999"] ?? .nan
  let ratio = (on["two"] ?? .nan) / (on["one"] ?? .nan)
  let disabled = off["emit"] ?? .nan
  let plain = on["plain"] ?? .nan
  let traced = on["traced"] ?? .nan
  return [
    row("emit, 3 arguments, Swift", "emit", most: 1.3, "at most 1.3 x rdtsc"),
    row("span by closure", "span", most: 2.4, "at most 2.4 x rdtsc"),
    BenchmarkRow(
      "emit, 8 threads, single calls, p99.9",
      "\(fixed(tail)) ns",
      peer: "p50 \(fixed(on["p50"] ?? .nan)) ns",
      target: "under 1000 ns",
      reached: tail < 1000
    ),
    BenchmarkRow(
      "emit, two threads against one",
      "\(fixed(ratio, 3)) x",
      peer: "one \(fixed(on["one"] ?? .nan)) ns",
      target: "at most 1.15 x",
      reached: ratio <= 1.15
    ),
    BenchmarkRow(
      "overhead on a program that counts words",
      "\(fixed((traced / plain - 1) * 100, 2)) %",
      peer: "\(fixed(2e9 / traced, 0)) events/s",
      target: "at most 1 % at 100,000 events/s",
      reached: traced <= 1.01 * plain
    ),
    BenchmarkRow(
      "emit, nobody records",
      "\(fixed(disabled, 2)) ns",
      peer: "empty loop \(fixed(off["loop"] ?? .nan, 2)) ns",
      target: "at most 1 ns",
      reached: disabled <= 1
    ),
    BenchmarkRow(
      "events lost while measuring",
      fixed(on["dropped"] ?? .nan, 0),
      peer: "of \(fixed(on["records"] ?? .nan, 0))"
    ),
  ]
}

struct EmitError: Error {
  var what: String
}

/// Runs the child and drains it; its measurements by name.
private func runEmitChild(_ size: BenchmarkSize, recorded: Bool) throws -> [String: Double] {
  var template = Array("/dev/shm/lifetrace-bench-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw EmitError(what: "no directory in /dev/shm") }
  let directory = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  guard let directory,
    drain_session_make(directory, LT_CLOCK_COUNTER.rawValue, 0, 0, 64 << 20)
  else { throw EmitError(what: "no session") }
  defer {
    for name in files(of: directory) { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  let (child, output) = try spawnEmitChild(
    "/proc/self/exe",
    size == .small ? "small" : "large",
    environment: recorded ? ["LIFETRACE_SESSION=\(directory)"] : []
  )

  var pool: OpaquePointer?
  var records = 0.0
  var status: Int32 = 0
  var ended = false
  let room = [drain_record](repeating: drain_record(), count: 1 << 17)
  try room.withUnsafeBufferPointer { buffer in
    let storage = UnsafeMutablePointer(mutating: buffer.baseAddress)
    while true {
      if pool == nil, let name = files(of: directory).first(where: isPool) {
        pool = drain_open("\(directory)/\(name)")
      }
      var taken = 0
      if let pool { taken = drain_take(pool, storage, buffer.count) }
      records += Double(taken)
      if ended, taken == 0 { break }
      if taken == 0 { usleep(500) }
      if !ended { ended = waitpid(child, &status, WNOHANG) == child }
    }
    guard status == 0 else { throw EmitError(what: "the child ended with \(status)") }
  }
  var results = parseResults(readAll(output))
  results["records"] = records
  if let pool {
    results["dropped"] = Double(drain_dropped_total(pool))
    drain_close(pool)
  }
  return results
}

private func isPool(_ name: String) -> Bool { name.hasPrefix("pool-") && !name.hasSuffix(".tmp") }

private func files(of directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
    )
  }
  return names
}
