// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// The words of the tool's own in the sentences about events, by kind and by what makes a sentence say them.
///
///     SentenceWords.saying("no code runs")       // any state.suspend
///     SentenceWords.saying("suspended")          // that, and an interval called "suspension possible"
///
/// They are taken once from sentences about made-up events, a few for each way in which a kind's
/// sentence may go: a search then needs no sentence at all. Whether a field matters for a word is tried,
/// by giving it each other value.
enum SentenceWords {
  /// Events of one kind that say something, by the classes of their fields.
  struct Case: Hashable, Sendable {
    var kind: EventKind
    /// For the identity, each argument and the place in the source: the classes that it may be of, a bit
    /// each; see ``classOf``.
    var classes: [UInt64]
  }

  /// The class of an argument that an event lacks.
  static let absent: UInt64 = 63

  /// Those of whose sentences one holds `text`, which is in lower case.
  static func saying(_ text: String) -> [Case] {
    let found = phrases.filter { $0.key.contains(text) }
    return Array(Set(found.flatMap(\.value)))
  }

  /// The names that sentences take for more than a name, and before them one that stands for all others.
  static let names = [
    "x", "", "read", "exit", "signal", "harness", ResourceClass.suspensionPossible,
    ExitEvidence.goneAtRecovery,
    ExitEvidence.behindLastLine, ExitEvidence.beforeSuccessor,
  ]

  /// Which of the classes that sentences may tell apart a value is of, below 63.
  ///
  /// A name is one of ``names``, a word of an enumeration is its code; of numbers 0 and those of signals are apart.
  static func classOf(_ bits: UInt64, _ type: FieldType, nameClass: (UInt64) -> UInt64) -> UInt64 {
    switch type {
    case .name: nameClass(bits)
    case .state, .work, .level, .resource, .log: min(bits, 62)
    case .bool, .int, .hex, .bytes, .duration, .double: bits == 0 ? 0 : bits < 64 ? 1 : 2
    }
  }

  /// What is said, each text with the events that say it.
  private static let phrases: [String: [Case]] = {
    var found: [String: [Case]] = [:]
    for info in KindInfo.all {
      var kind = SpokenKind(info)
      for (text, classes) in kind.phrases() {
        found[text, default: []] += classes.map { Case(kind: info.kind, classes: $0) }
      }
    }
    return found
  }()
}
