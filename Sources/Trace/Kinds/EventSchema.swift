// SPDX-License-Identifier: Apache-2.0

/// How the 64 bits of an argument or an identity are to be read.
public enum FieldType: UInt8, Sendable, CaseIterable {
  /// A signed integer.
  case int
  /// An unsigned integer, printed in hexadecimal (hashes, codes, flow ids).
  case hex
  /// A ``NameID``: an interned string.
  case name
  /// Nanoseconds.
  case duration
  /// A size in bytes.
  case bytes
  /// 0 or 1.
  case bool
  /// An ``AppState`` by its raw value.
  case state
  /// A ``WorkKind`` by its raw value.
  case work
  /// A ``DurabilityLevel`` by its raw value.
  case level
  /// A ``ResourceClass`` by its raw value.
  case resource
  /// The bits of a Double.
  case double
  /// A ``LogLevel`` by its raw value.
  case log
}

/// One argument of an event: its name and how to read it.
public struct Field: Hashable, Sendable {
  /// The word printed before the value, such as `version`.
  public var name: String
  /// How to read the 64 bits.
  public var type: FieldType

  /// Makes a field.
  public init(_ name: String, _ type: FieldType) {
    self.name = name
    self.type = type
  }
}

/// What is known of a kind: its name in the story format, its family, what its
/// identity is, and its fixed arguments.
///
/// A chunk carries this table for the kinds in it, so that a reader without
/// them can still print every event.
public struct KindInfo: Hashable, Sendable {
  /// The kind itself.
  public var kind: EventKind
  /// The dotted name, `family.verb`, as printed and as accepted by searches.
  public var name: String
  /// The family, for losses and ledgers.
  public var family: EventFamily
  /// What the identity is, or nil when the kind has none.
  public var identity: Field?
  /// The fixed arguments, in order; a site may add labelled ones behind them.
  public var fields: [Field]
  /// The kind that ends what this one begins, if it has an extent.
  public var ending: EventKind?
}

extension KindInfo {
  private init(
    _ kind: EventKind,
    _ name: String,
    _ family: EventFamily,
    _ identity: Field? = nil,
    _ fields: [Field] = [],
    endedBy ending: EventKind? = nil
  ) {
    self.kind = kind
    self.name = name
    self.family = family
    self.identity = identity
    self.fields = fields
    self.ending = ending
  }

