// SPDX-License-Identifier: Apache-2.0

/// Reads the tables at the head of a payload, which ``ChunkTables`` wrote.
enum TableReader {
  /// The strings of a chunk: their ids in the reader's names, from local number 0 (empty).
  struct Strings {
    var ids: [UInt32] = [0]
  }

  /// The sites of a chunk, from local number 0 (none).
  struct Sites {
    var ids: [UInt32] = [0]
    var labelMasks: [UInt16] = [0]
  }

  static func strings(
    from input: inout ByteReader,
    names: inout Names
  ) throws(ChunkDamage) -> Strings {
    let count = try input.count("strings", max: Chunk.rowsMax * 16, bytesEach: 1)
    var lengths: [Int] = []
    lengths.reserveCapacity(count)
    for _ in 0..<count {
      lengths.append(try input.count("string bytes", max: Chunk.stringBytesMax))
    }
    var strings = Strings()
    strings.ids.reserveCapacity(count + 1)
    for length in lengths {
      let range = try input.take(length, "string")
      let id = input.bytes.withUnsafeBufferPointer {
        names.intern(utf8: UnsafeBufferPointer(rebasing: $0[range]))
      }
      strings.ids.append(id.rawValue)
    }
    return strings
  }

  private static func string(
    from input: inout ByteReader,
    of strings: Strings
  ) throws(ChunkDamage) -> Int {
    try input.count("string number", max: strings.ids.count - 1)
  }

  private static func text(
    from input: inout ByteReader,
    of strings: Strings,
    _ names: borrowing Names
  ) throws(ChunkDamage) -> String {
    names[NameID(rawValue: strings.ids[try string(from: &input, of: strings)])]
  }

  private static func field(
    from input: inout ByteReader,
    of strings: Strings,
    _ names: borrowing Names
  ) throws(ChunkDamage) -> Field {
    let name = try text(from: &input, of: strings, names)
    // A type of a later version is printed as a plain number.
    return Field(name, FieldType(rawValue: try input.byte("field type")) ?? .hex)
  }

  static func sites(
    from input: inout ByteReader,
    strings: Strings,
    names: inout Names
  ) throws(ChunkDamage) -> Sites {
    var sites = Sites()
    let count = try input.count("sites", max: Chunk.rowsMax, bytesEach: 4)
    sites.ids.reserveCapacity(count + 1)
    sites.labelMasks.reserveCapacity(count + 1)
    for _ in 0..<count {
      let name = strings.ids[try string(from: &input, of: strings)]
      let file = strings.ids[try string(from: &input, of: strings)]
      let line = try input.count("line", max: Int(UInt32.max))
      var labels: [Field] = []
      for _ in 0..<(try input.count("labels", max: Chunk.labelsMax)) {
        labels.append(try field(from: &input, of: strings, names))
      }
      let site = Site(
        name: NameID(rawValue: name),
        file: NameID(rawValue: file),
        line: UInt32(line),
        labels: labels
      )
      sites.ids.append(names.intern(site).rawValue)
      sites.labelMasks.append(site.nameLabels)
    }
    return sites
  }

  static func kinds(
    from input: inout ByteReader,
    strings: Strings,
    names: inout Names
  ) throws(ChunkDamage) -> [KindInfo] {
    var kinds: [KindInfo] = []
    for _ in 0..<(try input.count("kinds", max: 256, bytesEach: 5)) {
      let at = input.position
      let kind = EventKind(rawValue: try input.byte("kind"))
      guard kind.rawValue > kinds.last?.kind.rawValue ?? 0 || kinds.isEmpty else {
        throw ChunkDamage("kind", found: UInt64(kind.rawValue), expected: "ascending", at: at)
      }
      let name = try text(from: &input, of: strings, names)
      let family = EventFamily(rawValue: try input.byte("family")) ?? .unknown
      let ending = EventKind(rawValue: try input.byte("ending"))
      let identity =
        try input.byte("identity") == 0 ? nil : try field(from: &input, of: strings, names)
      var fields: [Field] = []
      for _ in 0..<(try input.count("fields", max: Chunk.fieldsMax)) {
        fields.append(try field(from: &input, of: strings, names))
      }
      let info = KindInfo(
        kind: kind,
        name: name,
        family: family,
        identity: identity,
        fields: fields,
        ending: ending == kind ? nil : ending
      )
      names.teach(info)
      kinds.append(info)
    }
    return kinds
  }

  static func threads(
    from input: inout ByteReader,
    rows: Int
  ) throws(ChunkDamage) -> [UInt32] {
    var threads: [UInt32] = []
    for _ in 0..<(try input.count("threads", max: rows, bytesEach: 1)) {
      threads.append(UInt32(try input.count("thread", max: Int(UInt32.max))))
    }
    guard !threads.isEmpty else {
      throw ChunkDamage("threads", found: 0, expected: "at least one", at: input.position)
    }
    return threads
  }
}
