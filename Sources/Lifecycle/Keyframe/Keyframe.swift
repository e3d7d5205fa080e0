// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

// The keyframe of a chunk: the facts before its first event, as bytes.
//
//     version (1 byte), strings, sites, then the fields of LifeState in the order below
//
// Integers are LEB128, signed ones zigzag; a string or a site stands once in its
// table and then by index. Tables are written in order of their keys, so that
// equal states have equal bytes. Decoding believes nothing: it throws, and never
// allocates more than a small multiple of the bytes given.

extension LifeState {
  /// The facts as bytes, strings inline.
  public func encode(names: borrowing Names) -> [UInt8] {
    var out = KeyframeWriter(countsLocks: hasCountedLocks)
    var state = self
    state.code(with: &out)
    return out.finish(names: names)
  }

  /// The facts of a keyframe, with its strings interned in `names`.
  ///
  /// - Throws: `ChunkDamage`, also for a keyframe of another version of the fold; the reader
  ///   then folds from an earlier one, or from the start.
  public init(decoding bytes: [UInt8], names: inout Names) throws(ChunkDamage) {
    var input = try KeyframeReader(bytes)
    swap(&input.names, &names)
    defer { swap(&input.names, &names) }
    self.init()
    code(with: &input)
    try input.end(areLocksConsistent: areLocksConsistent)
  }

  private mutating func code(with coder: inout some KeyframeCoder & ~Copyable) {
    coder.code(&appState, "state")
    coder.time(&stateSince)
    coder.number(&stateSequence)
    coder.code(&stateBefore, "state")
    coder.name(&stateCause)
    coder.optional(&process.started)
    coder.name(&process.reason)
    coder.name(&process.app)
    coder.name(&process.version)
    coder.table(&process.config, max: ProcessFacts.configMax)
    coder.optional(&process.ending)
    coder.optional(&process.renewed)
    coder.optional(&process.processing)
    coder.signed(&suspendedTotal)
    coder.optional(&lastSuspended)
    coder.optional(&lastResumed)
    coder.optional(&leftForeground)
    coder.table(&data, max: Self.objectsMax) { DataObject(name: $0) }
    coder.table(&tasks, max: Self.openMax)
    coder.table(&notifications, max: Self.openMax) { key in
      var pending = PendingNotification()
      (pending.type, pending.key) = (key.type, key.key)
      return pending
    }
    coder.table(&spans, max: Self.openMax) { key in
      var span = OpenSpan()
      span.kind = key.kind
      return span
    }
    coder.table(&wakes, max: Self.openMax)
    coder.table(&deadlines, max: Self.openMax)
    coder.table(&resources, max: Self.openMax) { key in
      var resource = HeldResource()
      (resource.name, resource.classCode) = (key.name, key.classCode)
      return resource
    }
    if coder.countsLocks {
      coder.table(&sharedHolds, max: Self.openMax) { key in
        var hold = HeldResource()
        (hold.name, hold.thread) = (key.name, key.thread)
        hold.classCode = ResourceClass.lock.rawValue
        return hold
      }
    }
    coder.number(&footprint)
    coder.optional(&footprintTime)
    coder.optional(&isDeviceLocked)
    for family in EventFamily.allCases { completeness[family].code(with: &coder) }
    coder.time(&lastTime)
    coder.optional(&nextSequence)
    if nextSequence == nil { completeness.empty() }
  }
}
