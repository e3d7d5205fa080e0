// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
package import LifetraceTimeline
package import LifetraceTrace

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
      pairs.append((identity.name, value(event.identity, identity.type, names)))
    } else if event.identity != 0 {
      pairs.append(("identity", value(event.identity, .hex, names)))
    }
    var arguments: [(String, JSON)] = []
    let fields = (info?.fields ?? []) + site.labels
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      let field = index < fields.count ? fields[index] : Field("arg\(index)", .hex)
      arguments.append((field.name, value(event[index], field.type, names)))
    }
    pairs.append(("arguments", .object(arguments)))
    pairs.append(("observer", .string("\(event.observer)")))
    if event.flags.contains(.late) { pairs.append(("late", .bool(true))) }
    return pairs
  }

  private static func value(_ bits: UInt64, _ type: FieldType, _ names: Names) -> JSON {
    switch type {
    case .int, .duration, .bytes: .int(Int64(bitPattern: bits))
    case .name: .string(names[NameID(word: bits)])
    case .bool: .bool(bits != 0)
    default: .string(StoryValue.text(bits, type, names))
    }
  }
}
