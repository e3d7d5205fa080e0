// SPDX-License-Identifier: Apache-2.0

/// Rules that random lives do not reach, each with the reason.
enum Unreached {
  /// Rules without a fault that they find here; their stories show them.
  static let faults = byRule([
    (
      ["ST15", "PR06"],
      "only a log of a device has a deactivation mask, or a suspension without the host's word"
    ),
    (["ST16"], "an interruption in these lives ends within a minute"),
    (["RS24"], "no app of these lives is launched by a URL or a tap and given another one later"),
    (["RS08", "RS12", "RS13"], "a simulated app has no memory and no processor time of its own"),
    (
      ["MS02", "MS03", "MS04"],
      "no process of these lives sends another one messages; the sweep of limits shows MS02"
    ),
  ])

  /// Rules without an occasion in one correct life of a hundred.
  static let occasions = byRule([
    (["ST15", "PR06"], "only a log of a device has one"),
    (["DS10"], "no file of the simulation is refused to who reads it, as none is protected there"),
    (["DS14"], "the next edit of the app ends it, and few of these lives end before"),
    (["PR05"], "no correct app says how it ended: a kill without a word may have been the user's"),
    (["MS02"], "no process of these lives answers another one"),
    (["RS08", "RS12", "RS13"], "a simulated app has no memory and no processor time of its own"),
  ])

  private static func byRule(_ groups: [(rules: [String], reason: String)]) -> [String: String] {
    var reasons: [String: String] = [:]
    for group in groups {
      for rule in group.rules { reasons[rule] = group.reason }
    }
    return reasons
  }
}
