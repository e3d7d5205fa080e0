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
    out.number(UInt64(appState.rawValue))
    out.time(stateSince)
    out.number(stateSequence)
    out.number(UInt64(stateBefore.rawValue))
    out.name(stateCause)
    out.optional(process.started) { $0.time($1) }
    out.name(process.reason)
    out.name(process.app)
    out.name(process.version)
    out.table(process.config) {
      $0.name($1)
    } value: {
      $0.name($1)
    }
    out.optional(process.ending) { $1.write(to: &$0) }
    for start in [process.renewed, process.processing] {
      out.optional(start) {
        $0.time($1.time)
        $0.signed($1.suspendedBefore)
      }
    }
    out.signed(suspendedTotal)
    out.optional(lastSuspended) { $0.time($1) }
    out.optional(lastResumed) { $0.time($1) }
    out.optional(leftForeground) { $0.time($1) }
    out.table(data) {
      $0.name($1)
    } value: {
      $1.write(to: &$0)
    }
    out.table(tasks) {
      $0.number($1)
    } value: {
      $1.write(to: &$0)
    }
    out.table(notifications) {
      $0.name($1.type)
      $0.name($1.key)
    } value: {
      $1.write(to: &$0)
    }
    out.table(spans) {
      $0.number(UInt64($1.kind.rawValue))
      $0.number($1.identity)
    } value: {
      $1.write(to: &$0)
    }
    out.table(wakes) {
      $0.number($1)
    } value: {
      $1.write(to: &$0)
    }
    out.table(deadlines) {
      $0.number($1)
    } value: {
      $1.write(to: &$0)
    }
    out.table(resources) {
      $0.name($1.name)
      $0.number(UInt64($1.classCode))
      $0.number($1.id)
    } value: {
      $1.write(to: &$0)
    }
    out.number(footprint)
    out.optional(footprintTime) { $0.time($1) }
    out.optional(isDeviceLocked) { $0.number($1 ? 1 : 0) }
    for family in EventFamily.allCases { completeness[family].write(to: &out) }
    out.time(lastTime)
    out.optional(nextSequence) { $0.number($1) }
    return out.finish(names: names)
  }

  private static func backgroundStart(
    _ input: inout KeyframeReader
  ) throws(ChunkDamage) -> BackgroundStart? {
    guard try input.flag() else { return nil }
    return BackgroundStart(time: try input.time(), suspendedBefore: try input.signed())
  }

  /// The facts of a keyframe, with its strings interned in `names`.
  ///
  /// - Throws: ``ChunkDamage``, also for a keyframe of another version of the fold; the reader
  ///   then folds from an earlier one, or from the start.
  public init(decoding bytes: [UInt8], names: inout Names) throws(ChunkDamage) {
    var input = try KeyframeReader(bytes)
    swap(&input.names, &names)
    defer { swap(&input.names, &names) }
    self.init()
    appState = try input.code("state")
    stateSince = try input.time()
    stateSequence = try input.number()
    stateBefore = try input.code("state")
    stateCause = try input.name()
    process.started = try input.optionalTime()
    process.reason = try input.name()
    process.app = try input.name()
    process.version = try input.name()
    for _ in 0..<(try input.count(max: ProcessFacts.configMax)) {
      let key = try input.name()
      process.config.insert(try input.name(), for: key)
    }
    if try input.flag() { process.ending = try Ending(from: &input) }
    process.renewed = try Self.backgroundStart(&input)
    process.processing = try Self.backgroundStart(&input)
    suspendedTotal = try input.signed()
    lastSuspended = try input.optionalTime()
    lastResumed = try input.optionalTime()
    leftForeground = try input.optionalTime()
    try readTables(&input)
    footprint = try input.number()
    footprintTime = try input.optionalTime()
    if try input.flag() { isDeviceLocked = try input.flag() }
    for family in EventFamily.allCases { completeness[family] = try Completeness(from: &input) }
    lastTime = try input.time()
    if try input.flag() { nextSequence = try input.number() }
    try input.end()
  }

  private mutating func readTables(_ input: inout KeyframeReader) throws(ChunkDamage) {
    for _ in 0..<(try input.count(max: Self.objectsMax)) {
      let name = try input.name()
      data.insert(try DataObject(name: name, from: &input), for: name)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let id = try input.number()
      tasks.insert(try OpenTask(from: &input), for: id)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let key = NotificationKey(try input.name(), try input.name())
      notifications.insert(try PendingNotification(key, from: &input), for: key)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let kind = EventKind(rawValue: UInt8(clamping: try input.number()))
      let key = SpanKey(try input.number(), kind)
      spans.insert(try OpenSpan(kind, from: &input), for: key)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let id = try input.number()
      wakes.insert(try OpenWake(from: &input), for: id)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let id = try input.number()
      deadlines.insert(try OpenDeadline(from: &input), for: id)
    }
    for _ in 0..<(try input.count(max: Self.openMax)) {
      let key = ResourceKey(
        try input.name(),
        UInt8(clamping: try input.number()),
        try input.number()
      )
      resources.insert(try HeldResource(key, from: &input), for: key)
    }
  }
}

extension KeyframeWriter {
  /// Count, then the pairs in the order of their keys.
  mutating func table<Key, Value>(
    _ table: FlatTable<Key, Value>,
    key: (inout KeyframeWriter, Key) -> Void,
    value: (inout KeyframeWriter, Value) -> Void
  ) {
    number(UInt64(table.count))
    let sorted = table.entries.sorted { $0.key.order < $1.key.order }
    for entry in sorted {
      key(&self, entry.key)
      value(&self, entry.value)
    }
  }
}

extension KeyframeReader {
  mutating func optionalTime() throws(ChunkDamage) -> HostTime? {
    try flag() ? try time() : nil
  }
}
