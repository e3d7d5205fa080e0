// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What happens to one thing that events name.
extension Player {
  /// What finds the events that change a data object: not those that only read it, or find that there
  /// is nothing to save.
  package static func changes(ofData object: String) -> EventFilter {
    events(of: kinds(of: .data, but: [.dataRead, .dataUnchanged]), about: object)
  }

  /// The kinds of some families.
  static func kinds(of families: EventFamily..., but others: [EventKind] = []) -> KindSet {
    let all = KindInfo.all.filter { families.contains($0.family) }.map(\.kind)
    return KindSet(all.filter { !others.contains($0) })
  }

  private static func events(of kinds: KindSet, about name: String) -> EventFilter {
    var filter = EventFilter(kinds: kinds) { event, names in names[event.identityName] == name }
    filter.mentions = [name]
    return filter
  }

  /// Says where a data object, or a type of notifications, is heard of first behind this place; nil where
  /// it is not.
  ///
  /// Of an object that is its first edit, where it has one.
  package func whyNotYet(_ name: String) throws(SearchInterrupted) -> Explanation? {
    let edits = Self.events(of: KindSet([.dataDirty]), about: name)
    let others = Self.events(of: Self.kinds(of: .data, .notification), about: name)
    var place = try find(edits, .forward)
    if place == nil { place = try find(others, .forward) }
    guard let place else { return nil }
    let event = timeline.event(at: place)
    let isData = event.kind.family == .data
    let away = timeline.time(of: event) - time
    let what: Sentence = isData ? "\(object: name)" : "\(name: name)"
    let first = event.kind == .dataDirty ? "edited" : isData ? "told of" : "posted"
    var explanation = Explanation(
      "\(what) is not there yet: it is first \(first) at #\(timeline.number(of: place)), \(duration: away) later."
    )
    explanation.steps = [step(place, "first \(first)")]
    return explanation
  }
}
