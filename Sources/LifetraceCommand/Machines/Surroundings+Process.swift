// SPDX-License-Identifier: GPL-3.0-or-later
import CLifetracePlatform
import LifetracePlatform
import LifetraceTransport

extension Surroundings {
  /// Those of this process: it should stop at SIGINT or SIGTERM, and after so many milliseconds.
  ///
  /// Called before there are other threads: the signals are blocked from here on.
  static func ofProcess(stoppingAfter time: Int64? = nil) -> Surroundings {
    signal(SIGPIPE, SIG_IGN)
    let heard: [Int32] = [SIGINT, SIGTERM]
    let signals = cplatform_signal_fd(heard, Int32(heard.count))
    var isStopping = false
    func now() -> Int64 { cplatform_monotonic() / 1_000_000 }
    let deadline = time.map { now() + $0 }
    func shouldStop() -> Bool {
      var heard = cplatform_signal()
      if signals >= 0, cplatform_signal_read(signals, &heard) == 1 { isStopping = true }
      if let deadline, now() >= deadline { isStopping = true }
      return isStopping
    }
    return Surroundings(
      now: now,
      pause: { milliseconds in
        let end = now() + Int64(milliseconds)
        while !shouldStop(), now() < end {
          poll(nil, 0, Int32(clamping: min(50, end - now())))
        }
      },
      random: { UInt64.random(in: .min ... .max) },
      shouldStop: shouldStop,
      say: Failure.say
    )
  }
}
