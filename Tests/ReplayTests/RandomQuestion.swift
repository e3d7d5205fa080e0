// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import Support

/// A condition that fits the grammar and the types, made at random.
struct RandomQuestion {
  let text: String

  /// With `others`, it may ask the state of other writers: *notes* and *syncd*.
  init(_ random: inout SeededRandom, others: Bool = false) {
    text =
      others && random.below(2) == 0
      ? Self.condition(&random, depth: 2) + Self.pick([" && ", " || "], &random)
        + Self.elsewhere(&random)
      : Self.condition(&random, depth: 3)
  }

  private static func elsewhere(_ random: inout SeededRandom) -> String {
    let writer = pick(["notes", "syncd", "notes#1", "notes#2"], &random)
    let order = pick(["==", "!=", "<", ">="], &random)
    let number = "\(random.below(6))"
    switch random.below(7) {
    case 5: return "\(writer).queue(\"draft.txt\").posts \(order) \(number)"
    case 6: return "(\(writer).count spans) + 1 \(order) \(number)"
    case 0:
      let equality = pick(["==", "!="], &random)
      return "\(writer).state \(equality) \(pick(["suspended", "active"], &random))"
    case 1: return "\(writer).data(\"draft.txt\").unsaved \(order) \(number)"
    case 2: return "\(writer).data(object).version \(order) \(number)"
    case 3: return "(\(writer).any tasks where age \(order) \(number)0ns)"
    default: return "(\(writer).count tasks where expired) \(order) \(number)"
    }
  }

  private static func pick(_ words: [String], _ random: inout SeededRandom) -> String {
    words[random.below(words.count)]
  }

  private static func condition(_ random: inout SeededRandom, depth: Int) -> String {
    if depth > 0 {
      switch random.below(6) {
      case 0:
        return condition(&random, depth: depth - 1) + " && " + condition(&random, depth: depth - 1)
      case 1:
        return "(" + condition(&random, depth: depth - 1) + " || "
          + condition(&random, depth: depth - 1) + ")"
      case 2: return "!(" + condition(&random, depth: depth - 1) + ")"
      default: break
      }
    }
    return atom(&random)
  }

  private static func atom(_ random: inout SeededRandom) -> String {
    let order = pick(["==", "!=", "<", "<=", ">", ">="], &random)
    let equality = pick(["==", "!="], &random)
    let number = "\(random.below(6))"
    let object = pick(["\"draft.txt\"", "\"index.db\"", "\"nothing\""], &random)
    switch random.below(26) {
    case 16...19: return table(&random)
    case 20: return row(&random)
    case 21: return sum(&random)
    case 22: return field(&random)
    case 23:
      return pick(["foreground == true", "after.foreground != true", "locked == false"], &random)
    case 24: return "\(pick(["", "before."], &random))footprint \(order) \(number)B"
    case 25: return "object in [\(object), \"settings\"]"
    case 0:
      return pick(
        [
          "dirty", "save", "purge", "suspend", "callback", "data.durable", "task", "active",
          "resume", "process", "loss", "background",
        ],
        &random
      )
    case 1: return "version \(order) \(number)"
    case 2: return "object \(equality) \(object)"
    case 3: return "object =~ `*\(pick(["t", "x*", ".db"], &random))`"
    case 4: return "bytes \(order) \(number)B"
    case 5: return "thread == \(pick(["main", "t7"], &random))"
    case 6: return "took \(order) \(number)ns"
    case 7: return "level \(order) \(pick(["process", "kernel", "disk"], &random))"
    case 8: return "state \(equality) \(pick(["suspended", "active", "background"], &random))"
    case 9: return "before.state \(equality) \(pick(["suspended", "inactive"], &random))"
    case 10:
      return "data(\(object)).\(pick(["unsaved", "version", "saved"], &random)) \(order) \(number)"
    case 11:
      let quantifier = pick(["any", "all"], &random)
      return "(\(quantifier) data where unsaved \(order) \(number) || object == \(object))"
    case 12: return "(count tasks where age \(order) \(number)0ns) \(order) \(number)"
    case 13: return "(before.any tasks where expired)"
    case 14: return "version in [\(number), \(random.below(6))]"
    default:
      let kind = pick(["lock", "file", "timer"], &random)
      return "(any resources where class == \(kind) && age > \(number)ns)"
    }
  }

  /// A condition of one row of each table.
  private static let rows: [(table: String, singular: String, fields: [(String, Field)])] = [
    (
      "data", "data",
      [
        ("version", .number), ("bytes", .bytes), ("unsaved", .bytes), ("saved", .number),
        ("synced", .number), ("failures", .number), ("saving", .truth), ("age", .time),
        ("object", .name),
      ]
    ),
    (
      "tasks", "task",
      [
        ("granted", .time), ("handler", .truth), ("expired", .truth), ("age", .time),
        ("name", .name),
      ]
    ),
    (
      "queue", "queue",
      [("posts", .number), ("age", .time), ("key", .name), ("value", .name), ("first", .name)]
    ),
    ("spans", "span", [("age", .time), ("name", .name)]),
    (
      "deadlines", "deadline",
      [("budget", .time), ("cpu", .truth), ("left", .time), ("age", .time), ("what", .name)]
    ),
    ("resources", "resource", [("age", .time), ("name", .name), ("attribute", .name)]),
    ("wakes", "wake", [("age", .time), ("reason", .name)]),
  ]

  private enum Field { case number, bytes, time, truth, name }

  private static let named = ["draft.txt", "index.db", "settings", "didEnterBackground", "nothing"]

