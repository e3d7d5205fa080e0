// SPDX-License-Identifier: Apache-2.0

/// The columns of a table that Console.app's user has arranged, found by what stands in them.
///
///     default TAB 08:00:54.158544-0600 TAB SpringBoard TAB FrontBoard TAB message
///     08:00:54.158544-0600 TAB SpringBoard TAB message
///     08:00:54.158544-0600 TAB Process TAB message TAB com.apple.FrontBoard TAB … TAB SpringBoard
///
/// Nothing in a copied table says what its columns are. The time is what can be read as one, the
/// message is the longest, and the process is the column in which the system's processes are named.
struct LogColumns: Equatable {
  /// Lines that are looked at.
  static let sampleMax = 400
  /// More columns than these no table has.
  static let columnsMax = 12

  /// Places of the columns, from 0.
  var time: Int
  var process: Int
  var pid: Int?
  var message: Int
  /// How many there are; tabs behind the last belong to the message.
  var count: Int

  /// The columns of the table that `block` begins with; nil for the usual ones, and for no table.
  init?(_ block: LogText, isIndented: Bool = false) {
    let lines = Self.sample(block, isIndented)
    guard lines.count >= 2, let time = Self.mostFrequent(lines.map(\.time)) else { return nil }
    let rows = lines.filter { $0.time == time }.map(\.fields)
    guard rows.count * 2 > lines.count, let usual = Self.mostFrequent(rows.map(\.count)) else {
      return nil
    }
    // Tabs in messages make some rows longer, none shorter.
    let least = rows.map(\.count).sorted()[rows.count / 10]
    let count = min(usual, least)
    guard count >= 3, time < count, time != 1 || count > 4 else { return nil }
    self.time = time
    self.count = count
    let table = rows.filter { $0.count >= count }
    let others = (0..<count).filter { $0 != time }
    func length(_ column: Int) -> Int { table.reduce(0) { $0 + $1[column].count } }
    guard let longest = others.max(by: { (length($0), $0) < (length($1), $1) }) else { return nil }
    message = longest
    func named(_ column: Int) -> Int {
      table.count { LogApps.systemProcesses.contains($0[column].string(limit: 64)) }
    }
    let words = others.filter { column in
      column != longest && !(time == 1 && column == 0)
        && table.contains { $0[column].count > 0 && $0[column].integer == nil }
    }
    guard let first = words.first(where: { $0 > time }) ?? words.first else { return nil }
    process = words.reduce(first) { named($1) > named($0) ? $1 : $0 }
    // A column of line numbers is all numbers, too; a pid comes again and again.
    pid = others.first { column in
      column != longest && column != process
        && table.allSatisfy { Self.isNumber($0[column]) }
        && table.contains { $0[column].pid != nil }
        && Set(table.map { $0[column].integer }).count * 2 <= table.count
    }
  }

  /// What stands in the columns of `line`; nil when it has too few.
  func fields(
    of line: LogText
  ) -> (time: LogText, process: LogText, pid: LogText?, message: LogText)? {
    var fields = (time: line, process: line, pid: LogText?.none, message: line)
    var rest = line
    for column in 0..<count {
      var field = rest
      if column < count - 1 {
        guard let tab = rest.find(byte: 0x09) else { return nil }
        field = rest.prefix(tab)
        rest = rest.dropFirst(tab + 1)
      }
      if column == time { fields.time = field }
      if column == process { fields.process = field }
      if column == pid { fields.pid = field }
      if column == message { fields.message = field }
    }
    return fields
  }

  // MARK: Finding them

  private static func sample(
    _ block: LogText,
    _ isIndented: Bool
  ) -> [(time: Int, fields: [LogText])] {
    var lines: [(Int, [LogText])] = []
    var rest = block
    while lines.count < sampleMax, !rest.isEmpty {
      let length = rest.find(byte: 0x0A) ?? rest.count
      let line = rest.prefix(min(length, 4_096)).trimmedRight
      let fields = split(isIndented ? line.trimmedLeft : line)
      rest = rest.dropFirst(length + 1)
      var stamp = LogStamp()
      if fields.count >= 3, let time = fields.firstIndex(where: { stamp.read($0) == $0.count }) {
        lines.append((time, fields))
      }
    }
    return lines
  }

  private static func split(_ line: LogText) -> [LogText] {
    var fields: [LogText] = []
    var rest = line
    while fields.count < columnsMax, let tab = rest.find(byte: 0x09) {
      fields.append(rest.prefix(tab))
      rest = rest.dropFirst(tab + 1)
    }
    return fields + [rest]
  }

  private static func mostFrequent(_ numbers: [Int]) -> Int? {
    var counts: [Int: Int] = [:]
    for number in numbers { counts[number, default: 0] += 1 }
    return counts.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
  }

  private static func isNumber(_ text: LogText) -> Bool {
    !text.isEmpty && (0..<text.count).allSatisfy { text[$0] &- 0x30 < 10 }
  }
}

extension LogText {
  /// Without the line's end.
  fileprivate var trimmedRight: LogText {
    count > 0 && self[count - 1] == 0x0D ? prefix(count - 1) : self
  }
}
