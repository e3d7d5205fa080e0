// SPDX-License-Identifier: Apache-2.0

extension Scenario {
  /// The file that says the same; what is as it is without a word is left out.
  ///
  /// `remarks` stand above it, a line each.
  package func yaml(_ remarks: [String] = []) -> String {
    var lines = remarks.map { "# " + $0.filter { $0 != "\n" } }
    if let profile { lines.append("profile: \(profile)") }
    if timeScale != 1 { lines.append("time-scale: \(timeScale)") }
    if seed != 1 { lines.append("seed: \(seed)") }
    if !multitasking { lines.append("multitasking: false") }
    if let appGroup { lines.append("app-group: \(Self.quoted(appGroup))") }
    if let diskBytes { lines.append("disk: \(diskBytes)") }
    if data != .fresh { lines.append("data: \(data.rawValue)") }
    if suspendBy != .signal { lines.append("suspend-by: \(suspendBy.rawValue)") }
    if suspendAfter != Self.suspendAfterUsual {
      lines.append("suspend-after: \(Self.exact(suspendAfter))")
    }
    if apps.count == 1, apps[0].command.isEmpty {
      lines.append("app: \(Self.quoted(apps[0].name))")
    } else {
      lines.append("apps:")
      for app in apps {
        let words = app.command.map(Self.quoted).joined(separator: ", ")
        lines.append("  \(Self.quoted(app.name)): [\(words)]")
      }
      if apps.allSatisfy(\.command.isEmpty) {
        lines.removeLast(apps.count + 1)
        lines.append("apps: [\(apps.map { Self.quoted($0.name) }.joined(separator: ", "))]")
      }
    }
    lines.append("steps:")
    lines += steps.map { "  - \(line(of: $0))" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The duration in the largest unit that leaves no fraction.
  private static func exact(_ nanoseconds: Int64) -> String {
    let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
    guard let unit = units.first(where: { nanoseconds % $0.0 == 0 }) else {
      return "\(nanoseconds)ns"
    }
    return "\(nanoseconds / unit.0)\(unit.1)"
  }

  /// The step on one line, without the dash before it.
  package func line(of step: Step) -> String {
    // Where there is one app, no step has to say which.
    let arguments = step.arguments.filter { $0.name != "app" || apps.count > 1 }
    var words = arguments.map { "\(Self.quoted($0.name)): \(Self.quoted($0.value))" }
    if !step.steps.isEmpty {
      words.append("steps: [\(step.steps.map(inner).joined(separator: ", "))]")
    }
    if words.isEmpty { return step.name.rawValue }
    if arguments.count == 1, step.steps.isEmpty, arguments[0].name == step.name.info.bare {
      return "\(step.name.rawValue): \(Self.quoted(arguments[0].value))"
    }
    return "\(step.name.rawValue): {\(words.joined(separator: ", "))}"
  }

  private func inner(_ step: Step) -> String {
    let text = line(of: step)
    return text.contains(":") ? "{\(text)}" : text
  }

  /// A word as it is, anything else between quotes.
  private static func quoted(_ text: String) -> String {
    let isPlain =
      text.first?.isLetter == true || text.first?.isNumber == true
    let rest = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    if isPlain, rest { return text }
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        out += "\\x" + (digits.count == 1 ? "0" : "") + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
