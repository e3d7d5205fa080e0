// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
package import LifetraceTrace

// What stands before the events of a recording in JSON lines: its writers, and kinds of later versions.
// They are lines like those of events; their kinds begin with `lifetrace.`.

extension EventJSON {
  /// The kind of the line of a writer.
  package static let writerKind = "lifetrace.writer"
  /// The kind of the line of a kind of event that this version does not know.
  package static let kindKind = "lifetrace.kind"
  /// The `kind` of a line that says what of a recording could not be read.
  package static let damageKind = "lifetrace.damage"

  /// The members of the line of a writer; times are those of its clock, in nanoseconds.
  package static func pairs(
    of id: WriterID,
    _ attributes: WriterAttributes,
    _ label: String
  ) -> [(String, JSON)] {
    var pairs: [(String, JSON)] = [
      ("kind", .string(writerKind)),
      ("writer", .string(label)),
      ("id", .string(id.text)),
      ("app", .string(attributes.app)),
      ("process", .string(attributes.process)),
      ("role", .string("\(attributes.role)")),
      ("pid", JSON(Int(attributes.pid))),
      ("profile", .string(attributes.profile)),
    ]
    if let id = attributes.previous { pairs.append(("previous", .string(id.text))) }
    pairs += attributes.origin.pairs
    return pairs + [
      ("host", .string(attributes.host)),
      ("boot", .string(attributes.boot)),
      ("deviceBoot", JSON(Int(attributes.deviceBoot))),
      ("started", .int(attributes.started.rawValue)),
      ("evidence", .string("\(attributes.evidence)")),
      ("clock", .string("\(attributes.clock)")),
      ("realOffset", .int(attributes.realOffset)),
      ("timeScale", JSON(Int(attributes.timeScale))),
    ]
  }

  /// The members of a writer that not every recording has.
  static let originKeys = ["session", "run", "machine", "recorder"]

  /// The members of the line of a kind; nil where it could not be read back.
  package static func pairs(of info: KindInfo) -> [(String, JSON)]? {
    guard info.storyLine != nil else { return nil }
    func text(_ field: Field) -> JSON { .string("\(field.name):\(field.type)") }
    var pairs: [(String, JSON)] = [
      ("kind", .string(kindKind)),
      ("number", JSON(Int(info.kind.rawValue))),
      ("name", .string(info.name)),
      ("family", .string("\(info.family)")),
    ]
    if let ending = info.ending { pairs.append(("ending", JSON(Int(ending.rawValue)))) }
    if let identity = info.identity { pairs.append(("identity", text(identity))) }
    return pairs + [("fields", .array(info.fields.map(text)))]
  }
}

extension RecordingOrigin {
  fileprivate var pairs: [(String, JSON)] {
    let values = [session?.text, run.isEmpty ? nil : run, machine?.text, recorder?.text]
    return zip(EventJSON.originKeys, values).compactMap { key, value in
      value.map { (key, .string($0)) }
    }
  }
}
