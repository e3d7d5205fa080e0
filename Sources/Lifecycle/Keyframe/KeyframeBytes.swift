// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Writes the parts of a keyframe: numbers, and each string and site once.
struct KeyframeWriter: KeyframeCoder, ~Copyable {
  private var body = ByteWriter()
  private var strings: [NameID] = []
  private var indexOfString: [NameID: Int] = [:]
  private var sites: [SiteID] = []
  private var indexOfSite: [SiteID: Int] = [:]
  let countsLocks: Bool

  init(countsLocks: Bool) { self.countsLocks = countsLocks }

  mutating func number(_ value: inout UInt64) { body.varint(value) }

  mutating func signed(_ value: inout Int64) { body.signed(value) }

  mutating func small(_ value: inout UInt32, _: String) { body.varint(UInt64(value)) }

  mutating func flag(_ value: inout Bool) { body.varint(value ? 1 : 0) }

  mutating func code<Code: RawRepresentable<UInt8>>(_ value: inout Code, _: String) {
    body.varint(UInt64(value.rawValue))
  }

  mutating func open(_ value: inout UInt8) { body.varint(UInt64(value)) }

  mutating func count(_ value: inout Int, max _: Int) { body.varint(value) }

  mutating func name(_ id: inout NameID) { body.varint(index(of: id)) }

  mutating func site(_ id: inout SiteID) {
    if let known = indexOfSite[id] { return body.varint(known) }
    indexOfSite[id] = sites.count
    body.varint(sites.count)
    sites.append(id)
  }

  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max _: Int,
    _: (Key) -> Value
  ) {
    body.varint(table.count)
    for entry in table.entries.sorted(by: { $0.key.order < $1.key.order }) {
      var (key, value) = (entry.key, entry.value)
      key.code(with: &self)
      value.code(with: &self)
    }
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
    out.byte(countsLocks ? Chunk.lockKeyframeVersion : Chunk.keyframeVersion)
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
