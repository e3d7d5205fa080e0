// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
package import LifetraceLifecycle
package import LifetraceRules

// What the file says of how recordings are judged, for `lifetrace check` and for tests alike.

extension Configuration {
  /// The one that applies to the source file at `path`: `lifetrace.yml` of its folder or the nearest one
  /// above, up to the root of the package or of the checkout; nil where there is none.
  package static func file(above path: String) -> String? {
    guard path.hasPrefix("/") else { return nil }
    var folder = path[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let file = "\(folder)/\(fileName)"
      if access(file, F_OK) == 0 { return file }
      if ["Package.swift", ".git"].contains(where: { access("\(folder)/\($0)", F_OK) == 0 }) {
        return nil
      }
    }
    return nil
  }

  /// The rules that there are, the project's own too.
  package var ruleSet: RuleSet { RuleSet(own: rules) }

  /// The rules that are judged: those of `list` where one is given, but for those that are off.
  package func selection(_ list: String? = nil) throws(RuleSelectionError) -> RuleSelection {
    let words = [list].compactMap { $0 } + off.map { "-\($0.rule)" }
    guard !words.isEmpty else { return .all }
    return try RuleSelection(words.joined(separator: ","), of: ruleSet)
  }

  /// Whose deadlines hold: those of the profile of that name if one is given, else of the file's;
  /// nil where neither says.
  package func profile(orNamed name: String?) throws(ScenarioProblem) -> Profile? {
    guard let named = name.flatMap(Profile.named) else { return profile }
    return try adjusted(named)
  }

  /// What it suppresses on that day; `path` is where it stands.
  package func suppressions(on day: String, path: String) -> [Suppression] {
    suppressed.filter { !$0.isExpired(on: day) }.map { one in
      Suppression(
        rule: one.rule,
        app: one.app,
        object: one.object,
        site: one.site,
        reason: one.reason + (one.until.map { ", until \($0)" } ?? ""),
        origin: "\(path):\(one.line)"
      )
    }
  }

  /// What it suppresses no more, a sentence each.
  package func expired(on day: String, path: String) -> [String] {
    suppressed.filter { $0.isExpired(on: day) }.map {
      "\(path):\($0.line): the suppression has ended on \($0.until ?? ""), and covers nothing now: "
        + $0.reason
    }
  }
}