  /// Every kind of this version.
  ///
  /// At most ``Event/argumentsMax`` arguments each.
  public static let all: [KindInfo] = [
    // The launch reason is a name such as `icon`, `push`, `prewarm`.
    .init(
      .processStart,
      "process.start",
      .process,
      Field("previous", .hex),
      [Field("reason", .name), Field("app", .name), Field("version", .name)]
    ),
    .init(
      .processConfig,
      "process.config",
      .process,
      Field("key", .name),
      [Field("value", .name)]
    ),
    // `code` is a termination code (0x8badf00d), an exit status or a signal, by `cause`.
    .init(
      .processExit,
      "process.exit",
      .process,
      nil,
      [Field("cause", .name), Field("code", .hex), Field("evidence", .name)]
    ),

    .init(
      .transition,
      "state.transition",
      .state,
      nil,
      [Field("from", .state), Field("to", .state), Field("cause", .name), Field("cpu", .duration)]
    ),
    .init(.suspend, "state.suspend", .state, nil, [Field("evidence", .name)]),
    .init(
      .resume,
      "state.resume",
      .state,
      nil,
      [Field("reason", .name), Field("evidence", .name)]
    ),
    .init(.purge, "state.purge", .state, nil, [Field("cause", .name), Field("evidence", .name)]),

    .init(
      .callbackBegin,
      "callback.begin",
      .callback,
      Field("id", .int),
      [],
      endedBy: .callbackEnd
    ),
    .init(
      .callbackEnd,
      "callback.end",
      .callback,
      Field("id", .int),
      [Field("returned", .int), Field("cpu", .duration)]
    ),
    .init(.turnBegin, "turn.begin", .callback, Field("id", .int), [], endedBy: .turnEnd),
    .init(.turnEnd, "turn.end", .callback, Field("id", .int)),

    .init(
      .notificationPosted,
      "notification.posted",
      .notification,
      Field("type", .name),
      [Field("key", .name), Field("value", .name), Field("origin", .name)]
    ),
    .init(
      .notificationCoalesced,
      "notification.coalesced",
      .notification,
      Field("type", .name),
      [Field("key", .name), Field("value", .name), Field("posts", .int)]
    ),
    .init(
      .notificationDelivered,
      "notification.delivered",
      .notification,
      Field("type", .name),
      [Field("key", .name), Field("value", .name)]
    ),
    .init(
      .notificationHandled,
      "notification.handled",
      .notification,
      Field("type", .name),
      [Field("key", .name), Field("took", .duration)]
    ),
    .init(
      .notificationDropped,
      "notification.dropped",
      .notification,
      Field("type", .name),
      [Field("key", .name), Field("value", .name), Field("why", .name)]
    ),

    .init(
      .wakeBegin,
      "wake.begin",
      .wake,
      Field("id", .int),
      [Field("reason", .name), Field("budget", .duration)]
    ),
    .init(
      .wakeCompletion,
      "wake.completion",
      .wake,
      Field("id", .int),
      [Field("result", .name)]
    ),

    .init(
      .workBegin,
      "work.begin",
      .work,
      Field("id", .int),
      [Field("kind", .work), Field("queue", .name), Field("async", .bool)],
      endedBy: .workEnd
    ),
    .init(.workEnd, "work.end", .work, Field("id", .int)),
    .init(
      .waitBegin,
      "wait.begin",
      .work,
      Field("id", .int),
      [Field("on", .name)],
      endedBy: .waitEnd
    ),
    .init(.waitEnd, "wait.end", .work, Field("id", .int)),

    .init(
      .taskBegin,
      "task.begin",
      .task,
      Field("id", .int),
      [Field("name", .name), Field("granted", .duration), Field("handler", .bool)],
      endedBy: .taskEnd
    ),
    .init(.taskExpire, "task.expire", .task, Field("id", .int)),
    .init(.taskEnd, "task.end", .task, Field("id", .int), [Field("cpu", .duration)]),

    // `clock` is 0 for wall and 1 for cpu.
    .init(
      .deadlineOpen,
      "deadline.open",
      .deadline,
      Field("id", .int),
      [Field("what", .name), Field("budget", .duration), Field("clock", .int)],
      endedBy: .deadlineClose
    ),
    .init(.deadlineClose, "deadline.close", .deadline, Field("id", .int)),

    // Versions of an object count up from 1; `hash` is of the content, 0 for none.
    .init(
      .dataDirty,
      "data.dirty",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("bytes", .bytes), Field("hash", .hex)]
    ),
    .init(
      .dataFlushing,
      "data.flushing",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("bytes", .bytes)]
    ),
    .init(
      .dataDurable,
      "data.durable",
      .data,
      Field("object", .name),
      [
        Field("version", .int), Field("level", .level), Field("bytes", .bytes),
        Field("hash", .hex),
      ]
    ),
    .init(
      .dataRestored,
      "data.restored",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("bytes", .bytes), Field("hash", .hex)]
    ),
    .init(
      .dataFailed,
      "data.failed",
      .data,
      Field("object", .name),
      // Aside: it was no save of the object's own file that failed.
      [
        Field("version", .int), Field("errno", .int), Field("why", .name), Field("aside", .bool),
      ]
    ),
    .init(
      .dataDiscarded,
      "data.discarded",
      .data,
      Field("object", .name),
      [Field("version", .int)]
    ),
    .init(
      .dataUnchanged,
      "data.unchanged",
      .data,
      Field("object", .name),
      [
        Field("version", .int), Field("level", .level), Field("bytes", .bytes),
        Field("hash", .hex),
      ]
    ),
    .init(
      .dataCopied,
      "data.copied",
      .data,
      Field("object", .name),
      [
        Field("version", .int), Field("level", .level), Field("bytes", .bytes),
        Field("hash", .hex),
      ]
    ),
    .init(
      .dataRead,
      "data.read",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("bytes", .bytes), Field("hash", .hex)]
    ),

    .init(
      .resourceAcquire,
      "resource.acquire",
      .resource,
      Field("name", .name),
      [Field("class", .resource), Field("attribute", .name), Field("id", .int)],
      endedBy: .resourceRelease
    ),
    .init(
      .resourceRelease,
      "resource.release",
      .resource,
      Field("name", .name),
      [Field("class", .resource), Field("attribute", .name), Field("id", .int)]
    ),
    // A timer fired, a cache was read, a GL frame was drawn.
    .init(
      .resourceUse,
      "resource.use",
      .resource,
      Field("name", .name),
      [Field("class", .resource), Field("attribute", .name), Field("value", .int)]
    ),
    .init(.memorySample, "memory.sample", .resource, nil, [Field("footprint", .bytes)]),
    .init(
      .cpuSample,
      "cpu.sample",
      .resource,
      nil,
      [Field("cpu", .duration), Field("wall", .duration)]
    ),

    // `what` is lock, unlock, orientation, battery, memory-warning, reboot, disk, call …
    .init(
      .device,
      "device",
      .device,
      Field("what", .name),
      [Field("value", .name), Field("number", .int)]
    ),
    .init(.touch, "touch", .device, nil, [Field("view", .name)]),

    .init(
      .messageSend,
      "message.send",
      .message,
      Field("flow", .hex),
      [Field("peer", .name), Field("bytes", .bytes), Field("hlc", .hex), Field("count", .int)]
    ),
    .init(
      .messageReceive,
      "message.receive",
      .message,
      Field("flow", .hex),
      [Field("peer", .name), Field("bytes", .bytes), Field("hlc", .hex), Field("count", .int)]
    ),

    .init(
      .testBegin,
      "test.begin",
      .test,
      Field("id", .int),
      [Field("suite", .name), Field("name", .name)],
      endedBy: .testEnd
    ),
    .init(.testEnd, "test.end", .test, Field("id", .int), [Field("outcome", .name)]),

    .init(
      .clock,
      "meta.clock",
      .meta,
      nil,
      [
        Field("tick", .hex), Field("monotonic", .duration), Field("boottime", .duration),
        Field("real", .duration),
      ]
    ),
    // Events of `family` were lost between `from` and this event's time.
    .init(
      .loss,
      "meta.loss",
      .meta,
      nil,
      [Field("family", .int), Field("count", .int), Field("from", .duration), Field("why", .name)]
    ),
    .init(.mark, "mark", .meta),
    .init(.log, "log", .meta, nil, [Field("text", .name), Field("level", .log)]),
    .init(.end, "meta.end", .meta),
  ]

  /// By raw value; nil for the kinds this version does not know.
  public static let byRawValue: [KindInfo?] = {
    var table = [KindInfo?](repeating: nil, count: 256)
    for info in all { table[Int(info.kind.rawValue)] = info }
    return table
  }()

  /// By dotted name, such as `data.dirty`.
  public static let byName: [String: KindInfo] = Dictionary(
    uniqueKeysWithValues: all.map { ($0.name, $0) }
  )
}

extension EventKind {
  /// What this version knows of the kind, or nil.
  public var info: KindInfo? { KindInfo.byRawValue[Int(rawValue)] }

  /// The family; ``EventFamily/unknown`` for a kind this version does not know.
  public var family: EventFamily { info?.family ?? .unknown }
}
