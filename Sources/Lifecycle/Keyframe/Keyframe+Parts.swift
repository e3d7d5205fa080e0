// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// The parts of a keyframe, in the order of their bytes.

extension LifeState.Ending: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&cause)
    try coder.number(&code)
    try coder.name(&evidence)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.code(&state, "state")
  }
}

extension LifeState.BackgroundStart: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.time(&time)
    try coder.signed(&suspendedBefore)
  }
}

extension Completeness {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    var begin: HostTime? = if case .time(let time) = since { time } else { nil }
    try coder.optional(&begin)
    since = begin.map { .time($0) } ?? .birth
    try coder.number(&lost)
  }
}

extension DataObject: KeyframePart {
  init() { self.init(name: .empty) }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.optional(&dirty)
    try coder.optional(&firstUnsaved)
    try coder.optional(&firstAfterFlush)
    try coder.optional(&flushing)
    try openFlushes.code(with: &coder)
    try coder.flag(&flushesOverlap)
    for level in DurabilityLevel.allCases { try coder.number(&durable[level]) }
    try standing.content.code(with: &coder)
    try coder.code(&standing.level, "level")
    try coder.flag(&isDoubtful)
    try coder.flag(&isCrossed)
    try coder.number(&candidates.bits)
    try coder.optional(&lastSave)
    try coder.optional(&lastCopy)
    try coder.number(&discarded)
    try coder.small(&failures, "count")
    try coder.optional(&lastFailure)
    try coder.optional(&restored)
    try coder.optional(&foundAtLaunch)
    try coder.optional(&inherited)
  }
}

extension OpenFlushes {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    let versions = Array(listedVersions)
    var count = versions.count
    try coder.count(&count, max: Self.listedMax)
    var read = OpenFlushes()
    for place in 0..<count {
      var version = place < versions.count ? versions[place] : 0
      try coder.number(&version)
      read.begin(version)
    }
    var (unlisted, newest) = (unlisted, newest)
    try coder.small(&unlisted, "count")
    try coder.number(&newest)
    read.resume(unlisted: unlisted, newest: newest)
    self = read
  }
}

extension DataObject.Content {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&bytes)
    try coder.number(&hash)
  }
}

extension DataObject.Edit: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try coder.number(&bytes)
    try coder.number(&hash)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.site(&site)
    try coder.thread(&thread)
  }
}

extension DataObject.Flush: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try content.code(with: &coder)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.site(&site)
    try coder.thread(&thread)
  }
}

extension DataObject.Save: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try coder.code(&level, "level")
    try content.code(with: &coder)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension DataObject.Copy: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension DataObject.Failure: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try coder.signed(&errno)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension DataObject.Restored: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try content.code(with: &coder)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension DataObject.Inherited: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number(&version)
    try coder.number(&newest)
    try coder.number(&bytes)
  }
}

extension OpenSpan: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    // An awaited name and a queue are strings; the kind of work is a number.
    try coder.word(&detail, isName: kind == .waitBegin)
    try coder.word(&queue, isName: kind == .workBegin)
    try coder.site(&site)
    try coder.thread(&thread)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.signed(&suspendedBefore)
  }
}

extension KeyframeCoder where Self: ~Copyable {
  /// A word of an event, which may be a name.
  fileprivate mutating func word(_ word: inout UInt64, isName: Bool) throws(Failure) {
    guard isName else { return try number(&word) }
    var id = NameID(word: word)
    try name(&id)
    word = UInt64(id.rawValue)
  }
}

extension OpenTask: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&name)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.site(&site)
    try coder.thread(&thread)
    try coder.signed(&granted)
    try coder.flag(&hasHandler)
    try coder.optional(&expired)
    try coder.optional(&backgroundSince)
    try coder.signed(&suspendedBefore)
  }
}

extension PendingNotification: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&firstValue)
    try coder.name(&lastValue)
    try coder.number(&posts)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.flag(&whileSuspended)
  }
}

extension OpenWake: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&reason)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension OpenDeadline: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&what)
    try coder.signed(&budget)
    try coder.flag(&countsCPU)
    try coder.time(&time)
    try coder.number(&sequence)
  }
}

extension HeldResource: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&attribute)
    try coder.time(&time)
    try coder.number(&sequence)
    try coder.site(&site)
    try coder.thread(&thread)
  }
}

// MARK: - Keys, and what stands alone

extension SpanKey: KeyframePart {
  init() { self.init(0, EventKind(rawValue: 0)) }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    var number = kind.rawValue
    try coder.open(&number)
    kind = EventKind(rawValue: number)
    try coder.number(&identity)
  }
}

extension NotificationKey: KeyframePart {
  init() { self.init(.empty, .empty) }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&type)
    try coder.name(&key)
  }
}

extension ResourceKey: KeyframePart {
  init() { self.init(.empty, 0, 0) }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.name(&name)
    try coder.open(&classCode)
    try coder.number(&id)
  }
}

extension NameID: KeyframePart {
  init() { self = .empty }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) { try coder.name(&self) }
}

extension UInt64: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) { try coder.number(&self) }
}

extension HostTime: KeyframePart {
  init() { self.init(rawValue: 0) }

  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) { try coder.time(&self) }
}

extension Bool: KeyframePart {
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) { try coder.flag(&self) }
}
