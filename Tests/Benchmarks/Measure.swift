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

/// Nanoseconds that this thread has had of a processor.
func processorTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The median nanoseconds of each contender, in order.
///
/// Processor time, because another program on this machine may take the core for a while. They
/// run in turn, `rounds` times (A B C, A B C, …) after one round of warming up, so that a drift of
/// the machine's speed meets all of them alike.
func interleaved(rounds: Int, _ contenders: [() -> Void]) -> [Double] {
  var samples = [[Double]](repeating: [], count: contenders.count)
  for round in 0...rounds {
    for (index, contender) in contenders.enumerated() {
      let start = processorTime()
      contender()
      let taken = Double(processorTime() - start)
      if round > 0 { samples[index].append(taken) }
    }
  }
  return samples.map(median)
}
