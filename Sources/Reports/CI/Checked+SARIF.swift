// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceRules
import LifetraceTrace

/// The frame of a SARIF 2.1.0 log: a run for each check.
enum SARIF {
  static let head =
    "{\n\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n\"version\": \"2.1.0\",\n\"runs\": [\n"
  static let foot = "\n]\n}\n"

  /// A run about `name`; it failed for `problem`, if that is given.
  static func run(
    _ name: String,
    rules: [JSON],
    results: [JSON],
    problem: String? = nil,
    _ report: CheckReport
  ) -> String {
    var driver: [(String, JSON)] = [("name", .string("lifetrace"))]
    if !report.version.isEmpty { driver.append(("semanticVersion", .string(report.version))) }
    driver.append(("rules", .array(rules)))
    var invocation: [(String, JSON)] = [("executionSuccessful", .bool(problem == nil))]
    if let problem {
      let notice = JSON.object([("level", .string("error")), ("message", text(problem))])
      invocation.append(("toolExecutionNotifications", .array([notice])))
    }
    var members: [(String, JSON)] = [("tool", .object([("driver", .object(driver))]))]
    // Services that show results take runs of one tool apart by it.
    if report.isOneOfMany {
      members.append(("automationDetails", .object([("id", .string("lifetrace/\(name)/"))])))
    }
    members.append(("invocations", .array([.object(invocation)])))
    members.append(("results", .array(results)))
    return (report.number > 0 ? ",\n" : "") + JSON.object(members).pretty()
  }

  static func text(_ text: String) -> JSON {
    .object([("text", .string(text.isEmpty ? "-" : Printable.text(text)))])
  }

  /// A path as a relative URI.
  static func uri(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "~"):
        return String(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }.joined()
  }
}

extension Checked {
  /// A run: a result for each violation and doubt, and the way to it as a code flow.
  func sarif(_ report: CheckReport) -> String {
    switch self {
    case .judged(let facts):
      let found = facts.findings
      let ids = Set(found.map(\.rule))
      let infos = facts.rules.filter { ids.contains($0.id) }
      return SARIF.run(
        facts.file,
        rules: infos.map(\.sarif),
        results: found.map { verdict in
          facts.sarif(verdict, rule: infos.firstIndex { $0.id == verdict.rule } ?? 0, report)
        },
        problem: facts.unmet.isEmpty ? nil : facts.unmet.joined(separator: "; "),
        report
      )
    case .unreadable(let file, let reason):
      return SARIF.run(file, rules: [], results: [], problem: reason, report)
    }
  }
}

extension RuleInfo {
  fileprivate var sarif: JSON {
    .object([
      ("id", .string(id)),
      ("shortDescription", SARIF.text(statement)),
      ("fullDescription", SARIF.text("\(statement) Source: \(source).")),
      ("help", SARIF.text(fix)),
      ("defaultConfiguration", .object([("level", .string(severity.sarifLevel))])),
    ])
  }
}

extension Severity {
  fileprivate var sarifLevel: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "note"
    }
  }
}

extension CheckFacts {
  fileprivate func sarif(_ verdict: Verdict, rule: Int, _ report: CheckReport) -> JSON {
    let isViolation = verdict.outcome == .violated
    let lines = told(verdict, report)
    var members: [(String, JSON)] = [
      ("ruleId", .string(verdict.rule)), ("ruleIndex", JSON(rule)),
      ("kind", .string(isViolation ? "fail" : "open")),
      ("level", .string(isViolation ? verdict.severity.sarifLevel : "none")),
      ("message", SARIF.text(lines.joined(separator: "\n"))),
    ]
    let place = report.place(of: verdict)
    if place.file != nil {
      members.append(("locations", .array([location(place, of: verdict)])))
    }
    let steps = verdict.witnesses.map { witness in
      let place = witness.source.map(report.place)
      let said = "\(label(witness.stream)):\(witness.sequence) \(witness.label)"
      return JSON.object([("location", location(place ?? .init(), of: verdict, saying: said))])
    }
    if !steps.isEmpty {
      let flow = JSON.object([("threadFlows", .array([.object([("locations", .array(steps))])]))])
      members.append(("codeFlows", .array([flow])))
    }
    let print = Fingerprint(verdict, report).digest
    members.append(("partialFingerprints", .object([("lifetrace/v1", .string(print))])))
    return .object(members)
  }

  /// A location; without a certain file it has the logical place only.
  private func location(
    _ place: CheckReport.Place,
    of verdict: Verdict,
    saying message: String? = nil
  ) -> JSON {
    var members: [(String, JSON)] = []
    if let file = place.file {
      var physical: [(String, JSON)] = [
        (
          "artifactLocation",
          .object([("uri", .string(SARIF.uri(file))), ("uriBaseId", .string("SRCROOT"))])
        )
      ]
      if let line = place.line {
        physical.append(("region", .object([("startLine", JSON(Int(line)))])))
      }
      members.append(("physicalLocation", .object(physical)))
    }
    members.append(
      ("logicalLocations", .array([.object([("name", .string(label(verdict.stream)))])]))
    )
    if let message { members.append(("message", SARIF.text(message))) }
    return .object(members)
  }
}
