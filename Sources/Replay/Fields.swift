// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// An event's arguments, labelled and readable.
package enum Fields {
  /// Identity first, then the arguments that were given.
  package static func pairs(of event: Event, _ names: Names) -> [(label: String, value: String)] {
    var pairs: [(label: String, value: String)] = []
    let info = names.info(of: event.kind)
    if let identity = info?.identity, event.identity != 0 {
      pairs.append((identity.name, text(event.identity, identity.type, names)))
    }
    let fields = (info?.fields ?? []) + names[event.site].labels
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      let field = index < fields.count ? fields[index] : Field("argument\(index)", .hex)
      pairs.append((field.name, text(event[index], field.type, names)))
    }
    return pairs
  }

  /// One value as its type says it.
  package static func text(_ bits: UInt64, _ type: FieldType, _ names: Names) -> String {
    switch type {
    case .int: "\(Int64(bitPattern: bits))"
    case .hex: "0x" + String(bits, radix: 16)
    case .name: Printable.line(names[NameID(word: bits)])
    case .duration: Quantity.duration(Int64(bitPattern: bits))
    case .bytes: Quantity.bytes(bits)
    case .bool: bits == 0 ? "no" : "yes"
    case .state: AppState(rawValue: UInt8(clamping: bits)).map(Wording.state) ?? "\(bits)"
    case .work: WorkKind(rawValue: UInt8(clamping: bits)).map { "\($0)" } ?? "\(bits)"
    case .level: DurabilityLevel(rawValue: UInt8(clamping: bits)).map { "\($0)" } ?? "\(bits)"
    case .resource: ResourceClass(rawValue: UInt8(clamping: bits)).map { "\($0)" } ?? "\(bits)"
    case .double: "\(Double(bitPattern: bits))"
    case .log: LogLevel(rawValue: UInt8(clamping: bits)).map { "\($0)" } ?? "\(bits)"
    }
  }
}
