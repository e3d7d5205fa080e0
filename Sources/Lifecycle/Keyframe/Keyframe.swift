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
    var out = KeyframeWriter()
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
    try code(with: &input)
    try input.end()
  }

  private mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.code(&appState, "state")
    try coder.time(&stateSince)
    try coder.number(&stateSequence)
    try coder.code(&stateBefore, "state")
    try coder.name(&stateCause)
    try coder.optional(&process.started)
    try coder.name(&process.reason)
    try coder.name(&process.app)
    try coder.name(&process.version)
    try coder.table(&process.config, max: ProcessFacts.configMax)
    try coder.optional(&process.ending)
    try coder.optional(&process.renewed)
    try coder.optional(&process.processing)
    try coder.signed(&suspendedTotal)
    try coder.optional(&lastSuspended)
    try coder.optional(&lastResumed)
    try coder.optional(&leftForeground)
    try coder.table(&data, max: Self.objectsMax) { DataObject(name: $0) }
    try coder.table(&tasks, max: Self.openMax)
    try coder.table(&notifications, max: Self.openMax) { key in
      var pending = PendingNotification()
      (pending.type, pending.key) = (key.type, key.key)
      return pending
    }
    try coder.table(&spans, max: Self.openMax) { key in
      var span = OpenSpan()
      span.kind = key.kind
      return span
    }
    try coder.table(&wakes, max: Self.openMax)
    try coder.table(&deadlines, max: Self.openMax)
    try coder.table(&resources, max: Self.openMax) { key in
      var resource = HeldResource()
      (resource.name, resource.classCode) = (key.name, key.classCode)
      return resource
    }
    try coder.number(&footprint)
    try coder.optional(&footprintTime)
    try coder.optional(&isDeviceLocked)
    for family in EventFamily.allCases { try completeness[family].code(with: &coder) }
    try coder.time(&lastTime)
    try coder.optional(&nextSequence)
  }
}
