// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Timeline {
  /// How many bytes of decoded chunks a timeline keeps.
  package struct Memory: Sendable {
    /// Of order times: those of one chunk for each writer that lives, and some behind it.
    var times: Int
    /// Of what stays of order times that had to go.
    var roughTimes = 0
    /// Of events.
    var rows: Int
    /// Of decompressed chunks whose events are decoded when they are asked for.
    var payloads: Int
    /// How many sends and receives are compared at a time, while it is made.
    var messages = 1 << 20

    /// As much as keeps steps fast where at most `writers` live at the same time.
    ///
    /// 42 MB for 64 of them, 139 MB for 1,024; beyond, more is decoded again.
    package static func fitting(writers: Int) -> Memory {
      let writers = min(writers, 1_024)
      return Memory(
        times: 4 << 20 + writers * 68 << 10,
        roughTimes: 1 << 20 + writers * 31 << 10,
        rows: 14 << 20 + writers * 16 << 10,
        // Of many, hardly one is looked at twice while it is kept.
        payloads: 16 << 20 - writers * 12 << 10
      )
    }

    /// At most that many bytes, but always one chunk's.
    package static func bytes(_ count: Int) -> Memory {
      Memory(
        times: count / 4,
        roughTimes: count / 16,
        rows: count / 2,
        payloads: count / 16 * 3,
        // Nothing else is kept yet.
        messages: count / MemoryLayout<MessageShares.End>.stride
      )
    }

    /// How many rows of a chunk are kept together, so that there is room for those of each writer.
    func windowRows(writers: Int) -> Int {
      var window = Chunk.strideRows
      while window > 64, window * MemoryLayout<Event>.stride * writers > rows { window /= 2 }
      return window
    }
  }

  /// How many streams live at the same time at most, as far as chunk headers show.
  static func writersAtOnce(_ streams: [StreamIndex]) -> Int {
    var changes: [(time: Int64, change: Int)] = []
    for stream in streams {
      guard let first = stream.orderFirst.first, let last = stream.orderLast.last else { continue }
      changes.append((first, 1))
      changes.append((last, -1))
    }
    changes.sort { ($0.time, $1.change) < ($1.time, $0.change) }
    var (living, most) = (0, 0)
    for (_, change) in changes {
      living += change
      most = max(most, living)
    }
    return most
  }
}
