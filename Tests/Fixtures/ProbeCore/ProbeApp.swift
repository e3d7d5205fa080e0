// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// The probes by the names that scenarios have for them.
public enum ProbeApp: String, Sendable {
  /// The usual.
  case probe
  /// Declares what the system wakes an app for.
  case woken
  /// Has scenes.
  case scenes
  /// Has a window that turns.
  case turns
  /// Is ended when it leaves the foreground.
  case exits
  /// Was built before there was a background.
  case old

  /// What it says of itself.
  public var configuration: Application.Configuration {
    var configuration = Application.Configuration(bundleIdentifier: rawValue)
    configuration.scenes = self == .scenes
    configuration.exitsOnSuspend = self == .exits
    configuration.backgroundModes =
      switch self {
      case .woken: ["fetch", "remote-notification", "processing"]
      case .scenes: ["remote-notification"]
      case .probe, .turns, .exits, .old: []
      }
    if self == .old { configuration.linkedSDK = "iphoneos3.2" }
    return configuration
  }

  /// A new delegate; `misbehave` is for words that only a process can follow.
  @MainActor
  public func delegate(
    misbehave: @escaping @MainActor (String, String) -> Void = { _, _ in }
  ) -> any ApplicationDelegate {
    switch self {
    case .scenes: ScenesDelegate()
    case .turns: TurningDelegate()
    case .probe, .woken, .exits, .old: ProbeDelegate(misbehave: misbehave)
    }
  }
}
