// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension StateTable {
  /// All of them, in the order of the manual.
  package static let all: [StateTable] = [
    data, tasks, queue, spans, deadlines, resources, wakes,
  ]

  /// Which of them has the deadlines: by a name, those of the system are found besides.
  static let deadlinesNumber = 4

  private static let data = StateTable(
    word: "data",
    singular: "data",
    summary: "the objects that the app keeps",
    families: [.data],
    fields: [
      RowField("object", .name, "its name") { row, at in at.text(row.object.name) },
      RowField("version", .int, "the newest version in memory") { row, _ in
        row.object.dirty.map { Scalar($0.version) } ?? .absent
      },
      RowField("bytes", .bytes, "the size of that version") { row, _ in
        row.object.dirty.map { Scalar($0.bytes) } ?? .absent
      },
      RowField("unsaved", .bytes, "what a purge would lose of it; 0 when it is saved") { row, _ in
        row.object.isUnsaved(at: .kernel)
          ? Scalar(max(1, row.object.dirty?.bytes ?? 0)) : Scalar(UInt64(0))
      },
      RowField("saved", .int, "the newest version that survives a purge", needsAll: true) {
        row,
        _ in
        Scalar(row.object.durable[.kernel])
      },
      RowField("synced", .int, "the newest version that survives a power cut", needsAll: true) {
        row,
        _ in
        Scalar(row.object.durable[.disk])
      },
      RowField("failures", .int, "how many saves failed", needsAll: true) { row, _ in
        Scalar(UInt64(row.object.failures))
      },
      RowField("saving", .bool, "whether a save is under way", needsAll: true) { row, _ in
        Scalar(row.object.flushing != nil)
      },
      // An edit that is missing may have been the first one, or a save between two of them.
      RowField("age", .duration, "since when it is not saved", slope: 1, needsAll: true) {
        row,
        at in
        row.object.firstUnsaved.map { at.age($0.time) } ?? .absent
      },
    ],
    key: 0,
    count: { $0.data.count },
    load: { state, place, rows in rows.object = state.data.entries[place].value },
    evidence: { $0.object.dirty?.time },
    sequence: { $0.object.dirty?.sequence ?? 0 },
    find: { state, name in
      guard let number = UInt32(exactly: name) else { return nil }
      return state.data.place(of: NameID(rawValue: number))
    },
    tracked: TrackedRows(
      of: { event, names in RowKey(names.known(event.identityName)) },
      at: { state, key in
        state.data.place(of: NameID(rawValue: UInt32(truncatingIfNeeded: key.first)))
      },
      key: { RowKey($0.data.entries[$1].key) }
    )
  )

  private static let tasks = StateTable(
    word: "tasks",
    singular: "task",
    summary: "the background tasks that are held",
    families: [.task],
    fields: [
      RowField("id", .int, "its id") { row, _ in Scalar(row.id) },
      RowField("name", .name, "the name it was begun with") { row, at in at.text(row.task.name) },
      RowField("granted", .duration, "the time granted") { row, _ in
        row.task.granted > 0 && !row.task.isUnlimited ? Scalar(row.task.granted) : .absent
      },
      RowField("handler", .bool, "whether it has an expiration handler") { row, _ in
        Scalar(row.task.hasHandler)
      },
      RowField("expired", .bool, "whether that was called") { row, _ in
        Scalar(row.task.expired != nil)
      },
      RowField("thread", .thread, "where it was begun") { row, _ in
        Scalar(UInt64(row.task.thread.rawValue))
      },
      RowField("age", .duration, "since when it is held", slope: 1) { row, at in
        at.age(row.task.time)
      },
    ],
    key: 1,
    count: { $0.tasks.count },
    load: { state, place, rows in
      let entry = state.tasks.entries[place]
      (rows.id, rows.task) = (entry.key, entry.value)
    },
    evidence: { $0.task.time },
    sequence: { $0.task.sequence },
    tracked: TrackedRows(
      of: { event, _ in RowKey(event.identity) },
      at: { state, key in state.tasks.place(of: key.first) },
      key: { RowKey($0.tasks.entries[$1].key) }
    )
  )

  private static let queue = StateTable(
    word: "queue",
    singular: "queue",
    summary: "the notifications that wait to be delivered",
    families: [.notification],
    fields: [
      RowField("type", .name, "its type") { row, at in at.text(row.post.type) },
      RowField("key", .name, "what it is about") { row, at in at.text(row.post.key) },
      RowField("value", .name, "the value posted last") { row, at in at.text(row.post.lastValue) },
      RowField("first", .name, "the value posted first") { row, at in
        at.text(row.post.firstValue)
      },
      RowField("posts", .int, "how many posts it stands for") { row, _ -> Scalar in
        Scalar(row.post.posts)
      },
      RowField("age", .duration, "since when it waits", slope: 1) { row, at in
        at.age(row.post.time)
      },
    ],
    key: 0,
    count: { $0.notifications.count },
    load: { state, place, rows in rows.post = state.notifications.entries[place].value },
    evidence: { $0.post.time },
    sequence: { $0.post.sequence }
  )

  private static let spans = StateTable(
    word: "spans",
    singular: "span",
    summary: "the callbacks, turns, work and waits that are open",
    families: [.callback, .work],
    fields: [
      RowField("name", .name, "its name") { row, at in at.name(of: row.span.site) },
      RowField("kind", .field(.work), "the kind of work") { row, _ in
        row.span.kind == .workBegin ? Scalar(row.span.detail) : .absent
      },
      RowField("queue", .name, "the queue of work") { row, _ in
        row.span.kind == .workBegin ? Scalar(row.span.queue) : .absent
      },
      RowField("on", .name, "for whom it waits") { row, _ in
        row.span.kind == .waitBegin ? Scalar(row.span.detail) : .absent
      },
      RowField("thread", .thread, "where it began") { row, _ in
        Scalar(UInt64(row.span.thread.rawValue))
      },
      RowField("age", .duration, "since when it is open", slope: 1) { row, at in
        at.age(row.span.time)
      },
    ],
    key: 0,
    count: { $0.spans.count },
    load: { state, place, rows in rows.span = state.spans.entries[place].value },
    evidence: { $0.span.time },
    sequence: { $0.span.sequence },
    tracked: TrackedRows(
      of: { event, _ in RowKey(SpanKey(event.identity, event.kind.beginning ?? event.kind)) },
      at: { state, key in
        let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: key.first))
        return state.spans.place(of: SpanKey(key.second, kind))
      },
      key: { RowKey($0.spans.entries[$1].key) }
    )
  )

  private static let deadlines = StateTable(
    word: "deadlines",
    singular: "deadline",
    summary: "the time budgets of the app's own that run",
    families: [.deadline],
    fields: [
      RowField("id", .int, "its id") { row, _ in Scalar(row.id) },
      RowField("what", .name, "what must be done in it") { row, at in at.text(row.deadline.what) },
      RowField("budget", .duration, "how long it is") { row, _ in Scalar(row.deadline.budget) },
      RowField("cpu", .bool, "whether it counts CPU time") { row, _ in
        Scalar(row.deadline.countsCPU)
      },
      RowField("left", .duration, "what is left of it; below 0 it is missed", slope: -1) {
        row,
        at in
        // How much CPU time was used is not in the state.
        guard !row.deadline.countsCPU else { return .absent }
        let used = max(0, at.now - row.deadline.time)
        return Scalar(row.deadline.budget.subtractingSaturated(used))
      },
      RowField("age", .duration, "since when it runs", slope: 1) { row, at in
        at.age(row.deadline.time)
      },
    ],
    key: 1,
    count: { $0.deadlines.count },
    load: { state, place, rows in
      let entry = state.deadlines.entries[place]
      (rows.id, rows.deadline) = (entry.key, entry.value)
    },
    evidence: { $0.deadline.time },
    sequence: { $0.deadline.sequence },
    tracked: TrackedRows(
      of: { event, _ in RowKey(event.identity) },
      at: { state, key in state.deadlines.place(of: key.first) },
      key: { RowKey($0.deadlines.entries[$1].key) }
    )
  )

  private static let resources = StateTable(
    word: "resources",
    singular: "resource",
    summary: "the locks, files, timers and so on that are held",
    families: [.resource],
    fields: [
      RowField("name", .name, "its name") { row, at in at.text(row.resource.name) },
      RowField("class", .field(.resource), "what it is") { row, _ in
        Scalar(UInt64(row.resource.classCode))
      },
      RowField("attribute", .name, "shared, sensitive, a protection class") { row, at in
        at.text(row.resource.attribute)
      },
      RowField("thread", .thread, "where it was taken; of those that share a lock the first") {
        row,
        _ in
        Scalar(UInt64(row.resource.thread.rawValue))
      },
      RowField("holds", .int, "how often a lock is held, by all threads together; else 1") {
        row,
        _ in
        Scalar(UInt64(max(1, row.resource.holds)))
      },
      RowField("age", .duration, "since when it is held", slope: 1) { row, at in
        at.age(row.resource.time)
      },
    ],
    key: 0,
    count: { $0.resources.count },
    load: { state, place, rows in rows.resource = state.resources.entries[place].value },
    evidence: { $0.resource.time },
    sequence: { $0.resource.sequence }
  )

  private static let wakes = StateTable(
    word: "wakes",
    singular: "wake",
    summary: "the wakes whose completion handler was not called",
    families: [.wake],
    fields: [
      RowField("id", .int, "its id") { row, _ in Scalar(row.id) },
      RowField("reason", .name, "push, fetch, location and so on") { row, at in
        at.text(row.wake.reason)
      },
      RowField("age", .duration, "since when", slope: 1) { row, at in at.age(row.wake.time) },
    ],
    key: 1,
    count: { $0.wakes.count },
    load: { state, place, rows in
      let entry = state.wakes.entries[place]
      (rows.id, rows.wake) = (entry.key, entry.value)
    },
    evidence: { $0.wake.time },
    sequence: { $0.wake.sequence },
    tracked: TrackedRows(
      of: { event, _ in RowKey(event.identity) },
      at: { state, key in state.wakes.place(of: key.first) },
      key: { RowKey($0.wakes.entries[$1].key) }
    )
  )
}
