// SPDX-License-Identifier: Apache-2.0

/// What an app declares in `UIBackgroundModes` to be woken in the background.
public enum BackgroundMode {
  /// The modes of which an app has to declare one to be woken for `reason`, as the trace names it; none
  /// for what needs no mode.
  ///
  ///     BackgroundMode.needed(toWakeFor: "push")     // ["remote-notification"]
  ///
  /// A location needs none: a significant change, a visit and a region that is entered launch an app
  /// which declares nothing. The mode `location` keeps one running that is running already.
  public static func needed(toWakeFor reason: String) -> [String] {
    switch reason {
    case "push": ["remote-notification"]
    case "fetch": ["fetch"]
    case "voip": ["voip"]
    case "bluetooth": ["bluetooth-central", "bluetooth-peripheral"]
    case "processing": ["processing"]
    default: []
    }
  }
}
