// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What the app's own lines stand for, as the user's map says.
extension LogLife {
  /// Work of the app whose end was not seen yet is remembered for so many names.
  private static let openWorkMax = 4_096
  /// A thread that is not main: which one it is a map does not say.
  private static let someThread = ThreadID(rawValue: 1)

  mutating func tellMapped(_ fact: LogFact, _ names: inout Names) {
    guard let map, map.rules.indices.contains(Int(fact.a)) else { return }
    let rule = map.rules[Int(fact.a)]
    let subject = fact.text == .empty ? names.intern(rule.subject) : fact.text
    switch rule.kind {
    case .workBegin: beginWork(rule, subject, fact, &names)
    case .workEnd: endWork(rule, subject, fact, &names)
    case .mark: emit(Payload.Mark(), fact, &names, name: subject)
    default: tellData(rule, subject, fact, &names)
    }
  }

  /// A version that the line does not say is the next one of an edit, and the last one of all else.
  private mutating func tellData(
    _ rule: LogMap.Rule,
    _ object: NameID,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    let last = versions[object] ?? 0
    let said = fact.b >= 0 ? UInt64(fact.b) : nil
    let bytes = UInt64(clamping: fact.c)
    let version = said ?? (rule.kind == .dirty ? last + 1 : max(last, 1))
    if versions.count < Self.openWorkMax || versions[object] != nil {
      versions[object] = max(last, version)
    }
    switch rule.kind {
    case .dirty:
      let edit = Payload.DataDirty(object: object, version: version, bytes: bytes, hash: 0)
      emit(edit, fact, &names)
    case .flushing:
      emit(Payload.DataFlushing(object: object, version: version, bytes: bytes), fact, &names)
    case .durable:
      let save = Payload.DataDurable(
        object: object,
        version: version,
        level: rule.level,
        bytes: bytes,
        hash: 0
      )
      emit(save, fact, &names)
    case .restored:
      let found = Payload.DataRestored(object: object, version: version, bytes: bytes, hash: 0)
      emit(found, fact, &names)
    case .failed:
      let failure = Payload.DataFailed(object: object, version: version, errno: 0, why: fact.other)
      emit(failure, fact, &names)
    case .discarded:
      emit(Payload.DataDiscarded(object: object, version: version), fact, &names)
    case .workBegin, .workEnd, .mark: break
    }
  }

  private mutating func beginWork(
    _ rule: LogMap.Rule,
    _ name: NameID,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    guard openWork.count < Self.openWorkMax else { return }
    workBegun += 1
    openWork[name, default: []].append(workBegun)
    emit(
      Payload.WorkBegin(id: workBegun, kind: rule.work),
      fact,
      &names,
      name: name,
      thread: rule.isMain ? .main : Self.someThread
    )
  }

  private mutating func endWork(
    _ rule: LogMap.Rule,
    _ name: NameID,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    guard let id = openWork[name]?.popLast() else {
      return note("\(names[name]) ends, and its begin is not in the log", fact, &names)
    }
    if openWork[name]?.isEmpty == true { openWork[name] = nil }
    emit(
      Payload.WorkEnd(id: id),
      fact,
      &names,
      name: name,
      thread: rule.isMain ? .main : Self.someThread
    )
  }
}
