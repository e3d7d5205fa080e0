// SPDX-License-Identifier: Apache-2.0

extension Scenario {
  /// All steps with their parameters, a paragraph each, from the table of the parser.
  public static var manual: String {
    StepName.allCases.map { name in
      let info = name.info
      var lines = ["\(name.rawValue)", "    \(info.summary)"]
      if let bare = info.bare { lines.append("    \(name.rawValue): \(bare.uppercased())") }
      for parameter in info.parameters where parameter.name != "app" {
        let mark = parameter.required ? "" : " (optional)"
        var line = "      \(parameter.name)\(mark): \(parameter.summary)"
        if case .choice(let words) = parameter.type {
          line += "; one of " + words.joined(separator: ", ")
        }
        lines.append(line)
      }
      return lines.joined(separator: "\n") + "\n"
    }
    .joined(separator: "\n")
  }
}
