// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// Forks, execs and exits as the kernel reports them; nothing where it is not asked, or does not.
final class KernelEvents {
  /// -1 where it does not report.
  let descriptor: Int32
  /// Those that may be about a launch which is under way.
  private var unclaimed: [cplatform_proc_event] = []
  private var dropped: UInt64 = 0

  private static let atOnce = 64
  private static let unclaimedMax = 65_536

  /// Asks with that much room for messages that were not read yet; nil does not ask.
  init(bytes: Int32?) {
    descriptor = bytes.map { cplatform_proc_events_open($0) } ?? -1
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var isOpen: Bool { descriptor >= 0 }

  /// The next events that wait.
  func read() -> ArraySlice<cplatform_proc_event> {
    guard isOpen else { return [] }
    var events = [cplatform_proc_event](repeating: cplatform_proc_event(), count: Self.atOnce)
    let count = cplatform_proc_events_read(descriptor, &events, Int32(Self.atOnce))
    return events.prefix(max(0, Int(count)))
  }

  /// How many the kernel had no room for since the last call.
  func newlyDropped() -> UInt64 {
    guard isOpen else { return 0 }
    let all = UInt64(cplatform_proc_events_dropped(descriptor))
    defer { dropped = max(dropped, all) }
    return all > dropped ? all - dropped : 0
  }

  /// Keeps an event for when the launch is known; false where there is no room for it.
  func keep(_ event: cplatform_proc_event) -> Bool {
    guard unclaimed.count < Self.unclaimedMax else { return false }
    unclaimed.append(event)
    return true
  }

  func takeUnclaimed() -> [cplatform_proc_event] {
    defer { unclaimed = [] }
    return unclaimed
  }
}
