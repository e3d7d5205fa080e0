// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A place in the source that emits events.
public struct Site: Hashable, Sendable {
  /// The name given there: a span's name, a callback's selector; may be empty.
  public var name: NameID
  /// `#fileID`, or empty.
  public var file: NameID
  /// The line, 0 for unknown.
  public var line: UInt32
  /// Labels of arguments beyond the kind's own fields.
  public var labels: [Field]

  /// Makes a site.
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
public struct Names: Sendable {
  /// By ``NameID``.
  public private(set) var strings: [String] = [""]
  /// By ``SiteID``.
  public private(set) var sites: [Site] = [Site(name: .empty)]
  /// Bytes of all strings.
  package private(set) var textBytes = 0
  private var taughtKinds: [UInt8: KindInfo] = [:]
  private var idOfString: [ExactString: NameID] = [ExactString(string: ""): .empty]
  /// For some hashes of bytes, the string that had it last: in front of the dictionary.
  private var recent: [UInt32] = []
  private var idOfSite: [Site: SiteID] = [Site(name: .empty): .none]
  /// As ``recent``, for sites, by name and line.
  private var recentSites: [UInt32] = []

  /// A table with the empty string and no site.
  public init() {}

  /// The id of `string`, new or known.
  public mutating func intern(_ string: String) -> NameID {
    let exact = ExactString(string: string)
    if let known = idOfString[exact] { return known }
    let id = NameID(rawValue: UInt32(strings.count))
    strings.append(string)
    textBytes += string.utf8.count
    idOfString[exact] = id
    return id
  }

  /// The id of the string with these bytes, new or known; wrong UTF-8 reads as U+FFFD.
  ///
  /// A string that was met lately costs a look at its bytes: no string is made, and nothing is
  /// looked up in the dictionary.
  mutating func intern(utf8 bytes: UnsafeBufferPointer<UInt8>) -> NameID {
    if bytes.isEmpty { return .empty }
    if recent.isEmpty { recent = [UInt32](repeating: 0, count: Names.recentMax) }
    let slot = Names.slot(bytes)
    let known = Int(recent[slot])
    let isKnown = strings[known].utf8.withContiguousStorageIfAvailable { known in
      guard let mine = known.baseAddress, let theirs = bytes.baseAddress else { return false }
      return known.count == bytes.count && memcmp(mine, theirs, bytes.count) == 0
    }
    if isKnown == true { return NameID(rawValue: UInt32(known)) }
    let id = intern(String(decoding: bytes, as: UTF8.self))
    recent[slot] = id.rawValue
    return id
  }

  private static let recentMax = 4_096
  private static let recentSitesMax = 1_024

  /// Where a string with these bytes would be among the recent ones.
  private static func slot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = UInt64(bytes.count)
    var at = 0
    while at < raw.count {
      var word: UInt64 = 0
      if at + 8 <= raw.count {
        word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      } else {
        for byte in raw[at...] { word = word << 8 | UInt64(byte) }
      }
      hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 32
      at += 8
    }
    return Int(truncatingIfNeeded: hash) & (recentMax - 1)
  }

  /// The id of `site`, new or known.
  public mutating func intern(_ site: Site) -> SiteID {
    if recentSites.isEmpty { recentSites = [UInt32](repeating: 0, count: Names.recentSitesMax) }
    let mixed = (UInt64(site.name.rawValue) << 32 | UInt64(site.line)) &* 0x9e37_79b9_7f4a_7c15
    let slot = Int(truncatingIfNeeded: mixed >> 32) & (Names.recentSitesMax - 1)
    let recent = recentSites[slot]
    if sites[Int(recent)] == site { return SiteID(rawValue: recent) }
    let id = idOfSite[site] ?? SiteID(rawValue: UInt32(sites.count))
    if Int(id.rawValue) == sites.count {
      sites.append(site)
      idOfSite[site] = id
    }
    recentSites[slot] = id.rawValue
    return id
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
