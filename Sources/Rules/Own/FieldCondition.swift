// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What an event has to carry: one of its fields, and the value that is meant.
///
///     try FieldCondition("class", "lock", of: [.resourceAcquire])
///     try FieldCondition("bytes", ">= 4096", of: [.dataDirty])
struct FieldCondition: Sendable, Hashable {
  /// Where a kind has the field; -1 for its identity.
  struct Place: Sendable, Hashable {
    let kind: EventKind
    let index: Int
  }

  enum Test: Sendable, Hashable {
    case name(Glob)
    case equal(UInt64)
    case number(Comparison, Int64)
  }

  enum Comparison: String, Sendable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case more = ">"
    case less = "<"
    case equal = "="

    func holds(_ left: Int64, _ right: Int64) -> Bool {
      switch self {
      case .atLeast: left >= right
      case .atMost: left <= right
      case .more: left > right
      case .less: left < right
      case .equal: left == right
      }
    }
  }

  let places: [Place]
  let test: Test

  /// The condition that all of `kinds` can meet.
  init(_ field: String, _ text: String, of kinds: [EventKind]) throws(OwnRuleProblem) {
    var places: [Place] = []
    var type: FieldType?
    for kind in kinds {
      guard let info = kind.info else { continue }
      let all = (info.identity.map { [$0] } ?? []) + info.fields
      guard let known = all.firstIndex(where: { $0.name == field }) else {
        let names = all.map(\.name)
        guard !names.isEmpty else {
          throw OwnRuleProblem("`\(info.name)` carries nothing", advice: "leave `\(field)` out")
        }
        throw .unknown("field of `\(info.name)`", field, among: names)
      }
      if let type, type != all[known].type {
        throw OwnRuleProblem("`\(field)` is not the same thing in all these kinds")
      }
      type = all[known].type
      places.append(Place(kind: kind, index: known - (info.identity == nil ? 0 : 1)))
    }
    guard let type else { throw OwnRuleProblem("`\(field)` belongs to no kind") }
    self.places = places
    test = try Self.test(text, type, of: field)
  }

  private static func test(_ text: String, _ type: FieldType, of field: String)
    throws(OwnRuleProblem) -> Test
  {
    switch type {
    case .name: return .name(Glob(text))
    case .state: return .equal(try code(text, AppState.allCases.map { ($0.word, $0.rawValue) }))
    case .work: return .equal(try code(text, WorkKind.allCases.map { ("\($0)", $0.rawValue) }))
    case .level:
      let words = DurabilityLevel.allCases.map { ("\($0)", $0.rawValue) }
      return .equal(try code(text, words))
    case .resource:
      let words = ResourceClass.allCases.map { ("\($0)", $0.rawValue) }
      return .equal(try code(text, words))
    case .log: return .equal(try code(text, LogLevel.allCases.map { ("\($0)", $0.rawValue) }))
    case .bool: return .equal(try code(text, [("false", 0), ("true", 1)]))
    case .double:
      throw OwnRuleProblem("`\(field)` is a fraction, which no rule compares")
    case .int, .hex, .bytes, .duration: return try number(text, type, of: field)
    }
  }

  private static func code(_ text: String, _ known: [(String, UInt8)])
    throws(OwnRuleProblem) -> UInt64
  {
    guard let found = known.first(where: { $0.0 == text }) else {
      throw .unknown("value", text, among: known.map(\.0))
    }
    return UInt64(found.1)
  }

  private static func number(_ text: String, _ type: FieldType, of field: String)
    throws(OwnRuleProblem) -> Test
  {
    let comparison = Comparison.allCases.first { text.hasPrefix($0.rawValue) }
    let digits = text.dropFirst(comparison?.rawValue.count ?? 0).drop { $0 == " " }
    let value: Int64?
    switch type {
    case .duration: value = TypedQuantity.nanoseconds(digits)
    case .bytes: value = digits == "0" ? 0 : TypedQuantity.bytes(digits).map(Int64.init)
    case .hex where digits.hasPrefix("0x"):
      value = UInt64(digits.dropFirst(2), radix: 16).map(Int64.init(bitPattern:))
    default: value = Int64(digits)
    }
    guard let value else {
      let (noun, examples) =
        switch type {
        case .duration: ("length of time", "> 2s, <= 500ms")
        case .bytes: ("size", "> 4096, >= 1MiB")
        default: ("number", "1, > 1, <= 8")
        }
      throw OwnRuleProblem(
        "`\(text)` is no \(noun), which `\(field)` is",
        advice: "such as \(examples)"
      )
    }
    return .number(comparison ?? .equal, value)
  }
}

extension EventKind {
  /// Whether such events have a name: of their place in the source, of what they are about.
  var hasName: Bool {
    switch self {
    case .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .workBegin, .workEnd, .waitBegin,
      .waitEnd, .taskBegin, .taskExpire, .taskEnd, .wakeBegin, .wakeCompletion, .wakeReported,
      .deadlineOpen, .deadlineClose, .mark:
      true
    case .testEnd: false
    default: info?.isNameIdentity == true || namedField != nil
    }
  }

  /// The field that names such an event; nil where none does.
  var namedField: Int? {
    if self == .testBegin { return 1 }
    return info?.fields.firstIndex { $0.type == .name }
  }
}
