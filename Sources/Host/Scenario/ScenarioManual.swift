// SPDX-License-Identifier: Apache-2.0

extension Scenario {
  /// The keys of the file, and all steps with their parameters, a paragraph each, from the tables of
  /// the parser.
  public static var manual: String {
    let file = keys.map { "      \($0.name): \($0.summary)\n" }.joined()
    return "the file\n    What stands beside the steps; all but these may be left out.\n\(file)\n"
      + stepManual
  }

  private static var stepManual: String {
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
