// SPDX-License-Identifier: Apache-2.0

extension Scenario {
  /// The keys of the file, and all steps with their parameters and examples, a paragraph each, from the
  /// tables of the parser.
  package static var manual: String {
    let file = keys.map { "      \($0.name): \($0.summary)\n" }.joined()
    return """
      the file
          What stands beside the steps; all but these may be left out.
      \(file)
      the steps
          A list: of names (`- home`), or of names with one value (`- wait: 500ms`) or with parameters
          (`- wait: {until: active}`). Each takes `app: NAME` too, where there are several; without it,
          it is about the app that was named last.

      \(stepManual)
      """
  }

  private static var stepManual: String {
    StepName.allCases.map { name in
      let info = name.info
      var lines = ["\(name.rawValue)", "    \(info.summary)"]
      lines.append("    " + info.shapes(of: name.rawValue).joined(separator: " | "))
      for parameter in info.parameters where parameter.name != "app" {
        let mark = parameter.required ? "" : " (optional)"
        var line = "      \(parameter.name)\(mark): \(parameter.summary)"
        if let words = parameter.type.words {
          line += "; one of " + words.joined(separator: ", ")
        }
        lines.append(line)
      }
      lines += name.examples.map { "        \($0)" }
      return lines.joined(separator: "\n") + "\n"
    }
    .joined(separator: "\n")
  }
}

extension StepInfo {
  /// The ways to write the step; placeholders of values are in capitals.
  func shapes(of word: String) -> [String] {
    var pairs = parameters.filter { $0.name != "app" }.map { parameter in
      let value = parameter.type == .steps ? "[STEP, ...]" : parameter.name.uppercased()
      return "\(parameter.name): \(value)"
    }
    if open { pairs.append("WORD: VALUE, ...") }
    var out = parameters.contains(where: \.required) || open ? [] : [word]
    if let bare { out.append("\(word): \(bare.uppercased())") }
    if !pairs.isEmpty { out.append("\(word): {\(pairs.joined(separator: ", "))}") }
    return out
  }
}
