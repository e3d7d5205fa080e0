// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceLifecycle
package import LifetraceRules
import LifetraceTrace

// What the rules said of a recording, as a program keeps it for the next time.
//
//     {"rules": [id …], "objects": [name …], "violations": [place …], "undecidable": [place …],
//      "kept": [[turn, verdict] …], "unplaced": [[id, count] …], "unjudged": [flag, [app …], flag]}
//
// A place is an array in the order of ``FindingList/Record``. Reading believes nothing: what is not of this
// form, or points to a rule, a stream or an object that there is not, gives nil.

extension Findings {
  /// More findings than this take as long to read as the rules take.
  package static let keptMax = 20_000

  /// All of it, judged by these rules; nil where it is too much, or some of the recording was not read.
  package func json(_ rules: [RuleInfo]) -> JSON? {
    guard violations.count + undecidable.count <= Self.keptMax, !hasUnreadable else { return nil }
    let kept = violations.kept.sorted { $0.key < $1.key }
    return .object([
      ("rules", .array(rules.map { .string($0.id) })),
      ("objects", .array(violations.objects.map { .string($0) })),
      ("violations", .array(violations.records.map(\.json))),
      ("undecidable", .array(undecidable.records.map(\.json))),
      ("kept", .array(kept.map { .array([JSON(Int($0.key)), $0.value.json]) })),
      ("unplaced", .array(unplaced.map { .array([.string($0.rule), JSON($0.count)]) })),
      (
        "unjudged",
        .array([
          .bool(unjudged.isJudged), .array(unjudged.dataless.map { .string($0) }),
          .bool(unjudged.hasNoData),
        ])
      ),
    ])
  }

  /// What was kept of a recording with so many streams, judged by these rules.
  package init?(_ json: JSON, _ rules: [RuleInfo], streams: Int) {
    let ids = rules.map(\.id)
    guard json["rules"]?.strings == ids, let objects = json["objects"]?.strings,
      let kept = json["kept"]?.array, let unplaced = json["unplaced"]?.array,
      let unjudged = json["unjudged"]?.array, unjudged.count == 3,
      let isJudged = unjudged[0].bool, let dataless = unjudged[1].strings,
      let hasNoData = unjudged[2].bool
    else { return nil }
    var verdicts: [UInt32: Verdict] = [:]
    for pair in kept {
      guard let pair = pair.array, pair.count == 2,
        let turn = pair[0].int.flatMap(UInt32.init(exactly:)),
        let verdict = KeptReader(streams: streams).verdict(pair[1])
      else { return nil }
      verdicts[turn] = verdict
    }
    func list(_ key: String) -> FindingList? {
      guard let rows = json[key]?.array else { return nil }
      let records = rows.compactMap(FindingList.Record.init)
      let isWhole = records.allSatisfy {
        Int($0.rule) < ids.count && Int($0.stream) < streams && Int($0.object) < objects.count
      }
      guard isWhole, records.count == rows.count,
        zip(records, records.dropFirst()).allSatisfy({ $0.time <= $1.time })
      else { return nil }
      return FindingList(records, rules: ids, kept: verdicts, objects: objects)
    }
    guard let violations = list("violations"), let undecidable = list("undecidable") else {
      return nil
    }
    (self.violations, self.undecidable) = (violations, undecidable)
    self.unplaced = unplaced.compactMap { pair in
      guard let pair = pair.array, pair.count == 2, let rule = pair[0].string,
        let count = pair[1].int
      else { return nil }
      return (rule, Int(count))
    }
    self.unjudged = Unjudged(isJudged: isJudged, dataless: dataless, hasNoData: hasNoData)
    hasUnreadable = false
    guard self.unplaced.count == unplaced.count else { return nil }
  }
}

extension FindingList.Record {
  fileprivate var json: JSON {
    .array([
      .int(time), JSON(bits: sequence), JSON(Int(stream)), JSON(Int(object)), JSON(Int(given)),
      JSON(Int(rule)), .string(severity.rawValue), .bool(isViolation),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let row = json.array, row.count == 8, let time = row[0].int, let sequence = row[1].int,
      let stream = row[2].int.flatMap(UInt32.init(exactly:)),
      let object = row[3].int.flatMap(UInt32.init(exactly:)),
      let given = row[4].int.flatMap(UInt32.init(exactly:)),
      let rule = row[5].int.flatMap(UInt8.init(exactly:)),
      let severity = row[6].string.flatMap(Severity.init), let isViolation = row[7].bool
    else { return nil }
    self.init(
      time: time,
      sequence: UInt64(bitPattern: sequence),
      stream: stream,
      object: object,
      given: given,
      rule: rule,
      severity: severity,
      isViolation: isViolation
    )
  }
}

extension JSON {
  /// All 64 bits, which ``JSON/init(_:)-(UInt64)`` would cut.
  init(bits: UInt64) { self = .int(Int64(bitPattern: bits)) }

  fileprivate var strings: [String]? {
    guard let all = array else { return nil }
    let texts = all.compactMap(\.string)
    return texts.count == all.count ? texts : nil
  }
}
