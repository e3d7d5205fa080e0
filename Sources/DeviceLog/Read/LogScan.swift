// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
internal import LifetraceTrace

/// A process that wrote lines.
struct LogProcess {
  var name: String
  /// 0 in formats that do not say it.
  var pid: UInt32
  /// The file that its lines are in, an index into ``LogFacts/files``.
  var file = 0
  /// Whether it stands for all that are beyond the limit, none of which can be known for an app.
  var isOfMany = false
  /// The latest time of its lines so far.
  var latest = Int64.min
  var lines = 0
  /// Recognised lines that only an app writes.
  var appLines = 0
  /// Lines with the name of a callback in free text.
  var callbackLines = 0
}

/// The first pass over a log: from bytes to facts.
///
///     var scan = LogScan()
///     scan.feed(block)                // whole lines
///     scan.facts                      // what was recognised, in the log's order
///
/// It knows nothing of apps yet: which process is which app may be said only
/// at the end of the log.
struct LogScan {
  /// More than these are not distinguished: their lines are of a process without a name.
  static let processesMax = 65_536
  /// What is looked at of one line.
  static let lineBytesMax = 65_536
  /// Facts kept; 20 million take about 2 GB.
  static let factsMax = 20_000_000
  /// Lines without a prefix that are read as part of a message.
  static let continuationLinesMax = 64
  /// A process that wrote nothing for so long and then writes again has run again.
  static let silenceMin: Int64 = 1_000_000_000

  var recognizer = LogRecognizer()
  private(set) var clock = LogClock()
  private(set) var facts: [LogFact] = []
  private(set) var processes: [LogProcess] = []
  private(set) var lines = 0
  private(set) var linesWithPrefix = 0
  private(set) var linesRecognized = 0
  private(set) var factsDropped = 0
  /// Lines of processes beyond ``processesMax``.
  var linesUnattributed: Int {
    processes.count > Self.processesMax ? processes[Self.processesMax].lines : 0
  }
  /// The earliest and the latest time of a line.
  private(set) var firstTime: Int64?
  private(set) var lastTime: Int64 = .min
  private(set) var systemVersion: Int64?

  private let map: LogMap?
  private(set) var hits: LogMapHits?
  /// By process: whether the map is about its lines; those behind the last were not looked at yet.
  private var isMapped: [Bool] = []

  private var slots = [Int32](repeating: -1, count: 1_024)
  private var continuation = LogRecognizer.Continuation.none
  private var continuationLines = 0
  private var hasHosts = true
  private var shiftSeen: Int64 = 0
  /// How many facts there were when the clock seemed to have been set back.
  private var factsBeforeStep = 0
  private var columns: LogColumns?
  private var wrapping = LogWrapping()
  /// An entry on many lines, as far as it has been read.
  private var object = LogObject()

  init(names: Names = Names(), map: LogMap? = nil) {
    recognizer.names = names
    self.map = map
    hits = map.map { LogMapHits(rules: $0.rules.count) }
  }

  /// What was read, of a file of that name.
  func facts(of file: String) -> LogFacts {
    LogFacts(
      names: recognizer.names,
      files: [file],
      facts: facts,
      processes: processes,
      firstTime: firstTime,
      lastTime: lastTime,
      dating: LogFacts.Dating(
        isDated: clock.isDated,
        hasZone: clock.hasZone,
        zone: clock.firstZone
      ),
      map: map,
      clock: clock
    )
  }

  /// Reads a block of whole lines.
  mutating func feed(_ block: LogText) {
    var callbacks = LogCallbacks(block)
    if systemVersion == nil { systemVersion = Self.systemVersion(block) }
    if lines == 0 {
      wrapping = LogWrapping(block)
      columns = LogColumns(block, isIndented: wrapping.isIndented)
    }
    var prefix = LogPrefix(block)
    prefix.hasHosts = hasHosts
    prefix.columns = columns
    prefix.wrapping = wrapping
    defer { hasHosts = prefix.hasHosts }
    // The message that a line of metadata behind it is about.
    var unexplained: LogText?
    var at = 0
    while at < block.count {
      let rest = block.dropFirst(at)
      let length = rest.find(byte: 0x0A) ?? rest.count
      var line = rest.prefix(min(length, Self.lineBytesMax))
      if line.count > 0, line[line.count - 1] == 0x0D { line.count -= 1 }
      lines += 1
      if prefix.read(line) {
        linesWithPrefix += 1
        if prefix.isMetadata { prefix.message = unexplained ?? prefix.message }
        if prefix.isRewritten || prefix.isMetadata {
          readJSON(prefix)
          callbacks.pass(from: at, to: at + length)
        } else {
          read(prefix, &callbacks, at, at + line.count)
        }
      } else {
        if continuation != .none { readContinuation(line) }
        if line.count > 4, line[0] == 0x20, let entry = object.take(line) {
          readEntry(entry, &prefix)
        }
        callbacks.pass(from: at, to: at + length)
        unexplained = line
      }
      at += length + 1
    }
  }

