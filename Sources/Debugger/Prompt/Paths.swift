// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform

/// Where the console keeps its files.
enum Paths {
  /// `$LIFETRACE_HISTFILE`, else `history` below the state directory; nil without a home.
  static var history: String? {
    if let named = environment("LIFETRACE_HISTFILE") { return expand(named) }
    return directory("XDG_STATE_HOME", else: ".local/state").map { $0 + "/history" }
  }

  /// `replayrc` below the configuration directory; nil without a home.
  static var initFile: String? {
    directory("XDG_CONFIG_HOME", else: ".config").map { $0 + "/replayrc" }
  }

  /// `verdicts` below the cache directory; nil without a home.
  static var verdicts: String? {
    directory("XDG_CACHE_HOME", else: ".cache").map { $0 + "/verdicts" }
  }

  private static func directory(_ variable: String, else below: String) -> String? {
    if let base = environment(variable), base.hasPrefix("/") { return base + "/lifetrace" }
    return environment("HOME").map { "\($0)/\(below)/lifetrace" }
  }

  /// `~/` becomes the home directory.
  static func expand(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = environment("HOME") else { return path }
    return home + path.dropFirst()
  }

  /// Makes the folders above `path`, private to the user.
  static func makeFolders(above path: String) {
    let parts = path.split(separator: "/").dropLast()
    var folder = path.hasPrefix("/") ? "" : "."
    for part in parts {
      folder += "/" + part
      mkdir(folder, 0o700)
    }
  }
}
