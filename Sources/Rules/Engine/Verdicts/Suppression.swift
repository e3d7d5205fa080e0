// SPDX-License-Identifier: Apache-2.0
package import LifetraceWords

/// What a project lives with, for a reason: violations of a rule, an app, an object, at a site.
///
///     Suppression(rule: "DS01", object: "*.cache", reason: "made anew", origin: "lifetrace.yml:4")
///
/// What is nil says nothing; the others are globs, and all of them have to fit.
package struct Suppression: Sendable {
  package var rule: String?
  package var app: String?
  package var object: String?
  /// A file as the recording names it, or the end of its path, or `FILE:LINE`.
  package var site: String?
  package var reason: String
  /// Where it stands, for people.
  package var origin: String

  package init(
    rule: String? = nil,
    app: String? = nil,
    object: String? = nil,
    site: String? = nil,
    reason: String,
    origin: String
  ) {
    (self.rule, self.app, self.object, self.site) = (rule, app, object, site)
    (self.reason, self.origin) = (reason, origin)
  }

  /// `rule DS01, object *.cache`.
  package var words: String {
    [("rule", rule), ("app", app), ("object", object), ("site", site)]
      .compactMap { key, glob in glob.map { "\(key) \($0)" } }.joined(separator: ", ")
  }

  /// Whether it is about that violation, or doubt.
  package func covers(_ verdict: Verdict) -> Bool {
    Self.fits(rule, [verdict.rule]) && Self.fits(app, [verdict.app])
      && Self.fits(object, verdict.title.names)
      && Self.fits(site, verdict.witnesses.compactMap(\.source).flatMap(Self.spellings))
  }

  private static func fits(_ glob: String?, _ names: [String]) -> Bool {
    guard let glob = glob.map(Glob.init) else { return true }
    return names.contains(where: glob.matches)
  }

  /// `Notes/UI/Editor.swift`, `UI/Editor.swift` and `Editor.swift`, each with and without its line.
  private static func spellings(_ place: SourcePlace) -> [String] {
    let parts = place.file.split(separator: "/", omittingEmptySubsequences: false)
    let files = parts.indices.map { parts[$0...].joined(separator: "/") }
    return files + (place.line > 0 ? files.map { "\($0):\(place.line)" } : [])
  }
}

extension Sentence {
  /// The objects, callbacks, tasks and notifications that it names, in order.
  package var names: [String] {
    parts.compactMap { part in
      switch part {
      case .name(let name), .object(let name): name
      default: nil
      }
    }
  }
}
