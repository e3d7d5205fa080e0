// SPDX-License-Identifier: Apache-2.0

/// What stands before the message of a line: when, which process, which thread.
///
/// The format is found anew for each line, so that a file pasted together from
/// several tools can be read:
///
///     default TAB 18:38:04.900002+0800 TAB hootowl TAB message             Console.app
///     Nov 12 12:24:37 iPad runningboardd(RunningBoard)[31] <Notice>: message    idevicesyslog
///     Nov 12 12:24:37 iPad Notes[311] message                              the same, older; syslog
///     2026-10-01 07:40:58.627 E  Notes[24946:12c59] [subsystem:category] message  log show --style compact
///     2021-11-25 14:41:34.367850+0000 0x1f  Default  0x0  31  0  runningboardd: message   log show
///     2018-06-08 10:21:15.453 Notes[10914:3793552] message                 NSLog
///     2021-11-25 14:41:34.367850+0000  localhost Notes[311]: message       log show --style syslog
///     2021-11-25 14:41:34.367850 Notes{UIKitCore}[311] <NOTICE>: message   pymobiledevice3
///     Oct 29 11:28:37 Notes[UIKitCore](311) <Notice>: message               a relay of syslog
///     Type: Error | Timestamp: 2021-11-25 14:41:34.367850Z | Process: Notes | …   Xcode 15
///     {"timestamp":"2021-11-25 14:41:34.367850+0000","processImagePath":…   log show --style ndjson
///
/// A table with more columns, or with others first, is read by its ``LogColumns``; text that
/// trackers, mails and terminals put around a line is taken off (see ``readUnusual(_:)``). A line
/// with none of them continues the message before it.
struct LogPrefix {
  var stamp = LogStamp()
  var process: LogText
  /// 0 where the line does not say.
  var pid: UInt32 = 0
  /// 0 where the line does not say.
  var thread: UInt32 = 0
  var message: LogText
  /// Whether the message is not in the block as it is here.
  ///
  /// Its escapes or colours have been taken out, and it may be of several lines.
  var isRewritten = false
  /// Whether the message stands in the line before.
  var isMetadata = false
  /// Whether lines of syslog name the host before the process.
  var hasHosts = true
  /// How the log's table differs from level, time, process and message.
  var columns: LogColumns?
  /// What stands around all lines of the log.
  var wrapping = LogWrapping()

  init(_ line: LogText) {
    process = line.prefix(0)
    message = line
  }

  /// Reads the prefix of `line`; false when it has none.
  @inline(__always)
  mutating func read(_ line: LogText) -> Bool {
    var line = line
    if wrapping.isIndented { line = line.trimmedLeft }
    guard line.count >= 12 else { return false }
    pid = 0
    thread = 0
    isRewritten = false
    isMetadata = false
    if wrapping.isEscaped, line.find(byte: 0x5C) != nil {
      line = line.withoutEscapes()
      isRewritten = true
    }
    if columns != nil, readColumns(line) { return true }
    if readUsual(line) { return true }
    return line[0] > 0x20 || line[0] == 0x1B ? readUnusual(line) : readUsual(line.trimmedLeft)
  }

  /// A line with nothing around it.
  @inline(__always)
  mutating func readUsual(_ line: LogText) -> Bool {
    guard line.count >= 12 else { return false }
    let first = line[0]
    if first | 0x20 >= 0x61, first | 0x20 <= 0x7A {
      return readConsole(line) || readSyslog(line) || readMetadata(line)
    }
    if first &- 0x30 < 10 { return readDated(line) }
    return first == 0x7B && readJSON(line)
  }

  /// `Type: Error | Timestamp: 2025-03-01 10:00:00.1+01:00 | Process: Notes | … | TID: 0x1f2`, as
  /// Xcode 15 copies it behind each message.
  private mutating func readMetadata(_ line: LogText) -> Bool {
    guard line.starts("Type: "), let rest = line.after(" | Timestamp: "), stamp.read(rest) > 0,
      let name = rest.after(" | Process: ")?.cut(at: " | ")?.before, !name.isEmpty
    else { return false }
    process = name
    if let id = rest.after(" | TID: 0x")?.trimmed {
      thread = UInt32(truncatingIfNeeded: id.until(0x20).hexadecimal ?? 0)
    }
    message = line.prefix(0)
    isMetadata = true
    return true
  }

  /// A line of a table that is not Console.app's usual one.
  private mutating func readColumns(_ line: LogText) -> Bool {
    guard let columns, let fields = columns.fields(of: line),
      stamp.read(fields.time) == fields.time.count
    else { return false }
    process = fields.process
    pid = fields.pid?.pid ?? 0
    message = fields.message
    return !process.isEmpty
  }

