// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// The parts of a keyframe, in the order of their bytes.

extension LifeState.Ending: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&cause)
    coder.number(&code)
    coder.name(&evidence)
    coder.time(&time)
    coder.number(&sequence)
    coder.code(&state, "state")
  }
}

extension LifeState.BackgroundStart: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.time(&time)
    coder.signed(&suspendedBefore)
  }
}

extension Completeness {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    let begin: HostTime? = if case .time(let time) = since { time } else { nil }
    var reach = Reach(begin, isFull: isFull)
    coder.code(&reach, "completeness")
    if reach == .birth {
      (since, isFull) = (.birth, false)
    } else {
      var time = begin ?? HostTime(rawValue: 0)
      coder.time(&time)
      since = .time(time)
      isFull = reach == .fullSince || time == Self.full
    }
    coder.number(&lost)
  }

  /// Since when, where nothing was lost but a table had no room for all.
  private static var full: HostTime { HostTime(rawValue: .min) }

  /// How the point stands in a keyframe from which a ledger is complete.
  private enum Reach: UInt8 {
    case birth
    case since
    /// Events were lost, and a table had no room for all.
    case fullSince

    init(_ begin: HostTime?, isFull: Bool) {
      self = begin == nil ? .birth : isFull && begin != Completeness.full ? .fullSince : .since
    }
  }
}

extension DataObject: KeyframePart {
  init() { self.init(name: .empty) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.optional(&dirty)
    coder.optional(&firstUnsaved)
    coder.optional(&firstAfterFlush)
    coder.optional(&flushing)
    openFlushes.code(with: &coder)
    coder.flag(&flushesOverlap)
    for level in DurabilityLevel.allCases { coder.number(&durable[level]) }
    standing.content.code(with: &coder)
    coder.code(&standing.level, "level")
    var known = Knowledge(isDoubtful: isDoubtful, isPlain: isPlain)
    coder.code(&known, "knowledge of a file")
    (isDoubtful, isPlain) = (known.isDoubtful, known.isPlain)
    coder.flag(&isCrossed)
    coder.number(&candidates.bits)
    coder.optional(&lastSave)
    coder.optional(&lastCopy)
    coder.number(&discarded)
    coder.small(&failures, "count")
    coder.optional(&lastFailure)
    coder.optional(&restored)
    coder.optional(&foundAtLaunch)
    coder.optional(&inherited)
  }
}

extension DataObject {
  /// Two flags in a number, the first of which once stood there alone.
  private struct Knowledge: RawRepresentable {
    let rawValue: UInt8

    init?(rawValue: UInt8) {
      guard rawValue < 4 else { return nil }
      self.rawValue = rawValue
    }

    init(isDoubtful: Bool, isPlain: Bool) {
      rawValue = (isDoubtful ? 1 : 0) | (isPlain ? 2 : 0)
    }

    var isDoubtful: Bool { rawValue & 1 > 0 }
    var isPlain: Bool { rawValue & 2 > 0 }
  }
}

extension OpenFlushes {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    let versions = Array(listedVersions)
    var count = versions.count
    coder.count(&count, max: Self.listedMax)
    var read = OpenFlushes()
    for place in 0..<count {
      var version = place < versions.count ? versions[place] : 0
      coder.number(&version)
      read.begin(version)
    }
    var (unlisted, newest) = (unlisted, newest)
    coder.small(&unlisted, "count")
    coder.number(&newest)
    read.resume(unlisted: unlisted, newest: newest)
    self = read
  }
}

extension DataObject.Content {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&bytes)
    coder.number(&hash)
  }
}

extension DataObject.Edit: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    coder.number(&bytes)
    coder.number(&hash)
    coder.time(&time)
    coder.number(&sequence)
    coder.site(&site)
    coder.thread(&thread)
  }
}

extension DataObject.Flush: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    content.code(with: &coder)
    coder.time(&time)
    coder.number(&sequence)
    coder.site(&site)
    coder.thread(&thread)
  }
}

extension DataObject.Save: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    coder.code(&level, "level")
    content.code(with: &coder)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension DataObject.Copy: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension DataObject.Failure: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    coder.signed(&errno)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension DataObject.Restored: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    content.code(with: &coder)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension DataObject.Inherited: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.number(&version)
    coder.number(&newest)
    coder.number(&bytes)
  }
}

extension OpenSpan: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    // An awaited name and a queue are strings; the kind of work is a number.
    coder.word(&detail, isName: kind == .waitBegin)
    coder.word(&queue, isName: kind == .workBegin)
    coder.site(&site)
    coder.thread(&thread)
    coder.time(&time)
    coder.number(&sequence)
    coder.signed(&suspendedBefore)
  }
}

extension KeyframeCoder where Self: ~Copyable {
  /// A word of an event, which may be a name.
  fileprivate mutating func word(_ word: inout UInt64, isName: Bool) {
    guard isName else { return number(&word) }
    var id = NameID(word: word)
    name(&id)
    word = UInt64(id.rawValue)
  }
}

extension OpenTask: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&name)
    coder.time(&time)
    coder.number(&sequence)
    coder.site(&site)
    coder.thread(&thread)
    coder.signed(&granted)
    coder.flag(&hasHandler)
    coder.optional(&expired)
    coder.optional(&backgroundSince)
    coder.signed(&suspendedBefore)
  }
}

extension PendingNotification: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&firstValue)
    coder.name(&lastValue)
    coder.number(&posts)
    coder.time(&time)
    coder.number(&sequence)
    coder.flag(&whileSuspended)
  }
}

extension OpenWake: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&reason)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension OpenDeadline: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&what)
    coder.signed(&budget)
    coder.flag(&countsCPU)
    coder.time(&time)
    coder.number(&sequence)
  }
}

extension HeldResource: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&attribute)
    coder.time(&time)
    coder.number(&sequence)
    coder.site(&site)
    coder.thread(&thread)
    if coder.countsLocks { coder.small(&holds, "count") }
  }
}

// MARK: - Keys, and what stands alone

extension SpanKey: KeyframePart {
  init() { self.init(0, EventKind(rawValue: 0)) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    var number = kind.rawValue
    coder.open(&number)
    kind = EventKind(rawValue: number)
    coder.number(&identity)
  }
}

extension NotificationKey: KeyframePart {
  init() { self.init(.empty, .empty) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&type)
    coder.name(&key)
  }
}

extension ResourceKey: KeyframePart {
  init() { self.init(.empty, 0, 0) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&name)
    coder.open(&classCode)
    coder.number(&id)
  }
}

extension HolderKey: KeyframePart {
  init() { self.init(.empty, .main, 0) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.name(&name)
    coder.thread(&thread)
    coder.number(&id)
  }
}

extension NameID: KeyframePart {
  init() { self = .empty }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) { coder.name(&self) }
}

extension UInt64: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) { coder.number(&self) }
}

extension HostTime: KeyframePart {
  init() { self.init(rawValue: 0) }

  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) { coder.time(&self) }
}

extension Bool: KeyframePart {
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable) { coder.flag(&self) }
}
