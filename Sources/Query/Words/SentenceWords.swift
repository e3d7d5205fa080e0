// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// The words of the tool's own in the sentences about events, by kind.
///
///     SentenceWords.kinds(saying: "no code runs")       // state.suspend
///
/// They are taken once from sentences about made-up events, a few for each way in which a kind's
/// sentence may go: a search then needs no sentence at all. Some events of a kind may not say a
/// word that others do.
enum SentenceWords {
  /// The kinds of whose sentences one holds `text`, which is in lower case.
  static func kinds(saying text: String) -> KindSet {
    KindSet(phrases.filter { $0.text.contains(text) }.map(\.kind))
  }

  private static let phrases: [(kind: EventKind, text: String)] = {
    var names = Names()
    // What sentences take for more than a name.
    let special = [
      "", "x", "read", "exit", "signal", ResourceClass.suspensionPossible,
      ExitEvidence.goneAtRecovery, ExitEvidence.behindLastLine, ExitEvidence.beforeSuccessor,
    ].map { names.intern($0).word }
    let site = names.intern(Site(name: names.intern("x")))
    var found: [(kind: EventKind, text: String)] = []
    for info in KindInfo.all {
      var texts: Set<String> = []
      // Those of its enumerations are of the event too.
      let words = (info.fields + [info.identity].compactMap { $0 }).map(\.type)
        .flatMap(WordSearch.wordings(of:)).sorted { $0.count > $1.count }
      for event in variants(of: info, special) {
        for place in [SiteID.none, site] {
          var event = event
          event.site = place
          for case .text(let text) in EventText.sentence(event, names).parts {
            texts.formUnion(pieces(text.lowercased(), without: words))
          }
        }
      }
      found += texts.sorted().map { (info.kind, $0) }
    }
    return found
  }()

  /// A text without its numbers, which are of the event, and without some words.
  private static func pieces(_ text: String, without words: [String]) -> [String] {
    words.reduce(text) { $0.replacing($1, with: "0") }
      .split { $0.isNumber }.map(String.init).filter { $0.contains { $0.isLetter } }
  }

  /// Events of a kind in which any two of its fields have any of the values that matter.
  private static func variants(of info: KindInfo, _ names: [UInt64]) -> [Event] {
    let types = [info.identity?.type ?? .int] + info.fields.map(\.type)
    var events: [Event] = []
    for first in types.indices {
      for second in first..<types.count {
        for value in values(of: types[first], names) {
          for other in values(of: types[second], names) {
            var event = Event(info.kind, at: HostTime(rawValue: 0))
            event.argumentCount = UInt8(min(info.fields.count, Event.argumentsMax))
            set(&event, first, value)
            set(&event, second, other)
            events.append(event)
          }
        }
      }
    }
    return events
  }

  private static func set(_ event: inout Event, _ place: Int, _ value: UInt64) {
    if place == 0 { event.identity = value } else { event[place - 1] = value }
  }

  private static func values(of type: FieldType, _ names: [UInt64]) -> [UInt64] {
    let codes = ValueType.field(type).words.map(\.code)
    if !codes.isEmpty { return codes }
    // 9 is a signal, 137 a shell's number of one, 256 nobody's.
    return type == .name ? names : [0, 1, 2, 9, 137, 256, 300]
  }
}
