// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// Says of a simulation that no longer moves where it stands, and ends it if nothing else can.
enum Standstill {
  /// Nanoseconds in which a thread was to be had (``PoolTime``): `LIFETRACE_STANDSTILL` in seconds,
  /// else ten.
  static let limit: Int64 = {
    let wanted = environment("LIFETRACE_STANDSTILL").flatMap(Double.init) ?? 0
    return wanted > 0 && wanted < 1e9 ? Int64(wanted * 1e9) : 10_000_000_000
  }()

  /// Names what the app's code computes in.
  static func report(_ work: FollowedWork) {
    write("\(begin(work)) computes\(callback(work)) for more than \(seconds) s of real time\n")
  }

  /// Names what the app's code waits for on the simulator's thread, and ends the process.
  static func end(_ work: FollowedWork) -> Never {
    var what = "something outside virtual time"
    if case .waiting(let known) = work.state.withLock(\.main) { what = known }
    let left =
      work.state.withLock(\.napping) > 0
      ? """
      What the app has begun sleeps (sleep, usleep, nanosleep), which takes real time as well, and that
        for longer than is waited for. Task.sleep and asyncAfter take virtual time alone. Where
      """
      : """
      Nothing is left to run that would end that: no work of the app, and none that is put off. Where
      """
    write(
      """
      \(begin(work)) waits\(callback(work)) for \(what), for \(seconds) s of real time now
        \(left)
        it waits for the main queue or the main actor, that is the callback's own thread. The system
        would end the app (lifetrace rules DL11); as no thread can be taken out of such a wait, this
        process of tests is ended here.
        If something outside takes longer: LIFETRACE_STANDSTILL=60 (seconds). As a process of its own
        the app can be seen to wait: lifetrace record --scenario FILE -- APP

      """
    )
    // Here, as threads of Dispatch block the signal.
    abort()
  }

  private static var seconds: Double { Double(limit) / 1e9 }

  private static func begin(_ work: FollowedWork) -> String {
    "lifetrace: the simulation stands still: \(work.app)"
  }

  private static func callback(_ work: FollowedWork) -> String {
    work.log.openCallback.map { " in \($0)" } ?? ""
  }

  private static func write(_ text: String) { _ = Descriptor.write(text, to: STDERR_FILENO) }
}
