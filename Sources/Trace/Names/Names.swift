// SPDX-License-Identifier: Apache-2.0

/// A place in the source that emits events.
public struct Site: Hashable, Sendable {
  /// The name given there: a span's name, a callback's selector; may be empty.
  public var name: NameID
  /// The `#fileID` of the site, or empty.
  public var file: NameID
  /// The line, 0 for unknown.
  public var line: UInt32
  /// Labels of arguments beyond the kind's own fields.
  public var labels: [Field]

  /// A site with those values.
  public init(name: NameID, file: NameID = .empty, line: UInt32 = 0, labels: [Field] = []) {
    self.name = name
    self.file = file
    self.line = line
    self.labels = labels
  }
}

/// Interned strings and sites: what ids in events stand for.
///
///     let draft = names.intern("draft.txt")
///     names[draft]                                  // "draft.txt"
///
/// Grows only; an id stays valid. Lookup by id is an array access, interning is
/// a dictionary lookup (about 50 ns). A value type: a reader owns one.
///
/// A reader's has a limit, ``bytesMax``, since a file of a few megabytes can hold strings of many
/// gigabytes: beyond it what is not known yet becomes ``droppedText``.
public struct Names: Sendable {
  /// The strings, indexed by ``NameID``.
  public private(set) var strings: [String] = [""]
  /// The sites, indexed by ``SiteID``.
  public private(set) var sites: [Site] = [Site(name: .empty)]
  /// Bytes of all strings.
  package private(set) var textBytes = 0
  /// The most that strings and sites may take, with what each costs beside its bytes.
  public var bytesMax: Int
  /// What strings and sites take of ``bytesMax``.
  public private(set) var bytes = 0
  /// What stands for a string that found no room; nil while all did.
  private var droppedName: NameID?
  private var droppedSite = SiteID.none
  private var taughtKinds: [UInt8: KindInfo] = [:]
  private var idOfString: [ExactString: NameID] = [ExactString(string: ""): .empty]
  /// For some hashes of bytes, the string that had it last: in front of the dictionary.
  private var recent: [UInt32] = []
  private var sitePlaces = SitePlaces()

  /// The least that the names of one trace may take.
  public static let readBytesMin = 256 << 20
  /// For each byte of a file: its names may take so much where that is more than ``readBytesMin``.
  public static let bytesPerFileByte = 16
  /// What a string that found no room reads as.
  public static let droppedText = "(name dropped)"

  /// What a string costs beside its bytes: its head, its places in the array and the dictionary.
  static let stringOverhead = 128
  /// What a site costs, and each of its labels.
  static let siteOverhead = 192
  static let labelOverhead = 48
  /// Where there is no room, longer strings are not even looked for: hashing them would take as
  /// long as it took to make them.
  private static let soughtBytesMax = 256

  /// A table with the empty string and no site.
  public init(bytesMax: Int = .max) { self.bytesMax = bytesMax }

  /// Whether some string or site found no room.
  public var hasDropped: Bool { droppedName != nil }

  /// The id of `string`, new or known.
  public mutating func intern(_ string: String) -> NameID {
    let met = string.utf8.withContiguousStorageIfAvailable { meet($0) }
    if let known = met?.id { return known }
    let id = seek(string)
    if let met { recent[met.slot] = id.rawValue }
    return id
  }

  /// The same, for one that was not met lately.
  private mutating func seek(_ string: String) -> NameID {
    let exact = ExactString(string: string)
    if let known = idOfString[exact] { return known }
    guard droppedName == nil, bytes + string.utf8.count + Names.stringOverhead <= bytesMax
    else { return dropName() }
    return add(exact)
  }

  private mutating func add(_ exact: ExactString) -> NameID {
    let id = NameID(rawValue: UInt32(strings.count))
    strings.append(exact.string)
    textBytes += exact.string.utf8.count
    bytes += exact.string.utf8.count + Names.stringOverhead
    idOfString[exact] = id
    return id
  }

  /// From the first string that finds no room on, no new one is taken.
  private mutating func dropName() -> NameID {
    if let droppedName { return droppedName }
    let dropped = ExactString(string: Names.droppedText)
    let id = idOfString[dropped] ?? add(dropped)
    droppedName = id
    return id
  }

  /// The id of the string with these bytes, new or known; wrong UTF-8 reads as U+FFFD.
  ///
  /// A string that was met lately costs a look at its bytes: no string is made, and nothing is
  /// looked up in the dictionary.
  package mutating func intern(utf8 bytes: UnsafeBufferPointer<UInt8>) -> NameID {
    if bytes.isEmpty { return .empty }
    if let droppedName, bytes.count > Names.soughtBytesMax { return droppedName }
    let (slot, met) = meet(bytes)
    if let met { return met }
    let id = seek(String(decoding: bytes, as: UTF8.self))
    recent[slot] = id.rawValue
    return id
  }

