// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// What an event is about, and what it says of that: by these, and never by time, events of two
/// recordings are taken for the same.
struct Placing {
  /// Such as `draft.txt`, `task "save"`, or `life`: events of one lane follow each other in an order that
  /// does not depend on how fast threads are.
  var lane: Int32
  /// What is said, without numbers that differ from run to run.
  var key: Int32
  /// What is timed: the event begins it, ends it, or neither.
  var span: SpanPart?
  /// A save that put other bytes into the file than its version has.
  var isOfOtherBytes = false

  enum SpanPart {
    case begins(UInt64)
    case ends(UInt64)
  }
}

/// Puts the events of a life into lanes.
///
/// Left out is what comes as often as time allows: turns of the run loop, samples of memory and
/// processor, log lines, uses of resources, what the recorder says of itself.
struct Lanes {
  /// The lanes, and what is said in them, by number; both recordings share them.
  struct Words {
    private(set) var texts: [String] = []
    private var numbers: [String: Int32] = [:]

    mutating func number(of text: String) -> Int32 {
      if let known = numbers[text] { return known }
      let number = Int32(texts.count)
      texts.append(text)
      numbers[text] = number
      return number
    }

    subscript(number: Int32) -> String { texts[Int(number)] }
  }

  /// What of an event decides its lane and its key; equal ones are put into words once.
  private struct Signature: Hashable {
    var kind: EventKind
    var site: SiteID
    var identity: UInt64
    var arguments: InlineArguments
    var isMain: Bool
    var isOfOtherBytes: Bool
  }

