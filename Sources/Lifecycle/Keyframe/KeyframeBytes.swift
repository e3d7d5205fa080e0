// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Writes the parts of a keyframe: numbers, and each string and site once.
struct KeyframeWriter: ~Copyable {
  private var body = ByteWriter()
  private var strings: [NameID] = []
  private var indexOfString: [NameID: Int] = [:]
  private var sites: [SiteID] = []
  private var indexOfSite: [SiteID: Int] = [:]

  init() {}

  mutating func number(_ value: UInt64) { body.varint(value) }

  mutating func signed(_ value: Int64) { body.signed(value) }

  mutating func time(_ value: HostTime) { signed(value.rawValue) }

  mutating func name(_ id: NameID) { body.varint(index(of: id)) }

  mutating func site(_ id: SiteID) {
    if let known = indexOfSite[id] { return body.varint(known) }
    indexOfSite[id] = sites.count
    body.varint(sites.count)
    sites.append(id)
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
    number(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  /// Version, strings, sites, body.
  consuming func finish(names: borrowing Names) -> [UInt8] {
    var siteTable = ByteWriter()
    siteTable.varint(sites.count)
    for id in sites {
      let site = names[id]
      siteTable.varint(index(of: site.name))
      siteTable.varint(index(of: site.file))
      siteTable.varint(UInt64(site.line))
      let labels = site.labels.prefix(Chunk.labelsMax)
      siteTable.varint(labels.count)
      for label in labels {
        siteTable.string(label.name)
        siteTable.byte(label.type.rawValue)
      }
    }
    var out = ByteWriter()
    out.byte(LifeState.foldVersion)
    out.varint(strings.count)
    for id in strings { out.string(names[id]) }
    return out.bytes + siteTable.bytes + body.bytes
  }

  private mutating func index(of id: NameID) -> Int {
    if let known = indexOfString[id] { return known }
    indexOfString[id] = strings.count
    strings.append(id)
    return strings.count - 1
  }
}