  /// An entry that stood on many lines.
  private mutating func readEntry(_ entry: [UInt8], _ prefix: inout LogPrefix) {
    var entry = entry
    // Escapes are read in place.
    entry.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress, prefix.readJSON(LogText(base, bytes.count)) else {
        return
      }
      linesWithPrefix += 1
      readJSON(prefix)
    }
  }

  /// Lines read since the clock seemed to have been set back are from after that.
  private mutating func stepBack() {
    let back = clock.shift - shiftSeen
    shiftSeen = clock.shift
    for index in min(factsBeforeStep, facts.count)..<facts.count {
      facts[index].time += back
      facts[index].order = max(facts[index].order, facts[index].time)
    }
    factsBeforeStep = facts.count
  }

  @inline(__always)
  private mutating func read(
    _ prefix: LogPrefix,
    _ callbacks: inout LogCallbacks,
    _ start: Int,
    _ end: Int
  ) {
    if clock.behind == 0 { factsBeforeStep = facts.count }
    let time = clock.time(prefix.stamp)
    if clock.shift != shiftSeen { stepBack() }
    if time < firstTime ?? .max { firstTime = time }
    if time > lastTime { lastTime = time }
    let writer = process(prefix.process, prefix.pid)
    let silentSince = processes[writer].latest
    processes[writer].lines &+= 1
    if time > silentSince { processes[writer].latest = time }

    let isHit = map != nil && readMapped(prefix, time, writer)
    let recognized = recognizer.recognize(prefix.message)
    continuation = recognizer.expects
    continuationLines = 0
    if callbacks.nearest < end {
      let callback = callbacks.callback(from: start, to: end)
      if recognized == nil, let callback {
        add(LogFact(callback), prefix, time, writer)
        return
      }
    }
    if let recognized {
      add(recognized, prefix, time, writer)
    } else if !isHit, silentSince != .min, time - silentSince >= Self.silenceMin {
      var fact = LogFact(.activity)
      fact.b = silentSince
      add(fact, prefix, time, writer)
    }
  }

  /// Whether the map has a pattern for the line.
  private mutating func readMapped(_ prefix: LogPrefix, _ time: Int64, _ writer: Int) -> Bool {
    guard let map else { return false }
    while isMapped.count < processes.count {
      isMapped.append(map.isAbout(processes[isMapped.count].name))
    }
    guard isMapped[writer] else { return false }
    guard let (rule, captures) = map.match(prefix.message) else {
      hits?.miss(prefix.message, line: lines)
      return false
    }
    hits?.add(captures, of: rule, line: lines)
    var fact = LogFact(.mapped)
    fact.a = Int64(rule)
    fact.b = captures.version.map { Int64(clamping: $0) } ?? -1
    fact.c = captures.bytes.map { Int64(clamping: $0) } ?? 0
    if let subject = captures.object ?? captures.name { fact.text = recognizer.name(subject) }
    if let why = captures.why { fact.other = recognizer.name(why) }
    add(fact, prefix, time, writer)
    return true
  }

  private mutating func add(
    _ fact: LogFact,
    _ prefix: LogPrefix,
    _ time: Int64,
    _ writer: Int
  ) {
    var fact = fact
    fact.time = time
    fact.order = processes[writer].latest
    fact.line = UInt32(truncatingIfNeeded: lines)
    fact.writer = UInt32(writer)
    fact.thread = prefix.thread
    let isAgain = facts.last.map { $0.line == fact.line && $0.pattern == .mapped } ?? false
    if fact.pattern != .activity, !isAgain { linesRecognized += 1 }
    if fact.pattern.isAppOnly { processes[writer].appLines &+= 1 }
    if fact.pattern.isCallback { processes[writer].callbackLines &+= 1 }
    if fact.pattern == .clockSet { clock.expectStep() }
    guard facts.count < Self.factsMax else {
      factsDropped += 1
      return
    }
    facts.append(fact)
  }

  /// A message whose bytes are not those of the block any more, and which holds its continuations.
  private mutating func readJSON(_ line: LogPrefix) {
    var first = line
    first.message = line.message.until(0x0A)
    var callbacks = LogCallbacks(first.message)
    read(first, &callbacks, 0, first.message.count)
    var rest = line.message.dropFirst(first.message.count + 1)
    while continuation != .none, !rest.isEmpty {
      let next = rest.until(0x0A)
      readContinuation(next)
      rest = rest.dropFirst(next.count + 1)
    }
  }

  /// A line that belongs to the message before it.
  private mutating func readContinuation(_ line: LogText) {
    continuationLines += 1
    guard continuationLines <= Self.continuationLinesMax, let last = facts.last, !line.isEmpty
    else {
      continuation = .none
      return
    }
    switch continuation {
    case .none: break
    case .lockedFiles:
      guard line[0] == 0x2F, last.pattern == .lockedFile else { return continuation = .none }
      var fact = last
      fact.line = UInt32(truncatingIfNeeded: lines)
      fact.text = recognizer.name(line.trimmed)
      if last.text == .empty { facts[facts.count - 1] = fact } else { facts.append(fact) }
    case .permittedTime:
      guard last.pattern == .beyondPermitted else { return continuation = .none }
      recognizer.permittedTime(line, &facts[facts.count - 1])
    }
  }

  // MARK: Processes

  /// The index of the process with this name and pid.
  @inline(__always)
  private mutating func process(_ text: LogText, _ pid: UInt32) -> Int {
    let name = text.prefix(128)
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(pid)
    for index in 0..<name.count { hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01B3 }
    var slot = Int(truncatingIfNeeded: hash ^ hash >> 29) & (slots.count - 1)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if processes[index].pid == pid, Self.equal(processes[index].name, name) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return addProcess(name, pid)
  }

  private static func equal(_ string: String, _ text: LogText) -> Bool {
    string.utf8.count == text.count
      && string.utf8.withContiguousStorageIfAvailable { bytes in
        guard let base = bytes.baseAddress else { return text.count == 0 }
        return memcmp(base, text.start, text.count) == 0
      } ?? false
  }

  private mutating func addProcess(_ name: LogText, _ pid: UInt32) -> Int {
    guard processes.count < Self.processesMax else {
      if processes.count == Self.processesMax {
        processes.append(LogProcess(name: "", pid: 0, isOfMany: true))
      }
      return Self.processesMax
    }
    processes.append(LogProcess(name: name.string, pid: pid))
    if processes.count * 2 > slots.count {
      slots = [Int32](repeating: -1, count: slots.count * 2)
      for index in processes.indices { insert(index) }
    } else {
      insert(processes.count - 1)
    }
    return processes.count - 1
  }

  private mutating func insert(_ index: Int) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(processes[index].pid)
    for byte in processes[index].name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var slot = Int(truncatingIfNeeded: hash ^ hash >> 29) & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(truncatingIfNeeded: index)
  }

  /// The major version of the system, where a block names it in a form that cannot be about another device.
  private static func systemVersion(_ block: LogText) -> Int64? {
    for words in ["iPhone OS ", "OS Version: iOS ", "iOS Version: "] as [StaticString] {
      if let version = block.after(words)?.prefix(3).integer, (2...99).contains(version) {
        return version
      }
    }
    // Darwin 13 is iOS 7; from iOS 26 on the numbers follow the years.
    if let darwin = block.after("CFNetwork/")?.prefix(64).after(" Darwin/")?.prefix(3).integer,
      (10...40).contains(darwin)
    {
      return darwin >= 25 ? darwin + 1 : darwin - 6
    }
    return nil
  }
}

extension LogPattern {
  /// Whether only apps with UIKit write such lines.
  var isAppOnly: Bool {
    switch self {
    case .deactivationAdded, .deactivationRemoved, .hangTracing, .taskAdding, .taskCreated,
      .taskEnding, .taskOld, .taskNotEnded, .taskUnknown, .tasksExpiring, .taskExpiring,
      .assertionInvalidated, .touch, .wake, .wakeDone, .mapped:
      true
    default: false
    }
  }
}
