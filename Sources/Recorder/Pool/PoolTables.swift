// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import LifetraceTrace

/// The strings and sites of one process, translated to the recorder's as they appear.
struct PoolTables {
  /// By the process's string id.
  private(set) var strings: [NameID] = [.empty]
  /// By the process's site id.
  private(set) var sites: [SiteID] = [.none]
  /// Which arguments are strings because the site's labels say so, by the process's site id.
  private(set) var labelMasks: [UInt8] = [0]
  /// What stands for names that had no room in the process's tables; empty while all had.
  private(set) var lost: NameID = .empty
  /// The same for sites.
  private(set) var lostSite: SiteID = .none
  private var parsed: UInt64 = 0
  private var isBroken = false

  static var idsMax: Int { 4 << 20 }
  static var stringBytesMax: Int { 16_384 }

  /// Reads the entries that were committed since the last time.
  mutating func refresh(_ pool: PoolFile, names: inout Names, redact: Redactor) {
    if lost == .empty, lt_drain_strings_refused(pool.base) > 0 {
      lost = names.intern("(name lost)")
      lostSite = names.intern(Site(name: lost))
    }
    let committed = min(lt_drain_tables_committed(pool.base), pool.facts.tables_bytes)
    let tables = UnsafeRawPointer(pool.base + Int(pool.facts.header_bytes))
    while parsed < committed, !isBroken {
      let left = Int(committed - parsed)
      let header = MemoryLayout<lt_entry>.size
      guard left >= header else { return }
      let place = tables + Int(parsed)
      let entry = place.loadUnaligned(as: lt_entry.self)
      let size = Int(entry.bytes)
      let payload = Int(entry.payload_bytes)
      guard size >= header, size <= left, size % 8 == 0, payload <= size - header else {
        isBroken = true
        return
      }
      take(entry, place + header, payload, &names, redact)
      parsed += UInt64(size)
    }
  }

  private mutating func take(
    _ entry: lt_entry,
    _ place: UnsafeRawPointer,
    _ count: Int,
    _ names: inout Names,
    _ redact: Redactor
  ) {
    let id = Int(entry.id)
    guard id > 0, id < Self.idsMax else { return }
    switch UInt32(entry.type) {
    case LT_ENTRY_STRING.rawValue:
      let bytes = UnsafeRawBufferPointer(start: place, count: min(count, Self.stringBytesMax))
      // Most ids come in order; a gap (hostile) is filled with the empty string.
      while strings.count <= id { strings.append(.empty) }
      let isCut = entry.cut != 0 || count > bytes.count
      strings[id] = names.intern(redact(String(decoding: bytes, as: UTF8.self), isCut: isCut))
    case LT_ENTRY_SITE.rawValue where count >= MemoryLayout<lt_site_entry>.size:
      let site = place.loadUnaligned(as: lt_site_entry.self)
      while sites.count <= id {
        sites.append(.none)
        labelMasks.append(0)
      }
      let labels = Field.list(names[string(site.labels)])
      let source = self.source(of: site, &names, redact)
      sites[id] = names.intern(
        Site(name: string(site.name), file: source.file, line: source.line, labels: labels)
      )
      labelMasks[id] = Self.mask(labels)
    default: break
    }
  }

  /// Where a site is: an observed program names the address, and the line is looked up here.
  private func source(of site: lt_site_entry, _ names: inout Names, _ redact: Redactor)
    -> (file: NameID, line: UInt32)
  {
    let file = string(site.file)
    let text = names[file]
    guard text.hasPrefix(SourceLines.sign) else { return (file, site.line) }
    let place = SourceLines.shared.place(of: String(text.dropFirst()), at: site.line)
    return (names.intern(redact(place.file, isCut: false)), place.line)
  }

  /// The recorder's id of a string; the empty one for an id that was never given out.
  @inline(__always)
  func string(_ id: UInt32) -> NameID { string(UInt64(id)) }

  @inline(__always)
  func string(_ id: UInt64) -> NameID {
    if id < UInt64(strings.count) { return strings[Int(id)] }
    return id == UInt64(LT_NAME_LOST) ? lost : .empty
  }

  private static func mask(_ labels: [Field]) -> UInt8 {
    var mask: UInt8 = 0
    for (index, label) in labels.enumerated() where label.type == .name { mask |= 1 << index }
    return mask
  }
}

/// Which of the words of each kind are strings: bits 0 to 3 the arguments, bit 4 the identity,
/// bits 5 to 7 the number of the kind's own fields (site labels count from there).
struct KindWords {
  private(set) var masks = [UInt8](repeating: 0, count: 256)

  init() {
    for info in KindInfo.all {
      var mask = UInt8(min(info.fields.count, 7)) << 5
      for (index, field) in info.fields.enumerated() where field.type == .name {
        mask |= 1 << index
      }
      if info.isNameIdentity { mask |= 16 }
      masks[Int(info.kind.rawValue)] = mask
    }
  }
}
