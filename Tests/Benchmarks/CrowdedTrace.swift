// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceAssembly
import LifetraceTrace
import LifetraceTraceFile
import Support

/// An app's life laid over itself: as many writers as are asked for, all alive at the same time, each
/// with full chunks.
///
/// Each writer lives the same life a little later than the others, so that the ends of chunks lie
/// apart. The chunks of a moment stand together in the file, as a recorder writes them. They may talk: then
/// each tenth event is a send or a receive, and what is received was sent by another one before. A million
/// events take a tenth of a second; `LIFETRACE_BENCH_CACHE` names a directory in which traces are kept
/// for the next run, as `Scripts/bench.sh` does.
struct CrowdedTrace {
  /// Goes into the names of kept files: another recipe makes another number.
  private static let recipe = 1

  private let names: Names
  private let life: [Event]
  private let attributes: WriterAttributes
  /// Whether they send each other messages.
  private let talks: Bool
  /// Whether each lives on a machine of its own.
  private let hasClocks: Bool

  /// A life of so many events, of the first seed whose app lives that long.
  init(events count: Int, talks: Bool, hasClocks: Bool = false) throws {
    self.talks = talks
    self.hasClocks = hasClocks
    for seed in 1... as PartialRangeFrom<UInt64> {
      var day = DayOfAppLife(seed: seed)
      var life: [Event] = []
      while day.writers.count == 3, life.count < count {
        day.session { writer, event in
          if writer == 0 { life.append(copy event) }
        }
      }
      guard life.count >= count else { continue }
      (names, attributes) = (day.names, day.writers[0].attributes)
      self.life = Array(life.prefix(count))
      return
    }
    throw BenchmarkFailure(text: "no app lives for \(count) events")
  }

  /// The path of such a trace, written unless it is there from an earlier run.
  static func path(
    writers: Int,
    chunks: Int,
    rows: Int,
    talks: Bool = false,
    hasClocks: Bool = false,
    in directory: String
  ) throws -> String {
    let kept = getenv("LIFETRACE_BENCH_CACHE").map { String(cString: $0) }
    let kind = hasClocks ? "clocks" : talks ? "talks" : "crowd"
    let name = "\(kind)-\(recipe)-\(writers)-\(chunks)-\(rows).lifetrace"
    let path = "\(kept ?? directory)/\(name)"
    guard access(path, R_OK) != 0 else { return path }
    let part = path + ".part"
    unlink(part)
    try CrowdedTrace(events: chunks * rows, talks: talks, hasClocks: hasClocks)
      .write(to: part, writers: writers, rows: rows)
    guard rename(part, path) == 0 else { throw BenchmarkFailure(text: "cannot make \(path)") }
    return path
  }

  private func write(to path: String, writers: Int, rows: Int) throws {
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    let span = life[life.count - 1].time - life[0].time
    var random = SeededRandom(seed: 64)
    // A quarter of a life: then all of them live in its middle.
    let shifts = (0..<writers).map { _ in Int64(random.below(Int(span / 4))) }
    var streams = (0..<writers).map { _ in StreamAssembler() }
    for first in stride(from: 0, to: life.count, by: rows) {
      for number in 0..<writers {
        for sequence in first..<min(first + rows, life.count) {
          var event = message(at: sequence, of: number, shifts, &random) ?? life[sequence]
          event.time = life[sequence].time.advanced(by: shifts[number])
          event.sequence = UInt64(sequence)
          streams[number].append(event, names)
        }
        try writer.append(streams[number].seal(header(of: number, shifts[number]), names: names))
      }
    }
    try writer.finish(end: true)
  }

  /// What stands in the place of an event where they talk: each tenth is a message, sent and received in
  /// turns.
  ///
  /// What is received is the latest that another one, taken by chance, has sent; nil where it has not begun.
  private func message(
    at sequence: Int,
    of number: Int,
    _ shifts: [Int64],
    _ random: inout SeededRandom
  ) -> Event? {
    guard talks, shifts.count > 1 else { return nil }
    func flow(_ writer: Int, _ sequence: Int) -> UInt64 { UInt64(writer) << 32 | UInt64(sequence) }
    if sequence % 20 == 0 {
      return Event(.messageSend, at: life[sequence].time, identity: flow(number, sequence))
    }
    guard sequence % 20 == 10 else { return nil }
    let other = (number + 1 + random.below(shifts.count - 1)) % shifts.count
    let time = life[sequence].time.advanced(by: shifts[number] - shifts[other])
    var (low, high) = (0, life.count)
    while low < high {
      let middle = (low + high) / 2
      if life[middle].time < time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let sent = (low - 1) / 20 * 20
    return Event(.messageReceive, at: life[sequence].time, identity: flow(other, sent))
  }

  private func header(of number: Int, _ shift: Int64) -> ChunkHeader {
    var own = attributes
    own.app += ".\(number)"
    own.pid = UInt32(1_000 + number)
    if hasClocks { (own.host, own.boot) = ("host \(number)", "boot \(number)") }
    own.started = attributes.started.advanced(by: shift)
    return ChunkHeader(
      writer: WriterID(high: 64, low: UInt64(number)),
      attributes: own,
      firstSequence: 0,
      clocks: [ClockBracket(tick: 0, monotonic: 0, boottime: 0, real: 0)]
    )
  }
}
