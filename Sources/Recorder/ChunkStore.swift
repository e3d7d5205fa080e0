// SPDX-License-Identifier: Apache-2.0

import Glibc
import Trace
import TraceFile

/// Where chunks go: straight to the file, or into memory until the end (flight recorder).
///
/// When the disk is full the chunk stays here and `isStuck` is true: the recorder
/// then reads no further, so that what is not written stays in the pools, and
/// tries again each second.
final class ChunkStore {
  private let writer: TraceWriter
  private let retention: RecorderOptions.Retention
  private let sizeMax: UInt64?
  private var kept: [(chunk: EncodedChunk, bytes: Int, last: Int64)] = []
  private var keptBytes = 0
  private var stuck: EncodedChunk?
  private(set) var problem: TraceFileError?
  /// Events of the chunks that count as written.
  private(set) var events: UInt64 = 0
  /// Losses in their headers.
  private(set) var losses: UInt64 = 0

  init(_ options: RecorderOptions, mode: TraceWriter.Options.Mode) throws(RecorderError) {
    retention = options.retention
    sizeMax = options.sizeMax.map(UInt64.init)
    if mode == .create, options.overwrite, access(options.output, F_OK) == 0 {
      // The lock of a living recorder is asked for before its trace is removed.
      do throws(TraceFileError) {
        _ = try TraceWriter(path: options.output, options: .init(.append))
      } catch  where error.isIO {
        throw .file(path: options.output, message: "\(error)")
      } catch {}
      unlink(options.output)
    }
    do throws(TraceFileError) {
      writer = try TraceWriter(path: options.output, options: .init(mode, sync: options.sync))
    } catch {
      throw .file(path: options.output, message: "\(error)")
    }
  }

  var bytes: UInt64 { writer.bytes }
  var bytesCutOff: UInt64 { writer.bytesCutOff }
  var isStuck: Bool { stuck != nil }
  /// In a flight recorder any chunk may become the first one.
  var keepsAll: Bool { retention == .all }

  /// The file may not grow much further.
  var isFull: Bool {
    guard let sizeMax, retention == .all else { return false }
    // Room for what is open now, the ends of the processes and the footer.
    let room = Swift.min(Swift.max(sizeMax / 8, 16 << 10), sizeMax / 2, 1 << 20)
    return writer.bytes + room >= sizeMax
  }

  /// Writes or keeps the chunk; false when the file refused it and it must be tried again.
  func append(_ chunk: EncodedChunk, now: Int64) -> Bool {
    events += UInt64(chunk.header.eventCount)
    losses += chunk.header.losses.reduce(0) { $0 + $1.count }
    guard retention == .all else {
      keep(chunk, now)
      return true
    }
    return write(chunk)
  }

  /// Tries the chunk that the file refused again.
  func retry() -> Bool {
    guard let chunk = stuck else { return true }
    stuck = nil
    return write(chunk)
  }

  private func write(_ chunk: EncodedChunk) -> Bool {
    do throws(TraceFileError) {
      try writer.append(chunk)
      problem = nil
      return true
    } catch {
      problem = error
      stuck = chunk
      return false
    }
  }

  private func keep(_ chunk: EncodedChunk, _ now: Int64) {
    let size = chunk.payload.count
    kept.append((chunk, size, chunk.header.lastTime.rawValue))
    keptBytes += size
    var gone = 0
    switch retention {
    case .all: break
    case .duration(let nanoseconds):
      while gone < kept.count, kept[gone].last < now - nanoseconds { gone += 1 }
    case .bytes(let most):
      var bytes = keptBytes
      while gone < kept.count - 1, bytes > most {
        bytes -= kept[gone].bytes
        gone += 1
      }
    }
    for entry in kept[0..<gone] {
      keptBytes -= entry.bytes
      events -= UInt64(entry.chunk.header.eventCount)
      losses -= entry.chunk.header.losses.reduce(0) { $0 + $1.count }
    }
    if gone > 0 { kept.removeFirst(gone) }
  }

  /// Writes what a flight recorder keeps, to the file.
  func pour() -> Bool {
    while let first = kept.first {
      guard write(first.chunk) else {
        stuck = nil
        return false
      }
      keptBytes -= first.bytes
      kept.removeFirst()
    }
    return true
  }

  func finish(end: Bool) throws(RecorderError) {
    do throws(TraceFileError) {
      try writer.finish(end: end)
    } catch {
      throw .file(path: writer.path, message: "\(error)")
    }
  }
}
