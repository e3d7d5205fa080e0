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
    switch random.below(5) {
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
    switch random.below(16) {
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
