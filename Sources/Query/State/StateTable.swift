// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTrace

/// A table of what is open or kept at a moment, as `any data where …` asks it.
///
///     StateTable.named("tasks")?.fields.map(\.name)    // id, name, granted, …
///
/// By reference, as it is asked at each event: to copy what it holds takes longer than the answer.
package final class StateTable: Sendable {
  /// The word that follows `any`, `all` and `count`.
  package let word: String
  /// The word before a name in brackets: `deadline("upload")`.
  package let singular: String
  /// One line about it.
  package let summary: String
  /// The families whose events fill and empty it: their kinds are all that ever change it.
  package let families: [EventFamily]
  /// What each row says.
  package let fields: [RowField]
  /// Which field a name in brackets is compared with.
  let key: Int
  let count: @Sendable (borrowing LifeState) -> Int
  let load: @Sendable (borrowing LifeState, Int, inout LifeRow) -> Void
  /// When what the row says was said last; nil where only a recording without losses can tell.
  let evidence: @Sendable (borrowing LifeRow) -> HostTime?
  /// The number of the event that made the row.
  let sequence: @Sendable (borrowing LifeRow) -> UInt64
  /// Where the row of a key is, where the table holds each once; nil where its rows are to be looked
  /// through for it.
  let find: (@Sendable (borrowing LifeState, UInt64) -> Int?)?
  /// Which row an event makes, changes or removes, beside those of events of unknown kinds; nil where one
  /// event may do so with several.
  let tracked: TrackedRows?

  init(
    word: String,
    singular: String,
    summary: String,
    families: [EventFamily],
    fields: [RowField],
    key: Int,
    count: @escaping @Sendable (borrowing LifeState) -> Int,
    load: @escaping @Sendable (borrowing LifeState, Int, inout LifeRow) -> Void,
    evidence: @escaping @Sendable (borrowing LifeRow) -> HostTime?,
    sequence: @escaping @Sendable (borrowing LifeRow) -> UInt64,
    find: (@Sendable (borrowing LifeState, UInt64) -> Int?)? = nil,
    tracked: TrackedRows? = nil
  ) {
    (self.word, self.singular, self.summary) = (word, singular, summary)
    (self.families, self.fields, self.key) = (families, fields, key)
    (self.count, self.load) = (count, load)
    (self.evidence, self.sequence) = (evidence, sequence)
    (self.find, self.tracked) = (find, tracked)
  }

  /// The table of that name, or of a row of it.
  package static func named(_ word: String) -> StateTable? {
    all.first { $0.word == word || $0.singular == word }
  }

  /// The kinds after which it may be another one; a loss among them, as it makes things unknown.
  package var touching: KindSet { Self.kinds(of: families) }

  /// The families whose events change what is found there by a name.
  var lookUpFamilies: [EventFamily] {
    word == "deadlines" ? families + SystemLimits.families : families
  }

  /// All kinds of some families, losses, and the start of a life, before which stands what the one before
  /// it left.
  static func kinds(of families: [EventFamily]) -> KindSet {
    let all = KindInfo.all.filter { families.contains($0.family) }.map(\.kind)
    return KindSet(all + [.loss, .processStart])
  }
}

extension StateTable {
  /// A row, read at a time.
  package struct Row: Sendable {
    /// What names it in brackets: `"draft.txt"` in `data("draft.txt")`.
    package let key: Scalar
    /// A value for each field, in their order.
    package let values: [Scalar]
  }

  /// The type of what stands in the brackets.
  package var keyType: ValueType { fields[key].type }

  /// The field that stands there.
  package var keyName: String { fields[key].name }
}

/// A field of a row.
package struct RowField: Sendable {
  /// Its name.
  package let name: String
  /// What it says.
  package let type: ValueType
  /// One line about it.
  package let summary: String
  /// By how much it changes each nanosecond without any event: ages grow, what is left shrinks.
  package let slope: Int8
  /// Whether one loss of its family leaves it unknown, however old: it counts from the beginning.
  let needsAll: Bool
  let read: @Sendable (borrowing LifeRow, Moment) -> Scalar

  init(
    _ name: String,
    _ type: ValueType,
    _ summary: String,
    slope: Int8 = 0,
    needsAll: Bool = false,
    _ read: @escaping @Sendable (borrowing LifeRow, Moment) -> Scalar
  ) {
    self.name = name
    self.type = type
    self.summary = summary
    self.slope = slope
    self.needsAll = needsAll
    self.read = read
  }
}

/// A fact of the state that is in no table: `state == suspended`.
package struct StateFact: Sendable {
  /// Its name.
  package let name: String
  /// What it says.
  package let type: ValueType
  /// One line about it.
  package let summary: String
  /// The families whose events change it.
  package let families: [EventFamily]
  let read: @Sendable (borrowing LifeState) -> Scalar

  /// The kinds after which it may be another one.
  package var touching: KindSet { StateTable.kinds(of: families) }

  /// The fact of that name.
  package static func named(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// All of them.
  package static let all: [StateFact] = [
    StateFact(
      name: "state",
      type: .field(.state),
      summary: "the state of the app",
      families: [.state, .process]
    ) { $0.appState == .unknown ? .unknown : Scalar(UInt64($0.appState.rawValue)) },
    StateFact(
      name: "foreground",
      type: .bool,
      summary: "whether the app is on screen",
      families: [.state, .process]
    ) { $0.appState == .unknown ? .unknown : Scalar($0.isForeground) },
    StateFact(
      name: "footprint",
      type: .bytes,
      summary: "the memory at the last sample",
      families: [.resource]
    ) { state in
      guard let time = state.footprintTime else {
        return state.completeness[.resource].isWhole ? .absent : .unknown
      }
      return state.completeness[.resource].covers(time) ? Scalar(state.footprint) : .unknown
    },
    StateFact(
      name: "locked",
      type: .bool,
      summary: "whether the device is locked",
      families: [.device]
    ) { state in
      // It has no time by which one could tell whether it was said behind a loss.
      guard state.completeness[.device].isWhole else { return .unknown }
      return state.isDeviceLocked.map { Scalar($0) } ?? .absent
    },
  ]
}
