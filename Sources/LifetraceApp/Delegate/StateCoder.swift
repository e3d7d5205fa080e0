// SPDX-License-Identifier: Apache-2.0

/// What the app gives the system to keep over a purge: where the user was, not what they wrote.
///
/// The system keeps it when the app goes to the background and gives it back
/// between will- and didFinishLaunching. A kill by the user throws it away.
@MainActor
public final class StateCoder {
  var values: [String: String]

  init(values: [String: String] = [:]) { self.values = values }

  /// Keeps `value` under `key`.
  public func encode(_ value: String, forKey key: String) { values[key] = value }

  /// What was kept under `key`.
  public func decodeString(forKey key: String) -> String? { values[key] }
}
