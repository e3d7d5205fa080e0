// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import Support
import LifetraceTrace
import LifetraceTraceFile

/// The trace file on the workload "a day of app life": its size, and what a pass over it costs.
func benchmarkFile(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = size == .small ? 100_000 : 10_000_000
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/day.lifetrace"
  let writer = try TraceWriter(path: path, options: .create)
  var chunks: [EncodedChunk] = []
  var writing = UInt64(0)
  var day = DayTrace(seed: 1) { chunk in
    if chunks.count < 64, chunk.header.eventCount == Chunk.rowsMax { chunks.append(chunk) }
    let start = processorTime()
    try writer.append(chunk)
    writing += processorTime() - start
  }
  try day.run(events: count)
  try writer.finish(end: true)
  let bytes = Double(writer.bytes) / Double(count)

  var rows = [
    BenchmarkRow(
      "bytes an event, index and keyframes included",
      "\(fixed(bytes, 2)) B",
      peer: "CTF-like 7.0, Parquet 5.3",
      target: "at most 4.4",
      reached: bytes <= 4.4
    ),
    BenchmarkRow(
      "compress and append",
      "\(fixed(Double(writing) / Double(count), 1)) ns an event"
    ),
  ]
  if let encode = try encodeTime(chunks) {
    rows.append(
      BenchmarkRow("events into columns", "\(fixed(encode, 1)) ns an event")
    )
    let both = encode + Double(writing) / Double(count)
    rows.append(
      BenchmarkRow(
        "encode, from event to file",
        "\(fixed(both, 1)) ns an event",
        target: "at most 25",
        reached: both <= 25
      )
    )
  }
  return rows + (try scanRows(path))
}

/// Nanoseconds an event that an encoder takes for its columns.
private func encodeTime(_ chunks: [EncodedChunk]) throws -> Double? {
  guard !chunks.isEmpty else { return nil }
  var names = Names()
  var batches: [(ChunkHeader, [Event])] = []
  for chunk in chunks {
    let payload = try ChunkPayload(header: chunk.header, payload: chunk.payload, names: &names)
    batches.append((chunk.header, try payload.decode()))
  }
  var encoder = ChunkEncoder()
  let time = interleaved(
    rounds: 3,
    [
      {
        for (header, events) in batches {
          for event in events { encoder.append(event) }
          _ = encoder.finish(header: header, keyframe: [], names: names)
        }
      }
    ]
  )[0]
  return time / Double(batches.reduce(0) { $0 + $1.1.count })
}

/// Decoding, and decoding with the fold, over the whole file.
private func scanRows(_ path: String) throws -> [BenchmarkRow] {
  let reader = try TraceReader(path: path)
  let count = Double(reader.streams.reduce(0) { $0 + $1.eventCount })
  var failure: (any Error)?
  let times = interleaved(
    rounds: count > 1e6 ? 3 : 1,
    [
      {
        for chunk in reader.streams.flatMap(\.chunks) {
          do { _ = try reader.payload(of: chunk) } catch { failure = error }
        }
      },
      {
        for chunk in reader.streams.flatMap(\.chunks) {
          do { _ = try reader.decode(chunk) } catch { failure = error }
        }
      },
      {
        let buffer = StrideBuffer()
        for stream in reader.streams {
          var state = LifeState()
          for chunk in stream.chunks {
            do {
              let payload = try reader.payload(of: chunk)
              let names = reader.names
              try reader.scan(chunk, payload, in: buffer) { state.apply($0, names: names) }
            } catch { failure = error }
          }
        }
      },
    ]
  )
  if let failure { throw failure }
  let rate = count / times[2] * 1_000
  return [
    BenchmarkRow("read, check and decompress", "\(fixed(times[0] / count, 1)) ns an event"),
    BenchmarkRow("decode", "\(fixed(times[1] / count, 1)) ns an event"),
    BenchmarkRow(
      "decode and fold, one core",
      "\(fixed(rate, 1)) M events/s",
      peer: "babeltrace2 1.6-3.3",
      target: "40 M events/s",
      reached: rate >= 40
    ),
  ]
}

/// A directory that goes with its last reference.
final class BenchmarkDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/lifetrace-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchmarkFailure(text: "no directory in /tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink(path + "/" + name)
      }
      closedir(directory)
    }
    rmdir(path)
  }
}

/// Why a benchmark could not run.
struct BenchmarkFailure: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
