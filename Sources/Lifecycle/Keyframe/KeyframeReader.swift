// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Reads the parts of a keyframe, believing nothing: every count is checked against the bytes that are left.
struct KeyframeReader: KeyframeCoder, ~Copyable {
  /// Where strings and sites are interned: the caller's, lent for as long as it reads.
  var names = Names()
  private var input: ByteReader
  private var strings: [Entry] = []
  private var sites: [Entry] = []
  private var firstDamage: ChunkDamage?
  private(set) var countsLocks = false

  /// A string or a site of the tables: interned when it is asked for, so that what the state does
  /// not use costs nothing.
  private enum Entry {
    case unread(at: UInt32)
    case read(UInt32)
  }

  init(_ bytes: [UInt8]) throws(ChunkDamage) {
    input = ByteReader(bytes)
    guard bytes.count <= Chunk.keyframeBytesMax else {
      throw ChunkDamage(
        "keyframe bytes",
        found: UInt64(bytes.count),
        expected: "at most \(Chunk.keyframeBytesMax)",
        at: 0
      )
    }
    let version = try input.byte("fold version of the keyframe")
    guard Chunk.readsKeyframe(ofVersion: version) else {
      throw ChunkDamage(
        "fold version of the keyframe",
        found: UInt64(version),
        expected: "\(Chunk.keyframeVersion) or \(Chunk.lockKeyframeVersion)",
        at: 0
      )
    }
    countsLocks = version == Chunk.lockKeyframeVersion
    for _ in 0..<(try count()) {
      strings.append(.unread(at: UInt32(input.position)))
      _ = try KeyframeReader.stringRange(&input)
    }
    for _ in 0..<(try count()) {
      sites.append(.unread(at: UInt32(input.position)))
      try passSite()
    }
  }

  private mutating func passSite() throws(ChunkDamage) {
    for _ in 0..<2 { _ = try index("name", below: strings.count) }
    _ = try small("line")
    for _ in 0..<(try count(max: Chunk.labelsMax)) {
      _ = try KeyframeReader.stringRange(&input)
      let type = try input.byte("label type")
      if FieldType(rawValue: type) == nil { throw damage("label type", found: UInt64(type)) }
    }
  }

  mutating func number(_ value: inout UInt64) {
    value = read(0) { reader throws(ChunkDamage) in try reader.number() }
  }

  mutating func signed(_ value: inout Int64) {
    value = read(0) { reader throws(ChunkDamage) in
      try reader.input.signed("number in the keyframe")
    }
  }

  mutating func small(_ value: inout UInt32, _ what: String) {
    value = read(0) { reader throws(ChunkDamage) in try reader.small(what) }
  }

  mutating func flag(_ value: inout Bool) {
    value = read(false) { reader throws(ChunkDamage) in
      let number = try reader.number()
      guard number <= 1 else { throw reader.damage("flag", found: number) }
      return number == 1
    }
  }

  mutating func code<Code: RawRepresentable<UInt8>>(_ value: inout Code, _ what: String) {
    value = read(value) { reader throws(ChunkDamage) in
      let number = try reader.number()
      guard let code = UInt8(exactly: number).flatMap(Code.init) else {
        throw reader.damage(what, found: number)
      }
      return code
    }
  }

  mutating func open(_ value: inout UInt8) {
    value = read(0) { reader throws(ChunkDamage) in UInt8(clamping: try reader.number()) }
  }

  mutating func count(_ value: inout Int, max limit: Int) {
    value = read(0) { reader throws(ChunkDamage) in try reader.count(max: limit) }
  }

  mutating func name(_ id: inout NameID) {
    id = read(.empty) { reader throws(ChunkDamage) in
      try reader.string(reader.index("name", below: reader.strings.count))
    }
  }

  mutating func site(_ id: inout SiteID) {
    id = read(.none) { reader throws(ChunkDamage) in
      let index = try reader.index("site", below: reader.sites.count)
      switch reader.sites[index] {
      case .read(let known): return SiteID(rawValue: known)
      case .unread(let at):
        let id = reader.names.intern(try reader.siteAt(Int(at)))
        reader.sites[index] = .read(id.rawValue)
        return id
      }
    }
  }

  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max limit: Int,
    _ blank: (Key) -> Value
  ) {
    var count = 0
    self.count(&count, max: limit)
    for _ in 0..<count where firstDamage == nil {
      var key = Key()
      key.code(with: &self)
      var value = blank(key)
      value.code(with: &self)
      table.insert(value, for: key)
    }
  }

  /// What `body` reads, or `blank` from the first damage on.
  private mutating func read<Value>(
    _ blank: Value,
    _ body: (inout KeyframeReader) throws(ChunkDamage) -> Value
  ) -> Value {
    guard firstDamage == nil else { return blank }
    do throws(ChunkDamage) {
      return try body(&self)
    } catch {
      firstDamage = error
      return blank
    }
  }

  private mutating func number() throws(ChunkDamage) -> UInt64 {
    try input.varint("number in the keyframe")
  }

  private mutating func small(_ what: String) throws(ChunkDamage) -> UInt32 {
    let value = try number()
    guard let small = UInt32(exactly: value) else { throw damage(what, found: value) }
    return small
  }

  /// A number of things that each take at least one byte.
  private mutating func count(max limit: Int = .max) throws(ChunkDamage) -> Int {
    try input.count("count in the keyframe", max: min(limit, input.remaining))
  }

  private mutating func string(_ index: Int) throws(ChunkDamage) -> NameID {
    switch strings[index] {
    case .read(let id): return NameID(rawValue: id)
    case .unread(let at):
      var input = ByteReader(input.bytes, in: Int(at)..<input.bytes.count)
      let id = names.intern(try input.string("string in the keyframe", max: input.remaining))
      strings[index] = .read(id.rawValue)
      return id
    }
  }

  /// A site whose bytes ``passSite()`` has looked at.
  private mutating func siteAt(_ at: Int) throws(ChunkDamage) -> Site {
    var input = ByteReader(input.bytes, in: at..<input.bytes.count)
    let name = Int(try input.varint("name in the keyframe"))
    let file = Int(try input.varint("file in the keyframe"))
    var site = Site(
      name: try string(name),
      file: try string(file),
      line: UInt32(truncatingIfNeeded: try input.varint("line in the keyframe"))
    )
    for _ in 0..<(try input.varint("labels in the keyframe")) {
      let label = names.intern(try input.string("string in the keyframe", max: input.remaining))
      let type = FieldType(rawValue: try input.byte("label type")) ?? .hex
      site.labels.append(Field(names[label], type))
    }
    return site
  }

  /// Everything was read, and none of it was damaged.
  ///
  /// `areLocksConsistent`: whether the locks of the state are held as often as their holders say.
  mutating func end(areLocksConsistent: Bool) throws(ChunkDamage) {
    if let firstDamage { throw firstDamage }
    guard areLocksConsistent else { throw damage("holder of a lock", found: 0) }
    guard input.remaining == 0 else {
      throw ChunkDamage(
        "bytes behind the keyframe",
        found: UInt64(input.remaining),
        expected: "0",
        at: input.position
      )
    }
  }

  private static func stringRange(_ input: inout ByteReader) throws(ChunkDamage) -> Range<Int> {
    let length = try input.count("string in the keyframe", max: input.remaining)
    return try input.take(length, "string in the keyframe")
  }

  /// A place in a table.
  private mutating func index(_ what: String, below limit: Int) throws(ChunkDamage) -> Int {
    let index = try number()
    guard index < UInt64(limit) else { throw damage(what, found: index) }
    return Int(index)
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
