// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension KindInfo {
  /// Every kind of this version, by number.
  public static let all: [KindInfo] = [
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
    .init(
      .processExit,
      "process.exit",
      .process,
      nil,
      [Field("cause", .name), Field("code", .hex), Field("evidence", .name), Field("main", .name)]
    ),
    .init(
      .processSeen,
      "process.seen",
      .process,
      Field("pid", .int),
      [
        Field("parent", .int), Field("command", .name), Field("lasted", .duration),
        Field("status", .int),
      ]
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
    .init(.wakeCompletion, "wake.completion", .wake, Field("id", .int), [Field("result", .name)]),
    .init(.wakeReported, "wake.reported", .wake, Field("id", .int), [Field("call", .name)]),
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
    .init(
      .deadlineOpen,
      "deadline.open",
      .deadline,
      Field("id", .int),
      [Field("what", .name), Field("budget", .duration), Field("clock", .int)],
      endedBy: .deadlineClose
    ),
    .init(.deadlineClose, "deadline.close", .deadline, Field("id", .int)),
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
      [
        Field("version", .int), Field("bytes", .bytes), Field("unread", .int),
        Field("foreign", .bytes),
      ]
    ),
    .init(
      .dataDurable,
      "data.durable",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("level", .level), Field("bytes", .bytes), Field("hash", .hex)]
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
      [Field("version", .int), Field("errno", .int), Field("why", .name), Field("aside", .bool)]
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
      [Field("version", .int), Field("level", .level), Field("bytes", .bytes), Field("hash", .hex)]
    ),
    .init(
      .dataCopied,
      "data.copied",
      .data,
      Field("object", .name),
      [Field("version", .int), Field("level", .level), Field("bytes", .bytes), Field("hash", .hex)]
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
      .messageTrace,
      "message.trace",
      .message,
      Field("flow", .hex),
      [Field("high", .hex), Field("low", .hex), Field("parent", .hex)]
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
    .init(
      .scenario,
      "meta.scenario",
      .meta,
      Field("file", .name),
      [Field("text", .name), Field("bytes", .int), Field("folder", .name), Field("how", .name)]
    ),
  ]
}
