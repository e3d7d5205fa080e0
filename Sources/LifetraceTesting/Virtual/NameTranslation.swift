// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import LifetraceTrace

/// From the string and site ids that the process hands out to those of a ``Names``.
struct NameTranslation {
  private var strings: [UInt32: NameID] = [:]
  private var sites: [UInt32: (id: SiteID, labels: [Field])] = [:]

  mutating func event(_ record: lt_record, names: inout Names) -> Event {
    let kind = EventKind(rawValue: record.kind)
    var event = Event(kind, at: HostTime(rawValue: Int64(bitPattern: record.tick)))
    event.argumentCount = record.arg_count
    event.flags = EventFlags(rawValue: record.flags)
    let site = site(record.site, &names)
    event.site = site.id
    event.identity = record.identity
    event.arguments = record.arg
    event.mapNames(labels: site.labels) { name($0, &names) }
    return event
  }

  private mutating func name(_ id: UInt64, _ names: inout Names) -> NameID {
    guard let id = UInt32(exactly: id), id != 0 else { return .empty }
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

  private mutating func site(_ id: UInt32, _ names: inout Names) -> (id: SiteID, labels: [Field]) {
    if let known = sites[id] { return known }
    var entry = lt_site_entry()
    guard id != 0, lt_site_lookup(id, &entry) else { return (.none, []) }
    let labels = Field.list(Self.text(entry.labels))
    let new = names.intern(
      Site(
        name: name(UInt64(entry.name), &names),
        file: name(UInt64(entry.file), &names),
        line: entry.line,
        labels: labels
      )
    )
    sites[id] = (new, labels)
    return (new, labels)
  }
}
