// SPDX-License-Identifier: Apache-2.0
import Trace

/// Why a keyframe cannot be used; the reader then folds from an earlier one, or from the start.
public enum KeyframeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is of another version of the fold.
  case version(UInt8)
  /// It ends in the middle of something.
  case truncated(at: Int)
  /// A number is not one that the fold could have written.
  case invalid(String, at: Int)
  /// There are bytes behind its end.
  case trailing(Int)

  /// The error in words.
  public var description: String {
    switch self {
    case .version(let found):
      "the keyframe is of fold version \(found), this is version \(LifeState.foldVersion)"
    case .truncated(let at): "the keyframe ends at byte \(at), in the middle of a fact"
    case .invalid(let what, let at): "the keyframe has an impossible \(what) at byte \(at)"
    case .trailing(let count): "the keyframe has \(count) bytes behind its end"
    }
  }
}

/// Writes the parts of a keyframe: variable-length integers, and each string once.
struct KeyframeWriter: ~Copyable {
  var body: [UInt8] = []
  private var strings: [NameID] = []
  private var indexOfString: [NameID: Int] = [:]
  private var sites: [SiteID] = []
  private var indexOfSite: [SiteID: Int] = [:]

  init() {}

  mutating func number(_ value: UInt64) { Self.append(value, to: &body) }

  mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63))
  }

  mutating func time(_ value: HostTime) { signed(value.rawValue) }

  mutating func name(_ id: NameID) {
    if let known = indexOfString[id] { return number(UInt64(known)) }
    indexOfString[id] = strings.count
    number(UInt64(strings.count))
    strings.append(id)
  }

  mutating func site(_ id: SiteID) {
    if let known = indexOfSite[id] { return number(UInt64(known)) }
    indexOfSite[id] = sites.count
    number(UInt64(sites.count))
    sites.append(id)
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
    number(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  /// Version, strings, sites, body.
  consuming func finish(names: borrowing Names) -> [UInt8] {
    var siteBytes: [UInt8] = []
    Self.append(UInt64(sites.count), to: &siteBytes)
    for id in sites {
      let site = names[id]
      for name in [site.name, site.file] where indexOfString[name] == nil {
        indexOfString[name] = strings.count
        strings.append(name)
      }
      Self.append(UInt64(indexOfString[site.name] ?? 0), to: &siteBytes)
      Self.append(UInt64(indexOfString[site.file] ?? 0), to: &siteBytes)
      Self.append(UInt64(site.line), to: &siteBytes)
      Self.append(UInt64(site.labels.count), to: &siteBytes)
      for label in site.labels {
        let bytes = Array(label.name.utf8)
        Self.append(UInt64(bytes.count), to: &siteBytes)
        siteBytes += bytes
        siteBytes.append(label.type.rawValue)
      }
    }
    var out: [UInt8] = [LifeState.foldVersion]
    Self.append(UInt64(strings.count), to: &out)
    for id in strings {
      let bytes = Array(names[id].utf8)
      Self.append(UInt64(bytes.count), to: &out)
      out += bytes
    }
    return out + siteBytes + body
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads the parts of a keyframe, believing nothing: every count is checked against the bytes that are left.
struct KeyframeReader: ~Copyable {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private var names: [NameID] = []
  private var sites: [SiteID] = []

  init(_ bytes: [UInt8], into table: inout Names) throws(KeyframeError) {
    self.bytes = bytes
    let version = try byte()
    guard version == LifeState.foldVersion else { throw .version(version) }
    for _ in 0..<(try count()) { names.append(table.intern(try string())) }
    for _ in 0..<(try count()) {
      var site = Site(name: try name(), file: try name())
      site.line = try small("line")
      for _ in 0..<(try count()) {
        let label = try string()
        guard let type = FieldType(rawValue: try byte()) else {
          throw .invalid("label type", at: offset - 1)
        }
        site.labels.append(Field(label, type))
      }
      sites.append(table.intern(site))
    }
  }

  mutating func byte() throws(KeyframeError) -> UInt8 {
    guard offset < bytes.count else { throw .truncated(at: offset) }
    offset += 1
    return bytes[offset - 1]
  }

  mutating func number() throws(KeyframeError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw .invalid("number", at: offset - 1) }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    throw .invalid("number", at: offset)
  }

  mutating func signed() throws(KeyframeError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func small(_ what: String) throws(KeyframeError) -> UInt32 {
    let value = try number()
    guard let small = UInt32(exactly: value) else { throw .invalid(what, at: offset) }
    return small
  }

  mutating func code<Code: RawRepresentable>(
    _ what: String
  ) throws(KeyframeError) -> Code where Code.RawValue == UInt8 {
    guard let code = Code(rawValue: UInt8(clamping: try number())) else {
      throw .invalid(what, at: offset)
    }
    return code
  }

  /// A number of things that each take at least one byte.
  mutating func count(max limit: Int = .max) throws(KeyframeError) -> Int {
    let at = offset
    let value = try number()
    guard value <= UInt64(min(limit, bytes.count - offset)) else {
      throw .invalid("count", at: at)
    }
    return Int(value)
  }

  mutating func time() throws(KeyframeError) -> HostTime { HostTime(rawValue: try signed()) }

  mutating func name() throws(KeyframeError) -> NameID {
    let index = try number()
    guard index < UInt64(names.count) else { throw .invalid("name", at: offset) }
    return names[Int(index)]
  }

  mutating func site() throws(KeyframeError) -> SiteID {
    let index = try number()
    guard index < UInt64(sites.count) else { throw .invalid("site", at: offset) }
    return sites[Int(index)]
  }

  mutating func thread() throws(KeyframeError) -> ThreadID {
    ThreadID(rawValue: try small("thread"))
  }

  mutating func flag() throws(KeyframeError) -> Bool {
    switch try number() {
    case 0: return false
    case 1: return true
    default: throw .invalid("flag", at: offset)
    }
  }

  mutating func optional<Value>(
    _ read: (inout Self) throws(KeyframeError) -> Value
  ) throws(KeyframeError) -> Value? {
    try flag() ? try read(&self) : nil
  }

  mutating func end() throws(KeyframeError) {
    guard offset == bytes.count else { throw .trailing(bytes.count - offset) }
  }

  private mutating func string() throws(KeyframeError) -> String {
    let length = try count()
    offset += length
    return String(decoding: bytes[offset - length..<offset], as: UTF8.self)
  }
}