  /// One object a line, as `log show --style ndjson` and `log stream --style ndjson` write.
  mutating func readJSON(_ line: LogText) -> Bool {
    guard let time = line.jsonString("\"timestamp\""), stamp.read(time) > 0,
      let text = line.jsonString("\"eventMessage\""),
      var path = line.jsonString("\"processImagePath\"")
    else {
      // A line of syslog as the only text of an object, as go-ios writes it.
      guard let text = line.jsonString("\"msg\"")?.unescaped(), readSyslog(text) else {
        return false
      }
      isRewritten = true
      return true
    }
    pid = line.jsonValue("\"processID\"")?.pid ?? 0
    thread = UInt32(truncatingIfNeeded: line.jsonValue("\"threadID\"")?.integer ?? 0)
    while let slash = path.find(byte: 0x2F) { path = path.dropFirst(slash + 1) }
    process = path.unescaped()
    message = text.unescaped()
    isRewritten = true
    return !process.isEmpty
  }

  /// `level TAB time TAB process TAB message`, or with two blanks and more for a tab.
  @inline(__always)
  private mutating func readConsole(_ line: LogText) -> Bool {
    var at = 1
    while at < 12, line[at] | 0x20 >= 0x61, line[at] | 0x20 <= 0x7A { at += 1 }
    let tabs = line[at] == 0x09
    guard tabs || line[at] == 0x20 else { return false }
    var rest = tabs ? line.dropFirst(at + 1) : line.dropFirst(at).trimmedLeft
    let length = stamp.read(rest)
    guard length > 0 else { return false }
    rest = rest.dropFirst(length)
    guard tabs else {
      return line[at + 1] == 0x20 ? readSpaced(rest) : readPasted(rest)
    }
    guard rest.count > 1, rest[0] == 0x09 else { return false }
    rest = rest.dropFirst(1)
    guard let end = rest.find(byte: 0x09) else { return false }
    process = rest.prefix(end)
    message = rest.dropFirst(end + 1)
    // Exports of iOS 9 and 10 have a blank there.
    if message.count > 0, message[0] == 0x20 { message = message.trimmedLeft }
    return true
  }

  /// Behind `level time ` in a text that lost its tabs: a process of one word, and the message.
  private mutating func readPasted(_ text: LogText) -> Bool {
    guard text.starts(" ") else { return false }
    let rest = text.trimmedLeft
    guard let end = rest.find(byte: 0x20), end > 0, end <= 64 else { return false }
    process = rest.prefix(end)
    message = rest.dropFirst(end).trimmedLeft
    return true
  }

  private mutating func readSpaced(_ text: LogText) -> Bool {
    guard text.starts("  ") else { return false }
    let rest = text.trimmedLeft
    guard let end = rest.find("  ") else { return false }
    process = rest.prefix(end)
    message = rest.dropFirst(end).trimmedLeft
    return true
  }

  /// `Mon DD HH:MM:SS host process(library)[pid] <Level>: message`; newer tools leave the host out,
  /// older ones the level, with a colon in its place or nothing.
  mutating func readSyslog(_ line: LogText) -> Bool {
    let length = stamp.readSyslog(line)
    guard length > 0, line.count > length + 1, line[length] == 0x20 else { return false }
    let rest = line.dropFirst(length + 1)
    guard let (open, begin) = Self.pidAndMessage(rest) else { return readLibraryFirst(rest) }
    pid = rest.dropFirst(open + 1).pid ?? 0
    let name = Self.withoutLibrary(rest.prefix(open))
    // The host is the first word; one word alone shows that this log has no hosts.
    if let blank = name.find(byte: 0x20) {
      process = hasHosts ? name.dropFirst(blank + 1) : name
    } else {
      hasHosts = false
      process = name
    }
    message = rest.dropFirst(begin)
    return !process.isEmpty
  }

  /// `Notes[UIKitCore](311) <Notice>: message`, without a host.
  private mutating func readLibraryFirst(_ text: LogText) -> Bool {
    let head = text.prefix(160)
    guard let (library, rest) = head.cut(at: "]("), let open = library.find(byte: 0x5B), open > 0,
      let pid = rest.pid, let begin = head.find("> : ") ?? head.find(">: ")
    else { return false }
    process = text.prefix(open)
    self.pid = pid
    message = text.dropFirst(begin + 3)
    return true
  }

  /// Where the pid's bracket opens and where the message begins: in `…[pid] <Level>: message`,
  /// `…[pid]: message` or `…[pid] message`, the first bracket with a number in it.
  private static func pidAndMessage(_ text: LogText) -> (open: Int, message: Int)? {
    var from = 0
    while let step = text.dropFirst(from).find(byte: 0x5B), from + step < 256 {
      let open = from + step
      from = open + 1
      guard let width = text.dropFirst(from).find(byte: 0x5D), width < 8,
        isNumber(text.dropFirst(from).prefix(width))
      else { continue }
      let behind = from + width + 1
      let rest = text.dropFirst(behind)
      if rest.starts(" <"), let colon = rest.prefix(32).find(">: ") {
        return (open, behind + colon + 3)
      }
      if rest.starts(": ") { return (open, behind + 2) }
      if rest.starts(" ") { return (open, behind + 1) }
    }
    return nil
  }

