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
      siteTable.varint(site.labels.count)
      for label in site.labels {
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

/// Reads the parts of a keyframe, believing nothing: every count is checked against the bytes that are left.
struct KeyframeReader: ~Copyable {
  private var input: ByteReader
  private var names: [NameID] = []
  private var sites: [SiteID] = []

  init(_ bytes: [UInt8], into table: inout Names) throws(ChunkDamage) {
    input = ByteReader(bytes)
    let version = try input.byte("fold version of the keyframe")
    guard version == LifeState.foldVersion else {
      throw ChunkDamage(
        "fold version of the keyframe",
        found: UInt64(version),
        expected: "\(LifeState.foldVersion)",
        at: 0
      )
    }
    for _ in 0..<(try count()) { names.append(table.intern(try string())) }
    for _ in 0..<(try count()) {
      var site = Site(name: try name(), file: try name())
      site.line = try small("line")
      for _ in 0..<(try count()) {
        let label = try string()
        let type = try input.byte("label type")
        guard let type = FieldType(rawValue: type) else {
          throw damage("label type", found: UInt64(type))
        }
        site.labels.append(Field(label, type))
      }
      sites.append(table.intern(site))
    }
  }

  mutating func number() throws(ChunkDamage) -> UInt64 {
    try input.varint("number in the keyframe")
  }

  mutating func signed() throws(ChunkDamage) -> Int64 { try input.signed("number in the keyframe") }

  mutating func small(_ what: String) throws(ChunkDamage) -> UInt32 {
    let value = try number()
    guard let small = UInt32(exactly: value) else { throw damage(what, found: value) }
    return small
  }

  mutating func code<Code: RawRepresentable>(
    _ what: String
  ) throws(ChunkDamage) -> Code where Code.RawValue == UInt8 {
    let value = try number()
    guard let code = UInt8(exactly: value).flatMap(Code.init) else {
      throw damage(what, found: value)
    }
    return code
  }

  /// A number of things that each take at least one byte.
  mutating func count(max limit: Int = .max) throws(ChunkDamage) -> Int {
    try input.count("count in the keyframe", max: min(limit, input.remaining))
  }

  mutating func time() throws(ChunkDamage) -> HostTime { HostTime(rawValue: try signed()) }

  mutating func name() throws(ChunkDamage) -> NameID {
    let index = try number()
    guard index < UInt64(names.count) else { throw damage("name", found: index) }
    return names[Int(index)]
  }

  mutating func site() throws(ChunkDamage) -> SiteID {
    let index = try number()
    guard index < UInt64(sites.count) else { throw damage("site", found: index) }
    return sites[Int(index)]
  }

  mutating func thread() throws(ChunkDamage) -> ThreadID {
    ThreadID(rawValue: try small("thread"))
  }

  mutating func flag() throws(ChunkDamage) -> Bool {
    let value = try number()
    guard value <= 1 else { throw damage("flag", found: value) }
    return value == 1
  }

  mutating func optional<Value>(
    _ read: (inout Self) throws(ChunkDamage) -> Value
  ) throws(ChunkDamage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  mutating func end() throws(ChunkDamage) {
    guard input.remaining == 0 else {
      throw ChunkDamage(
        "bytes behind the keyframe",
        found: UInt64(input.remaining),
        expected: "0",
        at: input.position
      )
    }
  }

  private mutating func string() throws(ChunkDamage) -> String {
    try input.string("string in the keyframe", max: input.remaining)
  }

  private func damage(_ what: String, found: UInt64) -> ChunkDamage {
    ChunkDamage(
      "\(what) in the keyframe",
      found: found,
      expected: "one that the fold writes",
      at: input.position
    )
  }
}
