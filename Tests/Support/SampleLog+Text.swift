// SPDX-License-Identifier: Apache-2.0

extension SampleLog {
  /// The shapes in which tools print a device's log.
  public enum Format: String, CaseIterable, Sendable {
    case console, spaced, syslog, hostless, levelless, classic, compact, show, nslog, ndjson
    /// Tables that Console.app's user has arranged.
    case library, arranged, untyped, localized
    /// What trackers, mails, test drivers and terminals make of them.
    case numbered, grepped, quoted, pasted, driver, colored
    /// Other tools.
    case showSyslog, relayed, mobile, json, goIOS

    /// Microseconds that its times can tell apart.
    public var resolution: Int64 {
      switch self {
      case .console, .spaced, .show, .ndjson, .library, .arranged, .untyped, .localized,
        .numbered, .quoted, .pasted, .showSyslog, .mobile, .json:
        1
      case .compact, .nslog: 1_000
      case .syslog, .hostless, .levelless, .classic, .grepped, .driver, .colored, .relayed, .goIOS:
        1_000_000
      }
    }

    /// Whether the lines carry a date with its year.
    public var isDated: Bool {
      [.compact, .show, .nslog, .ndjson, .showSyslog, .mobile, .json].contains(self)
    }

    /// What its lines are in before something is put around them.
    var inner: Format? {
      switch self {
      case .numbered, .quoted: .console
      case .grepped, .driver, .colored, .goIOS: .syslog
      default: nil
      }
    }
  }

  /// Nanoseconds since 1970 of the midnight that ``Line/time`` counts from, in dated formats.
  public static let epoch: Int64 = 1_788_220_800_000_000_000

  /// The whole log as a tool would print it.
  public func text(_ format: Format) -> String {
    var text = ""
    for (index, line) in lines.enumerated() {
      let inside = prefix(line, format.inner ?? format)
      switch format {
      case .ndjson: text += "\(inside)\(Self.escaped(line.message))\"}"
      case .json: text += "\(inside)\(Self.escaped(line.message))\""
      case .goIOS:
        text += "{\"level\":\"info\",\"msg\":\"\(Self.escaped(inside + line.message))\"}"
      case .arranged: text += arranged(line)
      case .numbered: text += "\(index + 4711)\t\(inside)\(line.message)"
      case .grepped: text += "\(index + 4711)   :\(inside)\(line.message)"
      case .quoted: text += "> \(inside)\(line.message)"
      case .driver:
        text += "2026-09-01 10:00:00:216 - info: [IOS_SYSLOG_ROW ] \(inside)\(line.message)"
      case .colored: text += "\u{1B}[0;37m\(inside)\u{1B}[0m\(line.message)\u{1B}[m"
      default: text += inside + line.message
      }
      text += "\n"
    }
    return text
  }

  /// Time, category, message, subsystem, library, type and process.
  private func arranged(_ line: Line) -> String {
    let process = processes[line.process]
    let clock = Self.clock(line.time % 86_400_000_000)
    return "\(clock)+0200\tgeneral\t\(line.message)\torg.example.part\t\(process.library)\t"
      + "\(line.level)\t\(process.name)"
  }

  private func prefix(_ line: Line, _ format: Format) -> String {
    let process = processes[line.process]
    let day = line.time / 86_400_000_000
    let clock = Self.clock(line.time % 86_400_000_000)
    let date = "2026-09-\(Self.two(1 + day))"
    switch format {
    case .console: return "\(line.level)\t\(clock)+0200\t\(process.name)\t"
    case .library:
      return "\(line.level)\t\(clock)+0200\t\(process.name)\t\(process.library)\t"
    case .untyped: return "\(clock)+0200\t\(process.name)\t"
    case .localized: return "par d\u{E9}faut\t\(clock)+0200\t\(process.name)\t"
    case .pasted: return "\(line.level) \(clock)+0200 \(process.name) "
    case .showSyslog:
      return "\(date) \(clock)+0000  localhost \(process.name)[\(process.pid)]: (Kit) "
        + "[org.example:life] "
    case .relayed:
      return "\(clock.prefix(8)) desk-phone \(process.name)(Kit)[\(process.pid)] <Notice>: "
    case .mobile:
      return "\(date) \(clock) \(process.name){Kit}[\(process.pid)] <NOTICE>: "
    case .json:
      return """
        },{
          "backtrace" : {
            "frames" : [
              {
                "imageOffset" : 1
              }
            ]
          },
          "processImagePath" : "\\/usr\\/libexec\\/\(Self.escaped(process.name))",
          "timestamp" : "\(date) \(clock)+0000",
          "processID" : \(process.pid),
          "eventMessage" : "
        """
    case .spaced: return "\(line.level)    \(clock) +0200    \(process.name)     "
    case .syslog, .hostless, .levelless, .classic:
      let library = process.library.isEmpty ? "" : "(\(process.library))"
      let time = "Sep \(day + 1 < 10 ? " " : "")\(1 + day) \(clock.prefix(8))"
      let name = "\(process.name)\(library)[\(process.pid)]"
      switch format {
      case .hostless: return "\(time) \(name) <Notice>: "
      case .levelless: return "\(time) desk-phone \(name) "
      case .classic: return "\(time) desk-phone \(name): "
      default: return "\(time) desk-phone \(name) <Notice>: "
      }
    case .compact:
      return
        "\(date) \(clock.prefix(12)) Df \(process.name)[\(process.pid):1a2b] [com.example:life] "
    case .show:
      return
        "\(date) \(clock)+0000 0x1a2b     Default     0x0                  \(process.pid)   0    \(process.name): (Kit) [com.example:life] "
    case .ndjson:
      return
        "{\"timezoneName\":\"\",\"messageType\":\"Default\",\"processID\":\(process.pid),"
        + "\"threadID\":4711,\"processImagePath\":\"\\/usr\\/libexec\\/\(Self.escaped(process.name))\","
        + "\"timestamp\":\"\(date) \(clock)+0000\",\"eventMessage\":\""
    case .arranged, .numbered, .grepped, .quoted, .driver, .colored, .goIOS: return ""
    case .nslog: return "\(date) \(clock.prefix(12)) \(process.name)[\(process.pid):4711] "
    }
  }

  /// As in a JSON string, with more escapes than are needed.
  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\", "/": out += "\\\(scalar)"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      case _ where scalar.value >= 0x80:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  private static func clock(_ microseconds: Int64) -> String {
    let seconds = microseconds / 1_000_000
    var fraction = String(microseconds % 1_000_000)
    while fraction.utf8.count < 6 { fraction = "0" + fraction }
    return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(fraction)"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
