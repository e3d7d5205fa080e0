// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Nanoseconds of CLOCK_MONOTONIC.
func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The middle value; of an even count, the upper of the two.
func median(_ values: [Double]) -> Double {
  values.sorted()[values.count / 2]
}

/// The median nanoseconds of each contender, in order.
///
/// They run in turn, `rounds` times (A B C, A B C, …) after one round of warming
/// up, so that a drift of the machine's speed meets all of them alike.
func interleaved(rounds: Int, _ contenders: [() -> Void]) -> [Double] {
  var samples = [[Double]](repeating: [], count: contenders.count)
  for round in 0...rounds {
    for (index, contender) in contenders.enumerated() {
      let start = now()
      contender()
      let taken = Double(now() - start)
      if round > 0 { samples[index].append(taken) }
    }
  }
  return samples.map(median)
}
