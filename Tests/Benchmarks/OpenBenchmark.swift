// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import Support
import LifetraceTrace
import LifetraceTraceFile

/// Opening a large trace, with its index and without, and going to any of its events.
///
/// The trace repeats the chunks of a day under new sequence numbers: opening and going somewhere
/// do not depend on what the events say.
func benchmarkOpen(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = size == .small ? 1_000_000 : 100_000_000
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/large.lifetrace"
  let indexBytes = try writeLarge(path, events: count)
  let events = "\(count / 1_000_000) M events"
  let target = Double(count) / 100_000_000
  let indexed = try opening(path)
  let goto = try going(path, rounds: size == .small ? 100 : 2_000)
  guard truncate(path, off_t(indexBytes)) == 0 else {
    throw BenchmarkFailure(text: "cannot cut off the index")
  }
  let scanned = try opening(path)
  return [
    BenchmarkRow(
      "open \(events), index present",
      "\(fixed(indexed / 1e6, 1)) ms",
      peer: "Perfetto: 48 M in 246 s",
      target: "at most \(fixed(max(1, 50 * target), 0)) ms",
      reached: indexed <= max(1e6, 50e6 * target)
    ),
    BenchmarkRow(
      "open \(events), index absent",
      "\(fixed(scanned / 1e6, 1)) ms",
      target: "at most \(fixed(2_000 * target, 0)) ms",
      reached: scanned <= 2e9 * target
    ),
    BenchmarkRow(
      "go to any event: decode and fold, p50",
      "\(fixed(goto[goto.count / 2] / 1e6, 2)) ms"
    ),
    BenchmarkRow(
      "go to any event: decode and fold, p99",
      "\(fixed(goto[goto.count * 99 / 100] / 1e6, 2)) ms",
      target: "at most 1 ms",
      reached: goto[goto.count * 99 / 100] <= 1e6
    ),
  ]
}

/// Writes the trace; returns the byte at which its index begins.
private func writeLarge(_ path: String, events count: Int) throws -> UInt64 {
  var chunks: [EncodedChunk] = []
  var day = DayTrace(seed: 1) { chunk in
    if chunks.count < 64, chunk.header.eventCount == Chunk.rowsMax, chunk.header.keyframe == .full {
      chunks.append(chunk)
    }
  }
  try day.run(events: min(count, 4_000_000))
  let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
  var sequence: UInt64 = 0
  while sequence < UInt64(count) {
    for var chunk in chunks where sequence < UInt64(count) {
      chunk.header.writer = WriterID(high: 1, low: 1)
      chunk.header.firstSequence = sequence
      try writer.append(chunk)
      sequence += UInt64(chunk.header.eventCount)
    }
  }
  let end = writer.bytes
  try writer.finish(end: true)
  return end
}

/// As `replay` opens it.
private func opening(_ path: String) throws -> Double {
  var failure: (any Error)?
  var found = 0
  let time = interleaved(
    rounds: 5,
    [
      {
        do {
          found += try TraceReader(path: path, comparesPayloads: false).streams.count
        } catch {
          failure = error
        }
      }
    ]
  )[0]
  if let failure { throw failure }
  guard found > 0 else { throw BenchmarkFailure(text: "no stream was found") }
  return time
}

/// Nanoseconds of processor time of each visit to a random event, sorted.
private func going(_ path: String, rounds: Int) throws -> [Double] {
  let reader = try TraceReader(path: path)
  let chunks = reader.streams[0].chunks
  var random = SeededRandom(seed: 7)
  var times: [Double] = []
  for _ in 0..<rounds {
    let chunk = chunks[random.below(chunks.count)]
    let row = random.below(chunk.eventCount)
    let start = processorTime()
    let payload = try reader.payload(of: chunk)
    var state = try LifeState(decoding: payload.keyframe, names: &reader.names)
    let events = try payload.decode(strides: 0..<(row / Chunk.strideRows + 1))
    fold(events[...row], into: &state, reader.names)
    times.append(Double(processorTime() - start))
  }
  return times.sorted()
}

private func fold(
  _ events: ArraySlice<Event>,
  into state: inout LifeState,
  _ names: borrowing Names
) {
  for event in events { state.apply(event, names: names) }
}