  private static func compared(_ field: (String, Field), _ random: inout SeededRandom) -> String {
    let order = pick(["==", "!=", "<", "<=", ">", ">="], &random)
    let number = random.below(6)
    switch field.1 {
    case .number: return "\(field.0) \(order) \(number)"
    case .bytes: return "\(field.0) \(order) \(number)B"
    case .time: return "\(field.0) \(order) \(random.below(3) == 0 ? number : number * 40)ns"
    case .truth: return "\(field.0) == \(pick(["true", "false"], &random))"
    case .name: return "\(field.0) \(pick(["==", "!="], &random)) \"\(pick(named, &random))\""
    }
  }

  private static func table(_ random: inout SeededRandom) -> String {
    let table = rows[random.below(rows.count)]
    let scope = pick(["", "before.", "after."], &random)
    var condition = compared(table.fields[random.below(table.fields.count)], &random)
    if random.below(3) == 0 {
      condition +=
        pick([" && ", " || "], &random)
        + compared(table.fields[random.below(table.fields.count)], &random)
    }
    let order = pick(["==", "!=", "<", ">="], &random)
    switch random.below(3) {
    case 0: return "(\(scope)any \(table.table) where \(condition))"
    case 1: return "(\(scope)all \(table.table) where \(condition))"
    default:
      let part = random.below(2) == 0 ? "" : " where (\(condition))"
      return "(\(scope)count \(table.table)\(part)) \(order) \(random.below(4))"
    }
  }

  private static func row(_ random: inout SeededRandom) -> String {
    let table = rows[random.below(rows.count)]
    let scope = pick(["", "before.", "after."], &random)
    let key =
      table.table == "data" && scope.isEmpty && random.below(3) == 0
      ? "object" : "\"\(pick(named, &random))\""
    // That of a callback may be the system's, which a naive walk knows of wakes and tasks alone.
    let word =
      table.table == "deadlines" && key.contains("didEnterBackground")
      ? "wake(\"settings\")" : "\(table.singular)(\(key))"
    let fields = word.hasPrefix("wake") ? rows[6].fields : table.fields
    let field = fields[random.below(fields.count)]
    return compared(("\(scope)\(word).\(field.0)", field.1), &random)
  }

  private static func sum(_ random: inout SeededRandom) -> String {
    let order = pick(["==", "!=", "<", "<=", ">", ">="], &random)
    let (one, two) = (random.below(6), random.below(6))
    switch random.below(5) {
    case 0: return "budget + \(one)ns \(order) \(two)ns"
    case 1: return "granted - \(one)ns \(order) \(two)ns"
    case 2: return "-budget \(order) -\(one)ns"
    case 3: return "took - \(one * 20)ns \(order) \(two)ns"
    default: return "(count spans) - (count queue) \(order) \(two)"
    }
  }

  /// A field of some kind of event.
  private static func field(_ random: inout SeededRandom) -> String {
    let fields: [(String, Field)] = [
      ("key", .name), ("value", .name), ("reason", .name), ("what", .name), ("attribute", .name),
      ("file", .name), ("budget", .time), ("line", .number), ("late", .truth),
      ("inferred", .truth),
    ]
    return compared(fields[random.below(fields.count)], &random)
  }
}

/// A life as apps live it: versions count up, ends follow begins, numbers are those of the stream.
struct LawfulWorld {
  var names = Names()
  var events: [Event] = []

  init(seed: UInt64, events count: Int) {
    var random = SeededRandom(seed: seed)
    let objects = ["draft.txt", "index.db"].map { names.intern($0) }
    var version: [UInt64] = [0, 0]
    var time: Int64 = 1_000
    var open: [Event] = []
    var state = AppState.active
    func stamp() -> HostTime {
      time += Int64(random.below(20)) + 1
      return HostTime(rawValue: time)
    }
    events.append(Event(.processStart, at: stamp()))
    while events.count < count {
      let which = random.below(2)
      switch random.below(6) {
      case 0, 1:
        version[which] += 1
        events.append(
          Event(
            .dataDirty,
            at: stamp(),
            identity: objects[which].word,
            arguments: (version[which], UInt64(random.below(6)), 0, 0),
            argumentCount: 3
          )
        )
      case 2 where version[which] > 0:
        events.append(
          Event(
            .dataDurable,
            at: stamp(),
            identity: objects[which].word,
            arguments: (version[which], UInt64(random.below(4)), 0, 0),
            argumentCount: 4
          )
        )
      case 3:
        let next: AppState =
          state == .active ? .inactive : state == .inactive ? .background : .active
        events.append(
          Event(
            .transition,
            at: stamp(),
            arguments: (UInt64(state.rawValue), UInt64(next.rawValue), 0, 0),
            argumentCount: 2
          )
        )
        state = next
      case 4:
        let kind = [EventKind.taskBegin, .workBegin, .resourceAcquire][random.below(3)]
        let id = UInt64(events.count)
        var event = Event(kind, at: stamp(), identity: id, argumentCount: 4)
        if kind == .resourceAcquire {
          event.identity = objects[which].word
          event.arguments = (UInt64(random.below(4)), 0, id, 0)
          event.argumentCount = 3
        }
        open.append(event)
        events.append(event)
      case 5 where !open.isEmpty:
        var event = open.remove(at: random.below(open.count))
        event.kind = event.kind.info?.ending ?? .mark
        if event.kind != .resourceRelease { event.argumentCount = 0 }
        event.time = stamp()
        events.append(event)
      default: break
      }
    }
    for index in events.indices { events[index].sequence = UInt64(index) }
  }

  var timeline: Timeline {
    let writer = MemorySource.Writer(
      id: WriterID(high: 1, low: 1),
      attributes: WriterAttributes(app: "notes"),
      events: events
    )
    return Timeline(MemorySource([writer], names: names, rows: 1_000))
  }
}
