// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// The few things from before that stories tell: the last run of each callback, and the last states.
struct History: Sendable {
  /// Only this many state changes are remembered.
  static let statesMax = 32

  /// The last run of a callback that has ended.
  struct Run: Sendable {
    var callback: Callback
    var begin: HostTime
    var end: HostTime
    var beginSequence: UInt64
    var endSequence: UInt64
    var site: SiteID
  }

  /// The last runs, one a callback, oldest end first.
  private(set) var runs: [Run] = []
  /// The last state changes.
  private(set) var states: [(state: AppState, time: HostTime, sequence: UInt64)] = []

  /// By site: the callback plus one, 0 for unknown yet, 255 for none of the system's.
  private var callbackOfSite: [UInt8] = []
  private static let callbacks = Callback.allCases

  /// The callback that a site names, if it is one of the system's.
  mutating func callback(of site: SiteID, _ names: borrowing Names) -> Callback? {
    let index = Int(site.rawValue)
    guard index < names.sites.count else { return nil }
    if index >= callbackOfSite.count {
      callbackOfSite += [UInt8](repeating: 0, count: names.sites.count - callbackOfSite.count)
    }
    if callbackOfSite[index] == 0 {
      let callback = Callback(named: names[names[site].name])
      let code = callback.flatMap { Self.callbacks.firstIndex(of: $0) }
      callbackOfSite[index] = code.map { UInt8($0 + 1) } ?? 255
    }
    let code = callbackOfSite[index]
    return code == 255 ? nil : Self.callbacks[Int(code) - 1]
  }

  mutating func ended(_ callback: Callback, _ span: OpenSpan, _ end: HostTime, _ sequence: UInt64) {
    runs.removeAll { $0.callback == callback }
    runs.append(
      Run(
        callback: callback,
        begin: span.time,
        end: end,
        beginSequence: span.sequence,
        endSequence: sequence,
        site: span.site
      )
    )
  }

  mutating func entered(_ state: AppState, _ time: HostTime, _ sequence: UInt64) {
    if states.count == Self.statesMax { states.removeFirst() }
    states.append((state, time, sequence))
  }

  /// The last run of `callback` that began after `time`.
  func run(of callback: Callback, after time: HostTime) -> Run? {
    runs.last { $0.callback == callback && $0.begin >= time }
  }
}
