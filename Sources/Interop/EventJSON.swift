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
    let info = KindInfo.said(event.kind, names)
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
      pairs.append(
        (identityKey(identity), json(FieldValue(event.identity, identity.type, names)))
      )
    } else if event.identity != 0 {
      pairs.append(("identity", json(.hexadecimal(event.identity))))
    }
    pairs.append(("arguments", .object(arguments(event, info, site.labels, names))))
    let labels = labels(event, info, site.labels, names)
    if !labels.isEmpty { pairs.append(("labels", .array(labels))) }
    pairs.append(("observer", .string(event.observer.word)))
    for (flag, name) in flags where event.flags.contains(flag) { pairs.append((name, .bool(true))) }
    return pairs
  }

  /// What an event carries, by name: its identity where it has one, then the arguments given.
  package static func values(_ event: Event, _ names: Names) -> [(String, JSON)] {
    let info = KindInfo.said(event.kind, names)
    let arguments = arguments(event, info, names[event.site].labels, names)
    guard let field = info?.identity, event.identity != 0 else { return arguments }
    let identity = (field.name, json(FieldValue(event.identity, field.type, names)))
    return [identity] + arguments.filter { $0.0 != field.name }
  }

  /// What was said of the delivery of an event, where it was.
  static let flags: [(EventFlags, String)] = [
    (.late, "late"), (.inferred, "inferred"), (.sampled, "sampled"),
  ]

  /// The key of an identity; one of a kind of a later version may be called like a key of all events.
  static func identityKey(_ identity: Field) -> String {
    reserved.contains(identity.name) ? "identity" : identity.name
  }

  private static let reserved: Set<String> = [
    "writer", "sequence", "time", "sinceStart", "thread", "kind", "site", "file", "line",
    "arguments", "labels", "observer", "late", "inferred", "sampled",
  ]

  /// The arguments given, by name; labels too, unless the kind has a field of that name.
  private static func arguments(
    _ event: Event,
    _ info: KindInfo?,
    _ labels: [Field],
    _ names: Names
  ) -> [(String, JSON)] {
    let own = info?.fields ?? []
    let fields = labels.isEmpty ? own : own + labels
    var pairs: [(String, JSON)] = []
    let count = min(Int(event.argumentCount), Event.argumentsMax)
    pairs.reserveCapacity(count)
    for index in 0..<count {
      let field = index < fields.count ? fields[index] : Field("arg\(index)", .hex)
      guard !pairs.contains(where: { $0.0 == field.name }) else { continue }
      pairs.append((field.name, json(FieldValue(event[index], field.type, names))))
    }
    return pairs
  }

  /// Labels as a story has them, `key=value`, with the type in the form of the value.
  private static func labels(
    _ event: Event,
    _ info: KindInfo?,
    _ labels: [Field],
    _ names: Names
  ) -> [JSON] {
    let first = info?.fields.count ?? 0
    let end = min(Int(event.argumentCount), Event.argumentsMax, first + labels.count)
    guard first < end else { return [] }
    return (first..<end).map { index in
      .string(StoryWords.label(labels[index - first], event[index], info, names))
    }
  }

  private static func json(_ value: FieldValue) -> JSON {
    switch value {
    case .integer(let number), .duration(let number): .int(number)
    case .bytes(let count): .int(Int64(bitPattern: count))
    case .name(let name): .string(name)
    case .truth(let bits) where bits < 2: .bool(bits != 0)
    case .hexadecimal, .truth, .state, .word, .code, .number: .string(StoryValue.text(value))
    }
  }
}
