// SPDX-License-Identifier: Apache-2.0

/// The tables at the head of a payload, as they are written: strings, sites, kinds, threads.
///
/// The other tables refer to strings by their position, from 1; 0 is the empty string. Strings
/// of events come first, words of the kind table after them.
struct ChunkTables {
  private var strings: [String] = []
  private var stringBytes = 0
  private var words: [String: Int] = [:]
  private var rest = ByteWriter()

  /// An upper guess of what ``finish(into:)`` writes.
  var byteCount: Int { stringBytes + strings.count * 2 + rest.count }

  /// Adds a string of an event; the n-th one has number n, equal or not.
  mutating func add(_ string: String) {
    let limit =
      stringBytes < Chunk.stringsBytesMax ? Chunk.stringBytesMax : Chunk.stringBytesShort
    let kept = string.cut(toBytes: limit)
    stringBytes += kept.utf8.count
    strings.append(kept)
  }

  /// The number of a word, which is added when it is new.
  private mutating func number(of word: String) -> Int {
    if word.isEmpty { return 0 }
    if let known = words[word] { return known }
    add(word)
    words[word] = strings.count
    return strings.count
  }

  private mutating func write(_ field: Field) {
    rest.varint(number(of: field.name))
    rest.byte(field.type.rawValue)
  }

  mutating func write(sites: [Site], number: (NameID) -> Int) {
    rest.varint(sites.count)
    for site in sites {
      rest.varint(number(site.name))
      rest.varint(number(site.file))
      rest.varint(UInt64(site.line))
      let labels = site.labels.prefix(Chunk.labelsMax)
      rest.varint(labels.count)
      for label in labels { write(label) }
    }
  }

  mutating func write(kinds: [KindInfo]) {
    rest.varint(kinds.count)
    for kind in kinds {
      rest.byte(kind.kind.rawValue)
      rest.varint(number(of: kind.name))
      rest.byte(kind.family.rawValue)
      rest.byte(kind.ending?.rawValue ?? kind.kind.rawValue)
      rest.byte(kind.identity == nil ? 0 : 1)
      if let identity = kind.identity { write(identity) }
      let fields = kind.fields.prefix(Chunk.fieldsMax)
      rest.varint(fields.count)
      for field in fields { write(field) }
    }
  }

  mutating func write(threads: [UInt32]) {
    rest.varint(threads.count)
    for thread in threads { rest.varint(UInt64(thread)) }
  }

  /// Writes the strings (all lengths, then all bytes) and the other tables.
  func finish(into out: inout ByteWriter) {
    out.varint(strings.count)
    for string in strings { out.varint(string.utf8.count) }
    for string in strings { out.bytes.append(contentsOf: string.utf8) }
    out.bytes.append(contentsOf: rest.bytes)
  }
}
