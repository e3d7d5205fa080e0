// SPDX-License-Identifier: Apache-2.0

/// The arrows of a ``CauseGraph`` that were found before, by the event at which they end.
///
/// They follow from the recording alone, so they hold for every finding; the findings of one end
/// mostly share them.
package final class KnownCauses {
  /// No more arrows than this are remembered, of 40 bytes each; then all are forgotten.
  static let linksMax = 65_536

  private struct Key: Hashable {
    let node: CauseNode
    let isFinding: Bool
  }

  private var known: [Key: [CauseLink]] = [:]
  private var count = 0
  /// How often arrows had to be looked for.
  package private(set) var searches = 0

  /// Forgets all: what had no end may have one by now.
  func forget() {
    known.removeAll()
    count = 0
  }

  /// The arrows that end at an event, made by `find` unless they are known; nil where it was interrupted.
  func links(to node: CauseNode, isFinding: Bool, find: () -> [CauseLink]?) -> [CauseLink]? {
    let key = Key(node: node, isFinding: isFinding)
    if let links = known[key] { return links }
    searches += 1
    guard let links = find() else { return nil }
    if count >= Self.linksMax {
      known.removeAll(keepingCapacity: true)
      count = 0
    }
    // An event without arrows takes room too.
    count += links.count + 1
    known[key] = links
    return links
  }
}
