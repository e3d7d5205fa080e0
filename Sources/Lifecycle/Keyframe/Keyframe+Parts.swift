// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// The parts of a keyframe; each `write` is the mirror of the `init` below it.

extension LifeState.Ending {
  func write(to out: inout KeyframeWriter) {
    out.name(cause)
    out.number(code)
    out.name(evidence)
    out.time(time)
    out.number(sequence)
    out.number(UInt64(state.rawValue))
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    cause = try input.name()
    code = try input.number()
    evidence = try input.name()
    time = try input.time()
    sequence = try input.number()
    state = try input.code("state")
  }
}

extension Completeness {
  func write(to out: inout KeyframeWriter) {
    switch since {
    case .birth: out.number(0)
    case .time(let time):
      out.number(1)
      out.time(time)
    }
    out.number(lost)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    since = try input.flag() ? .time(try input.time()) : .birth
    lost = try input.number()
  }
}

extension DataObject {
  func write(to out: inout KeyframeWriter) {
    for edit in [dirty, firstUnsaved, firstAfterFlush] {
      out.optional(edit) { $1.write(to: &$0) }
    }
    out.optional(flushing) { $1.write(to: &$0) }
    openFlushes.write(to: &out)
    out.number(flushesOverlap ? 1 : 0)
    for level in DurabilityLevel.allCases {
      out.number(durable[level])
    }
    standing.content.write(to: &out)
    out.number(UInt64(standing.level.rawValue))
    out.number(isDoubtful ? 1 : 0)
    out.number(isCrossed ? 1 : 0)
    out.number(candidates.bits)
    out.optional(lastSave) { out, save in
      out.number(save.version)
      out.number(UInt64(save.level.rawValue))
      save.content.write(to: &out)
      out.time(save.time)
      out.number(save.sequence)
    }
    out.optional(lastCopy) { out, copy in
      out.number(copy.version)
      out.time(copy.time)
      out.number(copy.sequence)
    }
    out.number(discarded)
    out.number(UInt64(failures))
    out.optional(lastFailure) { out, failure in
      out.number(failure.version)
      out.signed(failure.errno)
      out.time(failure.time)
      out.number(failure.sequence)
    }
    for found in [restored, foundAtLaunch] {
      out.optional(found) { $1.write(to: &$0) }
    }
    out.optional(inherited) { out, inherited in
      out.number(inherited.version)
      out.number(inherited.newest)
      out.number(inherited.bytes)
    }
  }

  init(name: NameID, from input: inout KeyframeReader) throws(ChunkDamage) {
    self.init(name: name)
    if try input.flag() { dirty = try Edit(from: &input) }
    if try input.flag() { firstUnsaved = try Edit(from: &input) }
    if try input.flag() { firstAfterFlush = try Edit(from: &input) }
    if try input.flag() { flushing = try Flush(from: &input) }
    openFlushes = try OpenFlushes(from: &input)
    flushesOverlap = try input.flag()
    for level in DurabilityLevel.allCases {
      durable[level] = try input.number()
    }
    standing = Standing(content: try Content(from: &input), level: try input.code("level"))
    isDoubtful = try input.flag()
    isCrossed = try input.flag()
    candidates.bits = try input.number()
    if try input.flag() {
      lastSave = Save(
        version: try input.number(),
        level: try input.code("level"),
        content: try Content(from: &input),
        time: try input.time(),
        sequence: try input.number()
      )
    }
    if try input.flag() {
      lastCopy = Copy(
        version: try input.number(),
        time: try input.time(),
        sequence: try input.number()
      )
    }
    discarded = try input.number()
    failures = try input.small("count")
    if try input.flag() {
      lastFailure = Failure(
        version: try input.number(),
        errno: try input.signed(),
        time: try input.time(),
        sequence: try input.number()
      )
    }
    if try input.flag() { restored = try Restored(from: &input) }
    if try input.flag() { foundAtLaunch = try Restored(from: &input) }
    if try input.flag() {
      inherited = Inherited(
        version: try input.number(),
        newest: try input.number(),
        bytes: try input.number()
      )
    }
  }
}

extension OpenFlushes {
  func write(to out: inout KeyframeWriter) {
    out.number(UInt64(listedVersions.count))
    for version in listedVersions { out.number(version) }
    out.number(UInt64(unlisted))
    out.number(newest)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    var open = OpenFlushes()
    for _ in 0..<(try input.count(max: Self.listedMax)) { open.begin(try input.number()) }
    open.resume(unlisted: try input.small("count"), newest: try input.number())
    self = open
  }
}

extension DataObject.Content {
  func write(to out: inout KeyframeWriter) {
    out.number(bytes)
    out.number(hash)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    bytes = try input.number()
    hash = try input.number()
  }
}

