// SPDX-License-Identifier: Apache-2.0

/// Reads the tables at the head of a payload, which ``ChunkTables`` wrote.
enum TableReader {
  private static func string(
    from input: inout ByteReader,
    of strings: LocalStrings
  ) throws(ChunkDamage) -> Int {
    try input.count("string number", max: strings.count - 1)
  }

  private static func type(from input: inout ByteReader) throws(ChunkDamage) -> FieldType {
    // A type of a later version is printed as a plain number.
    FieldType(rawValue: try input.byte("field type")) ?? .hex
  }

  private static func field(
    from input: inout ByteReader,
    of strings: inout LocalStrings,
    _ names: inout Names
  ) throws(ChunkDamage) -> Field {
    let name = strings.id(of: try string(from: &input, of: strings), in: &names)
    return Field(names[name], try type(from: &input))
  }

  /// The sites of a chunk, from local number 0 (none).
  static func sites(
    from input: inout ByteReader,
    strings: LocalStrings
  ) throws(ChunkDamage) -> [LocalSite] {
    let count = try input.count("sites", max: Chunk.rowsMax, bytesEach: 4)
    var sites = [LocalSite(name: 0, file: 0, line: 0, labels: [])]
    sites.reserveCapacity(count + 1)
    for _ in 0..<count {
      let name = try string(from: &input, of: strings)
      let file = try string(from: &input, of: strings)
      let line = try input.count("line", max: Int(UInt32.max))
      var labels: [(name: Int, type: FieldType)] = []
      for _ in 0..<(try input.count("labels", max: Chunk.labelsMax)) {
        labels.append((try string(from: &input, of: strings), try type(from: &input)))
      }
      sites.append(LocalSite(name: name, file: file, line: UInt32(line), labels: labels))
    }
    return sites
  }

  static func kinds(
    from input: inout ByteReader,
    strings: inout LocalStrings,
    names: inout Names
  ) throws(ChunkDamage) -> [KindInfo] {
    var kinds: [KindInfo] = []
    for _ in 0..<(try input.count("kinds", max: 256, bytesEach: 5)) {
      let at = input.position
      let kind = EventKind(rawValue: try input.byte("kind"))
      guard kind.rawValue > kinds.last?.kind.rawValue ?? 0 || kinds.isEmpty else {
        throw ChunkDamage("kind", found: UInt64(kind.rawValue), expected: "ascending", at: at)
      }
      let name = strings.id(of: try string(from: &input, of: strings), in: &names)
      let family = EventFamily(rawValue: try input.byte("family")) ?? .unknown
      let ending = EventKind(rawValue: try input.byte("ending"))
      let identity =
        try input.byte("identity") == 0 ? nil : try field(from: &input, of: &strings, &names)
      var fields: [Field] = []
      for _ in 0..<(try input.count("fields", max: Chunk.fieldsMax)) {
        fields.append(try field(from: &input, of: &strings, &names))
      }
      let info = KindInfo(
        kind: kind,
        name: names[name],
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
