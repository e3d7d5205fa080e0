// SPDX-License-Identifier: Apache-2.0
import LifetraceQuery
import LifetraceWords

/// Which events of a project's rule were met, and how others of their kinds are called: the
/// commonest mistake in such a rule is a name that is spelled otherwise in the recording.
struct Sightings: Sendable {
  /// More names than this are not kept.
  static let strangersMax = 32
  /// As many of them are said.
  private static let namedMax = 5

  /// A bit for each selector that was met.
  private var met: UInt8 = 0
  /// Names of the kind that a selector asks for, and other ones.
  private var strangers: [(number: Int, name: String)] = []

  mutating func meet(_ number: Int) { met |= 1 << UInt8(number) }

  func isMet(_ number: Int) -> Bool { met & 1 << UInt8(number) != 0 }

  /// Whether other names came where a selector asks for one.
  func hasStrangers(_ number: Int) -> Bool { strangers.contains { $0.number == number } }

  mutating func pass(_ number: Int, _ name: String) {
    guard strangers.count < Self.strangersMax,
      !strangers.contains(where: { $0.number == number && $0.name == name })
    else { return }
    strangers.append((number, name))
  }

  mutating func add(_ later: Sightings) {
    met |= later.met
    for stranger in later.strangers { pass(stranger.number, stranger.name) }
  }

  /// What is said where a selector was not met: a sentence without a period; nil where it was.
  func remark(
    _ number: Int,
    _ selector: EventSelector,
    in place: String = "the recording"
  ) -> String? {
    guard !isMet(number) else { return nil }
    let names = strangers.filter { $0.number == number }.map(\.name)
    let head = "nothing in \(place) is \(selector.text)"
    guard !names.isEmpty else { return head }
    if let near = selector.question.wanted.lazy.compactMap({ nearest(to: $0, among: names) }).first
    {
      return "\(head); a name near it is `\(near)`"
    }
    let some = names.prefix(Self.namedMax).joined(separator: ", ")
    let more = names.count - Self.namedMax
    return "\(head); those of its kind are called \(some)" + (more > 0 ? " and \(more) more" : "")
  }
}

extension Checker {
  /// What the rules of a project asked for and no event was: a sentence a rule, without a period;
  /// first those where other names were met, one of which may be meant.
  package var ownRemarks: [String] {
    var (near, far): ([String], [String]) = ([], [])
    for (index, rule) in ownRules {
      let all = sightings(ofRule: index)
      let isIdle = counts.allSatisfy {
        $0.rule != rule.id || $0.violated + $0.undecidable + $0.held == 0
      }
      func remarks(_ isOccasion: Bool) -> [String] {
        rule.selectors.enumerated().compactMap { number, one in
          one.isOccasion == isOccasion ? all.remark(number, one.selector) : nil
        }
      }
      let occasions = remarks(isIdle)
      // What gives the occasion may be there, and ask the state for what is spelt otherwise.
      let missing = isIdle && occasions.isEmpty ? remarks(false) : occasions
      guard isIdle || !missing.isEmpty else { continue }
      let head = "\(rule.id) (\(rule.origin))" + (isIdle ? " was not exercised" : "")
      let said = missing.isEmpty ? head : "\(head): \(missing.joined(separator: "; "))"
      let hasStrangers = rule.selectors.indices.contains {
        !all.isMet($0) && all.hasStrangers($0)
      }
      if hasStrangers { near.append(said) } else { far.append(said) }
    }
    return near + far
  }
}