  private static func isNumber(_ text: LogText) -> Bool {
    guard !text.isEmpty else { return false }
    for index in 0..<text.count where text[index] &- 0x30 > 9 { return false }
    return true
  }

  /// `Notes (Beta)` of `Notes (Beta)(UIKitCore)`: a library is named without a blank before it.
  private static func withoutLibrary(_ text: LogText) -> LogText {
    guard text.count > 2, text[text.count - 1] == 0x29 else { return text }
    var open = text.count - 2
    while open > 0, text[open] != 0x28 { open -= 1 }
    return open > 0 && text[open - 1] != 0x20 ? text.prefix(open) : text
  }

  /// The formats that begin with a date, or with a bare time.
  private mutating func readDated(_ line: LogText) -> Bool {
    var rest = line
    var length = stamp.read(rest)
    if length == 0 {
      // A column of line numbers, as grep -n and some trackers put before.
      guard let blank = line.find(byte: 0x20), blank <= 9 else { return false }
      rest = line.dropFirst(blank + 1)
      length = stamp.read(rest)
    }
    guard length > 0 else { return false }
    rest = rest.dropFirst(length)
    guard rest.count > 2, rest[0] == 0x20 || rest[0] == 0x09 else { return false }
    rest = rest.trimmedLeft
    if rest.starts("0x") { return readLogShow(rest) }
    guard let open = rest.find(byte: 0x5B), open < 128, let pid = rest.dropFirst(open + 1).pid,
      let close = rest.dropFirst(open).find(byte: 0x5D)
    else { return readBare(rest) }
    self.pid = pid
    let inside = rest.prefix(open + close).dropFirst(open + 1)
    process = rest.prefix(open)
    message = rest.dropFirst(open + close + 1)
    if let colon = inside.find(byte: 0x3A) {
      let id = inside.dropFirst(colon + 1)
      thread = UInt32(truncatingIfNeeded: id.hexadecimal ?? 0)
      if process.count > 3, Self.isCompactType(process) { process = process.dropFirst(3) }
    } else {
      readRelayed()
    }
    message = message.trimmedLeft
    return !process.isEmpty
  }

  /// Takes host, library and level off, as tools put them around `process[pid]` behind a date.
  ///
  ///     localhost Notes[311]: message
  ///     Notes{UIKitCore}[311] <NOTICE>: message
  ///     iPad Notes(UIKitCore)[311] <Notice>: message
  private mutating func readRelayed() {
    let isBraced = process.count > 2 && process[process.count - 1] == 0x7D
    if isBraced, let open = process.find(byte: 0x7B), open > 0 {
      process = process.prefix(open)
    } else {
      process = Self.withoutLibrary(process)
    }
    let hasLevel = message.starts(" <")
    if hasLevel, let colon = message.prefix(32).find(">: ") {
      message = message.dropFirst(colon + 3)
    }
    // The host is the first word.
    guard !isBraced, hasLevel || message.starts(": "), let blank = process.find(byte: 0x20) else {
      if message.starts(": ") { message = message.dropFirst(2) }
      return
    }
    process = process.dropFirst(blank + 1)
    if !hasLevel { message = message.dropFirst(2) }
  }

  /// `0x1f  Default  0x0  31  0  process: message`: thread, type, activity, pid, time to live.
  private mutating func readLogShow(_ text: LogText) -> Bool {
    var rest = text
    thread = UInt32(truncatingIfNeeded: rest.code ?? 0)
    for field in 0..<5 {
      guard let blank = rest.find(byte: 0x20) else { return false }
      if field == 3 { pid = rest.pid ?? 0 }
      rest = rest.dropFirst(blank).trimmedLeft
    }
    return readBare(rest)
  }

  /// The compact style has a type of one or two letters in a field of three.
  private static func isCompactType(_ text: LogText) -> Bool {
    text.starts("E  ") || text.starts("F  ") || text.starts("I  ") || text.starts("A  ")
      || text.starts("Df ") || text.starts("Db ") || text.starts("D  ") || text.starts("St ")
  }

  /// `process: message`.
  private mutating func readBare(_ text: LogText) -> Bool {
    guard let colon = text.find(": "), colon > 0, colon < 64 else { return false }
    process = text.prefix(colon)
    message = text.dropFirst(colon + 2)
    return true
  }
}

extension LogText {
  /// Without blanks and tabs before it.
  @inline(__always)
  var trimmedLeft: LogText {
    var text = self
    while text.count > 0, text[0] == 0x20 || text[0] == 0x09 { text = text.dropFirst(1) }
    return text
  }
}
