// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// The processor time that callbacks take, where it is long enough to be worth a word.
///
/// The kernel is asked for it at most once in ``sampleInterval`` and at the end of a callback that is
/// long by the wall: asking costs some 400 ns, which is as much as a virtual callback takes.
struct CallbackTime {
  /// What takes less is no matter of a deadline.
  static let slowMin: Int64 = 1_000_000_000
  /// At most this much may be missing from a reported time; none is reported too long.
  private static let sampleInterval: Int64 = 10_000_000

  private struct Reading {
    var wall: Int64
    var cpu: Int64
  }
  private var sample = Reading(wall: 0, cpu: 0)
  /// By the number of the callback that is open.
  private var begins: [UInt64: Reading] = [:]

  /// A callback begins on this thread.
  mutating func begin(_ identity: UInt64) {
    let now = Self.read(CLOCK_MONOTONIC)
    if now - sample.wall > Self.sampleInterval {
      sample = Reading(wall: now, cpu: Self.read(CLOCK_THREAD_CPUTIME_ID))
    }
    // The thread has used no more since the sample than has passed.
    begins[identity] = Reading(wall: now, cpu: sample.cpu + now - sample.wall)
  }

  /// It ends: the nanoseconds that it has used, nil for fewer than ``slowMin``.
  mutating func end(_ identity: UInt64) -> Int64? {
    guard let begin = begins.removeValue(forKey: identity),
      Self.read(CLOCK_MONOTONIC) - begin.wall >= Self.slowMin
    else { return nil }
    let took = Self.read(CLOCK_THREAD_CPUTIME_ID) - begin.cpu
    return took >= Self.slowMin ? took : nil
  }

  static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
