// SPDX-License-Identifier: Apache-2.0

extension ConsoleLog {
  /// The shapes in which tools print a device's log.
  public enum Format: String, CaseIterable, Sendable {
    case console, spaced, syslog, hostless, levelless, classic, compact, show, nslog, ndjson

    /// Microseconds that its times can tell apart.
    public var resolution: Int64 {
      switch self {
      case .console, .spaced, .show, .ndjson: 1
      case .compact, .nslog: 1_000
      case .syslog, .hostless, .levelless, .classic: 1_000_000
      }
    }

    /// Whether the lines carry a date with its year.
    public var isDated: Bool { [.compact, .show, .nslog, .ndjson].contains(self) }
  }

  /// Nanoseconds since 1970 of the midnight that ``Line/time`` counts from, in dated formats.
  public static let epoch: Int64 = 1_788_220_800_000_000_000

  /// The whole log as a tool would print it.
  public func text(_ format: Format) -> String {
    var text = ""
    for line in lines {
      text += prefix(line, format)
      text += format == .ndjson ? Self.escaped(line.message) + "\"}" : line.message
      text += "\n"
    }
    return text
  }

  private func prefix(_ line: Line, _ format: Format) -> String {
    let process = processes[line.process]
    let day = line.time / 86_400_000_000
    let clock = Self.clock(line.time % 86_400_000_000)
    let date = "2026-09-\(Self.two(1 + day))"
    switch format {
    case .console: return "\(line.level)\t\(clock)+0200\t\(process.name)\t"
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
