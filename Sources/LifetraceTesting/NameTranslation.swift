// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Trace

/// From the string and site ids that the process hands out to those of a ``Names``.
struct NameTranslation {
  private var strings: [UInt32: NameID] = [:]
  private var sites: [UInt32: SiteID] = [:]

  mutating func event(_ record: lt_record, names: inout Names) -> Event {
    let kind = EventKind(rawValue: record.kind)
    let info = kind.info
    var event = Event(kind, at: HostTime(rawValue: Int64(bitPattern: record.tick)))
    event.argumentCount = record.arg_count
    event.flags = EventFlags(rawValue: record.flags)
    event.site = site(record.site, &names)
    event.identity =
      info?.identity?.type == .name
      ? UInt64(name(record.identity, &names).rawValue) : record.identity
    event.arguments = record.arg
    let labels = names[event.site].labels
    let fixed = info?.fields ?? []
    for index in 0..<min(Int(record.arg_count), Event.argumentsMax) {
      let type: FieldType? =
        index < fixed.count
        ? fixed[index].type
        : index - fixed.count < labels.count ? labels[index - fixed.count].type : nil
      if type == .name { event[index] = UInt64(name(event[index], &names).rawValue) }
    }
    return event
  }

  private mutating func name(_ id: UInt64, _ names: inout Names) -> NameID {
    let id = UInt32(truncatingIfNeeded: id)
    if id == 0 { return .empty }
    if let known = strings[id] { return known }
    let new = names.intern(Self.text(id))
    strings[id] = new
    return new
  }

  private static func text(_ id: UInt32) -> String {
    var count = 0
    guard let bytes = lt_name_lookup(id, &count) else { return "" }
    return String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: count),
      as: UTF8.self
    )
  }

  private mutating func site(_ id: UInt32, _ names: inout Names) -> SiteID {
    if id == 0 { return .none }
    if let known = sites[id] { return known }
    var entry = lt_site_entry()
    guard lt_site_lookup(id, &entry) else { return .none }
    let new = names.intern(
      Site(
        name: name(UInt64(entry.name), &names),
        file: name(UInt64(entry.file), &names),
        line: entry.line,
        labels: Self.labels(Self.text(entry.labels))
      )
    )
    sites[id] = new
    return new
  }

  /// `size:bytes,user:name` as fields.
  private static func labels(_ text: String) -> [Field] {
    text.split(separator: ",").map { pair in
      let parts = pair.split(separator: ":", maxSplits: 1)
      let type = FieldType.allCases.first { parts.count > 1 && "\($0)" == parts[1] }
      return Field(parts.first.map { String($0) } ?? "", type ?? .int)
    }
  }
}