  private struct InlineArguments: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var fourth: UInt64 = 0
  }

  /// What ties an end to its begin.
  private struct OpenKey: Hashable {
    var ending: EventKind
    var id: UInt64
  }

  /// The last edit of each object.
  private var edits: [UInt64: (version: UInt64, hash: UInt64)] = [:]
  private var known: [Signature: (lane: Int32, key: Int32)] = [:]
  /// The lanes of spans that have begun.
  private var open: [OpenKey: Int32] = [:]

  /// Where `event` belongs; nil for one that is left out.
  mutating func place(_ event: Event, _ names: Names, _ words: inout Words) -> Placing? {
    guard let info = event.kind.info, Self.isCompared(info) else { return nil }
    let isNamed = info.identity?.type == .name
    var found: (lane: Int32, key: Int32)
    let isOfOtherBytes = isOfOtherBytes(event)
    var signature = Self.signature(event, info, isNamed)
    signature.isOfOtherBytes = isOfOtherBytes
    if let kept = known[signature] {
      found = kept
    } else {
      found = (
        words.number(of: Self.lane(event, info, names)),
        words.number(of: Self.key(event, info, names) + (isOfOtherBytes ? " of other bytes" : ""))
      )
      known[signature] = found
    }
    guard !isNamed, info.identity != nil else {
      return Placing(
        lane: found.lane,
        key: found.key,
        span: Self.save(event),
        isOfOtherBytes: isOfOtherBytes
      )
    }
    // What ends, or happens to, something that has begun stands in the lane of its begin.
    var span: Placing.SpanPart?
    if let ending = info.ending {
      open[OpenKey(ending: ending, id: event.identity)] = found.lane
      span = .begins(Self.spanID(ending, event.identity))
    } else if let begin = Self.beginning[event.kind] {
      let key = OpenKey(ending: begin, id: event.identity)
      if let lane = open[key] { found.lane = lane }
      if begin == event.kind {
        open[key] = nil
        span = .ends(Self.spanID(begin, event.identity))
      }
    }
    return Placing(lane: found.lane, key: found.key, span: span)
  }

  /// Whether a save put other bytes into the file than those of the edit whose version it has: how many
  /// there are differs from run to run, but not whether they are the ones.
  private mutating func isOfOtherBytes(_ event: Event) -> Bool {
    switch event.kind {
    case .dataDirty:
      let edit = Payload.DataDirty(event)
      edits[event.identity] = (edit.version, edit.hash)
      return false
    case .dataDurable:
      let save = Payload.DataDurable(event)
      guard let edit = edits[event.identity], edit.version == save.version else { return false }
      return edit.hash != 0 && save.hash != 0 && edit.hash != save.hash
    default: return false
    }
  }

  /// A save of a version is timed, too.
  private static func save(_ event: Event) -> Placing.SpanPart? {
    let id = event.identity << 32 ^ event.arguments.0
    return switch event.kind {
    case .dataFlushing: .begins(spanID(.dataDurable, id))
    case .dataDurable, .dataFailed: .ends(spanID(.dataDurable, id))
    default: nil
    }
  }

  private static func spanID(_ ending: EventKind, _ id: UInt64) -> UInt64 {
    UInt64(ending.rawValue) << 56 ^ id
  }

  /// By kind, the kind that ends what it belongs to: itself, or for what comes between.
  private static let beginning: [EventKind: EventKind] = {
    var table: [EventKind: EventKind] = [:]
    for info in KindInfo.all {
      if let ending = info.ending { table[ending] = ending }
    }
    table[.taskExpire] = .taskEnd
    table[.wakeReported] = .wakeCompletion
    return table
  }()

  private static func isCompared(_ info: KindInfo) -> Bool {
    switch info.family {
    case .process: info.kind != .processSeen
    case .state, .notification, .wake, .task, .data, .device, .message, .test: true
    case .callback: info.kind != .turnBegin && info.kind != .turnEnd
    case .work: info.kind == .workBegin || info.kind == .workEnd
    case .resource: info.kind == .resourceAcquire || info.kind == .resourceRelease
    default: false
    }
  }

  // MARK: Words

  private static func signature(_ event: Event, _ info: KindInfo, _ isNamed: Bool) -> Signature {
    var arguments = InlineArguments()
    let fields = info.fields
    func stable(_ index: Int, _ value: UInt64) -> UInt64 {
      index < fields.count && index < Int(event.argumentCount)
        && isStable(info.kind, fields[index]) ? value &+ 1 : 0
    }
    arguments.first = stable(0, event.arguments.0)
    arguments.second = stable(1, event.arguments.1)
    arguments.third = stable(2, event.arguments.2)
    arguments.fourth = stable(3, event.arguments.3)
    return Signature(
      kind: info.kind,
      site: event.site,
      identity: isNamed ? event.identity : 0,
      arguments: arguments,
      isMain: event.thread == .main,
      isOfOtherBytes: false
    )
  }

  /// Whether an argument is the same whenever the same happens.
  private static func isStable(_ kind: EventKind, _ field: Field) -> Bool {
    switch field.type {
    case .name: field.name != "evidence" && field.name != "main"
    case .state, .work, .resource, .level, .bool: true
    case .int: field.name == "errno" || kind == .dataRestored && field.name == "version"
    default: false
    }
  }

  private static func key(_ event: Event, _ info: KindInfo, _ names: Names) -> String {
    var text = info.name
    let own = steady(names[names[event.site].name])
    if event.kind.family == .callback || event.kind.family == .work { text += " \(own)" }
    if event.kind.family == .work { text += event.thread == .main ? " on main" : "" }
    for (index, field) in info.fields.prefix(Int(event.argumentCount)).enumerated()
    where isStable(info.kind, field) {
      text += " \(field.name)=\(steady("\(FieldValue(event[index], field.type, names))"))"
    }
    return text
  }

  private static func lane(_ event: Event, _ info: KindInfo, _ names: Names) -> String {
    let named = info.identity?.type == .name ? steady(names[event.identityName]) : ""
    let site = steady(names[names[event.site].name])
    switch info.family {
    case .process, .state, .wake: return "life"
    case .callback: return "callbacks"
    case .data: return named
    case .task:
      guard event.kind == .taskBegin else { return "tasks" }
      return "task \(steady(names[Payload.TaskBegin(event).name]))"
    case .work: return "work \(site)"
    case .notification: return "notification \(named)"
    case .resource: return named
    case .device: return "device \(named)"
    case .message: return "messages"
    default: return "tests"
    }
  }

  /// A name without what is made anew for each run: in words of four characters and more that hold a
  /// digit, such as process numbers, dates and random folders.
  static func steady(_ name: String) -> String {
    guard name.utf8.contains(where: { (48...57).contains($0) }) else { return name }
    var out = ""
    for part in name.split(omittingEmptySubsequences: false, whereSeparator: isSeparator) {
      if !out.isEmpty || part.startIndex > name.startIndex {
        out.append(name[name.index(before: part.startIndex)])
      }
      out += part.count > 3 && part.contains(where: \.isNumber) ? "…" : String(part)
    }
    return out
  }

  private static func isSeparator(_ character: Character) -> Bool {
    !character.isLetter && !character.isNumber
  }
}