extension DataObject.Restored {
  func write(to out: inout KeyframeWriter) {
    out.number(version)
    content.write(to: &out)
    out.time(time)
    out.number(sequence)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    version = try input.number()
    content = try DataObject.Content(from: &input)
    time = try input.time()
    sequence = try input.number()
  }
}

extension DataObject.Edit {
  func write(to out: inout KeyframeWriter) {
    out.number(version)
    out.number(bytes)
    out.number(hash)
    out.time(time)
    out.number(sequence)
    out.site(site)
    out.number(UInt64(thread.rawValue))
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    version = try input.number()
    bytes = try input.number()
    hash = try input.number()
    time = try input.time()
    sequence = try input.number()
    site = try input.site()
    thread = try input.thread()
  }
}

extension DataObject.Flush {
  func write(to out: inout KeyframeWriter) {
    out.number(version)
    content.write(to: &out)
    out.time(time)
    out.number(sequence)
    out.site(site)
    out.number(UInt64(thread.rawValue))
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    version = try input.number()
    content = try DataObject.Content(from: &input)
    time = try input.time()
    sequence = try input.number()
    site = try input.site()
    thread = try input.thread()
  }
}

extension OpenSpan {
  func write(to out: inout KeyframeWriter) {
    // An awaited name and a queue are strings; the kind of work is a number.
    if kind == .waitBegin {
      out.name(NameID(word: detail))
    } else {
      out.number(detail)
    }
    if kind == .workBegin {
      out.name(NameID(word: queue))
    } else {
      out.number(queue)
    }
    out.site(site)
    out.number(UInt64(thread.rawValue))
    out.time(time)
    out.number(sequence)
    out.signed(suspendedBefore)
  }

  init(_ kind: EventKind, from input: inout KeyframeReader) throws(ChunkDamage) {
    self.kind = kind
    detail = kind == .waitBegin ? UInt64(try input.name().rawValue) : try input.number()
    queue = kind == .workBegin ? UInt64(try input.name().rawValue) : try input.number()
    site = try input.site()
    thread = try input.thread()
    time = try input.time()
    sequence = try input.number()
    suspendedBefore = try input.signed()
  }
}

extension OpenTask {
  func write(to out: inout KeyframeWriter) {
    out.name(name)
    out.time(time)
    out.number(sequence)
    out.site(site)
    out.number(UInt64(thread.rawValue))
    out.signed(granted)
    out.number(hasHandler ? 1 : 0)
    out.optional(expired) { $0.time($1) }
    out.optional(backgroundSince) { $0.time($1) }
    out.signed(suspendedBefore)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    name = try input.name()
    time = try input.time()
    sequence = try input.number()
    site = try input.site()
    thread = try input.thread()
    granted = try input.signed()
    hasHandler = try input.flag()
    expired = try input.optionalTime()
    backgroundSince = try input.optionalTime()
    suspendedBefore = try input.signed()
  }
}

extension PendingNotification {
  func write(to out: inout KeyframeWriter) {
    out.name(firstValue)
    out.name(lastValue)
    out.number(posts)
    out.time(time)
    out.number(sequence)
    out.number(whileSuspended ? 1 : 0)
  }

  init(_ key: NotificationKey, from input: inout KeyframeReader) throws(ChunkDamage) {
    type = key.type
    self.key = key.key
    firstValue = try input.name()
    lastValue = try input.name()
    posts = try input.number()
    time = try input.time()
    sequence = try input.number()
    whileSuspended = try input.flag()
  }
}

extension OpenWake {
  func write(to out: inout KeyframeWriter) {
    out.name(reason)
    out.time(time)
    out.number(sequence)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    reason = try input.name()
    time = try input.time()
    sequence = try input.number()
  }
}

extension OpenDeadline {
  func write(to out: inout KeyframeWriter) {
    out.name(what)
    out.signed(budget)
    out.number(countsCPU ? 1 : 0)
    out.time(time)
    out.number(sequence)
  }

  init(from input: inout KeyframeReader) throws(ChunkDamage) {
    what = try input.name()
    budget = try input.signed()
    countsCPU = try input.flag()
    time = try input.time()
    sequence = try input.number()
  }
}

extension HeldResource {
  func write(to out: inout KeyframeWriter) {
    out.name(attribute)
    out.time(time)
    out.number(sequence)
    out.site(site)
    out.number(UInt64(thread.rawValue))
  }

  init(_ key: ResourceKey, from input: inout KeyframeReader) throws(ChunkDamage) {
    name = key.name
    classCode = key.classCode
    attribute = try input.name()
    time = try input.time()
    sequence = try input.number()
    site = try input.site()
    thread = try input.thread()
  }
}