  private static let recentMax = 4_096

  /// Where a string with these bytes is among the recent ones, and its id if it is there.
  private mutating func meet(_ bytes: UnsafeBufferPointer<UInt8>) -> (slot: Int, id: NameID?) {
    if recent.isEmpty { recent = [UInt32](repeating: 0, count: Names.recentMax) }
    let slot = Names.slot(bytes)
    let known = Int(recent[slot])
    let isKnown = strings[known].utf8.withContiguousStorageIfAvailable { known in
      guard known.count == bytes.count, let mine = known.baseAddress,
        let theirs = bytes.baseAddress
      else { return known.count == bytes.count }
      return Names.areEqual(mine, theirs, count: bytes.count)
    }
    return (slot, isKnown == true ? NameID(rawValue: UInt32(known)) : nil)
  }

  /// Eight bytes at a time, of which the last overlap those before.
  private static func areEqual(
    _ left: UnsafeRawPointer,
    _ right: UnsafeRawPointer,
    count: Int
  ) -> Bool {
    func word(_ bytes: UnsafeRawPointer, _ at: Int) -> UInt64 {
      bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    }
    guard count >= 8 else { return tail(left, count) == tail(right, count) }
    var at = 0
    while at + 8 < count {
      guard word(left, at) == word(right, at) else { return false }
      at += 8
    }
    return word(left, count - 8) == word(right, count - 8)
  }

  /// The bytes of a string of less than eight, in one word.
  private static func tail(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 4 {
      let high = bytes.loadUnaligned(as: UInt32.self)
      let low = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return UInt64(high) << 32 | UInt64(low)
    }
    guard count > 0 else { return 0 }
    let bytes = bytes.assumingMemoryBound(to: UInt8.self)
    let (first, middle, last) = (bytes[0], bytes[count / 2], bytes[count - 1])
    return UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last)
  }

  /// Where a string with these bytes would be among the recent ones.
  private static func slot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let raw = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
    var hash = UInt64(bytes.count)
    func mix(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 32
    }
    guard bytes.count >= 8 else {
      mix(tail(raw, bytes.count))
      return Int(truncatingIfNeeded: hash) & (recentMax - 1)
    }
    var at = 0
    while at + 8 < bytes.count {
      mix(raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    mix(raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    return Int(truncatingIfNeeded: hash) & (recentMax - 1)
  }

  /// The id of `site`, new or known.
  public mutating func intern(_ site: Site) -> SiteID {
    if let known = sitePlaces.find(site, in: sites) { return known }
    if site == sites[0] { return .none }
    let cost = Names.siteOverhead + site.labels.count * Names.labelOverhead
    guard droppedName == nil, bytes + cost <= bytesMax else { return dropSite() }
    bytes += cost
    return add(site)
  }

  private mutating func add(_ site: Site) -> SiteID {
    let id = SiteID(rawValue: UInt32(sites.count))
    sitePlaces.add(site, number: sites.count)
    sites.append(site)
    return id
  }

  private mutating func dropSite() -> SiteID {
    let name = dropName()
    if droppedSite == .none { droppedSite = add(Site(name: name)) }
    return droppedSite
  }

  /// The id of `string` if some event could carry it, without adding it.
  public func find(_ string: String) -> NameID? { idOfString[ExactString(string: string)] }

  /// Keeps what a chunk says of a kind that this version does not know.
  public mutating func teach(_ kind: KindInfo) {
    if kind.kind.info == nil { taughtKinds[kind.kind.rawValue] = kind }
  }

  /// What is known of a kind: by this version, else by the chunks that were read.
  public func info(of kind: EventKind) -> KindInfo? {
    kind.info ?? taughtKinds[kind.rawValue]
  }

  /// The id, or that of the empty string for one this table never gave out.
  ///
  /// A trace may bring such ids where its own table of kinds calls a name a number.
  @inlinable
  public func known(_ id: NameID) -> NameID {
    Int(id.rawValue) < strings.count ? id : .empty
  }

  /// The string; empty for an id this table never gave out.
  public subscript(id: NameID) -> String {
    Int(id.rawValue) < strings.count ? strings[Int(id.rawValue)] : ""
  }

  /// The site; the empty one for an id this table never gave out.
  public subscript(id: SiteID) -> Site {
    Int(id.rawValue) < sites.count ? sites[Int(id.rawValue)] : sites[0]
  }
}

/// A string that equals only the same bytes.
///
/// Strings as such are equal when they look the same: two files whose names differ in how an
/// accent is written would become one, and a chunk would not be written back as it was read.
private struct ExactString: Hashable {
  let string: String

  static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
