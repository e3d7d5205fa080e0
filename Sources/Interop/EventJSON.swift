// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// An event as JSON: numbers as they are, names as strings; the same for `dump` and `replay`.
///
///     JSON.object(EventJSON.pairs(event, at: timeline.time(of: event), names, "notes#1")).text
package enum EventJSON {
  /// The members of the object, in their order.
  package static func pairs(
    _ event: Event,
    at time: TraceTime,
    _ names: Names,
    _ label: String
  ) -> [(String, JSON)] {
    let info = names.info(of: event.kind)
    let site = names[event.site]
    var pairs: [(String, JSON)] = [
      ("writer", .string(label)),
      ("sequence", JSON(event.sequence)),
      ("time", .int(event.time.rawValue)),
      ("sinceStart", .int(time.rawValue)),
      ("thread", JSON(Int(event.thread.rawValue))),
      ("kind", .string(info?.name ?? KindInfo.unknownName(event.kind))),
    ]
    if site.name != .empty { pairs.append(("site", .string(names[site.name]))) }
    if site.file != .empty {
      pairs.append(("file", .string(names[site.file])))
      pairs.append(("line", JSON(Int(site.line))))
    }
    if let identity = info?.identity {
      pairs.append((identity.name, json(FieldValue(event.identity, identity.type, names))))
    } else if event.identity != 0 {
      pairs.append(("identity", json(.hexadecimal(event.identity))))
    }
    let arguments = event.arguments(names, unnamed: "arg").map { ($0.label, json($0.value)) }
    pairs.append(("arguments", .object(arguments)))
    pairs.append(("observer", .string("\(event.observer)")))
    if event.flags.contains(.late) { pairs.append(("late", .bool(true))) }
    return pairs
  }

  private static func json(_ value: FieldValue) -> JSON {
    switch value {
    case .integer(let number), .duration(let number): .int(number)
    case .bytes(let count): .int(Int64(bitPattern: count))
    case .name(let name): .string(name)
    case .truth(let bits): .bool(bits != 0)
    case .hexadecimal, .state, .word, .code, .number: .string(StoryValue.text(value))
    }
  }
}
