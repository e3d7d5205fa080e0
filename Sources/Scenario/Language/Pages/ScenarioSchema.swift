// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace
import LifetraceAppProtocol
import LifetraceWords

extension Scenario {
  /// The JSON schema of scenarios (draft 2020-12), made from the same table that the parser reads.
  ///
  /// Editors that know YAML schemas complete steps and their parameters with it.
  package static var jsonSchema: String { schema.pretty() + "\n" }

  static var schema: JSON {
    .object([
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "A lifetrace scenario",
      "type": "object",
      "required": .array(["steps"]),
      "additionalProperties": .bool(false),
      "properties": .object(
        Dictionary(uniqueKeysWithValues: keys.map { ($0.name, property(of: $0.name, $0.summary)) })
      ),
      "$defs": .object(["steps": list(of: StepName.allCases)]),
    ])
  }

  private static func property(of key: String, _ summary: String) -> JSON {
    var out: [String: JSON] = ["description": .string(summary)]
    switch key {
    case "profile": out["enum"] = .array(profiles.map(JSON.string))
    case "time-scale":
      (out["type"], out["minimum"], out["maximum"]) = (
        "number", .double(Self.timeScales.lowerBound), .double(Self.timeScales.upperBound)
      )
    case "seed": (out["type"], out["minimum"]) = ("integer", .int(0))
    case "multitasking": out["type"] = "boolean"
    case "app", "app-group": out["type"] = "string"
    case "disk":
      out["type"] = .array(["string", "integer"])
      out["pattern"] = "^[0-9]+(B|K|KiB|kB|KB|M|MiB|MB|G|GiB|GB)?$"
    case "data": out["enum"] = .array(Data.allCases.map { .string($0.rawValue) })
    case "suspend-by":
      out["enum"] = .array(Suspension.allCases.map { .string($0.rawValue) })
    case "suspend-after":
      out["pattern"] = .string(TypedQuantity.durationPattern)
      out["type"] = .array(["string", "integer"])
    case "apps": out["type"] = .array(["array", "object"])
    default: out = ["$ref": "#/$defs/steps"]
    }
    return .object(out)
  }

  private static func list(of names: [StepName]) -> JSON {
    let bare = names.filter { $0.info.parameters.allSatisfy { !$0.required } && !$0.info.open }
    let words = JSON.object(["enum": .array(bare.map { .string($0.rawValue) })])
    return .object([
      "type": "array",
      "items": .object(["anyOf": .array([words] + names.map(step))]),
    ])
  }

  private static func step(_ name: StepName) -> JSON {
    let info = name.info
    var forms: [JSON] = [
      .object([
        "type": "object",
        "additionalProperties": .bool(info.open),
        "required": .array(info.parameters.filter(\.required).map { .string($0.name) }),
        "properties": .object(
          Dictionary(uniqueKeysWithValues: info.parameters.map { ($0.name, value(of: $0)) })
        ),
      ])
    ]
    if let bare = info.parameters.first(where: { $0.name == info.bare }) {
      forms.append(value(of: bare))
    }
    if info.parameters.allSatisfy({ !$0.required }) { forms.append(.object(["type": "null"])) }
    return .object([
      "type": "object",
      "description": .string(info.summary),
      "required": .array([.string(name.rawValue)]),
      "additionalProperties": .bool(false),
      "properties": .object([name.rawValue: .object(["anyOf": .array(forms)])]),
    ])
  }

  private static func value(of parameter: Parameter) -> JSON {
    var out: [String: JSON] = ["description": .string(parameter.summary)]
    switch parameter.type {
    case .text: out["type"] = .array(["string", "number", "boolean"])
    case .duration:
      out["pattern"] = .string(TypedQuantity.durationPattern)
      out["type"] = .array(["string", "integer"])
    case .integer: (out["type"], out["minimum"]) = ("integer", .int(0))
    case .flag: out["type"] = "boolean"
    case .choice(let words): out["enum"] = .array(words.map(JSON.string))
    case .condition: out["type"] = "string"
    case .steps: out = ["$ref": "#/$defs/steps"]
    }
    return .object(out)
  }
}
