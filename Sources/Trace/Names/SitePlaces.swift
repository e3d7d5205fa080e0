// SPDX-License-Identifier: Apache-2.0

/// Finds sites in the list of them: an open-addressed table of their numbers.
///
///     if let known = places.find(site, in: sites) { … }
///     places.add(site, number: sites.count)
///
/// Each line of a log is a new site, so that adding counts as much as finding: one multiplication
/// takes the place of a hash of all parts, and no site is stored twice.
struct SitePlaces: Sendable {
  /// The hash of a site above the number of it plus one; 0 is an empty place.
  ///
  /// Their count is a power of two, and more than half of them are empty.
  private var slots: [UInt64] = []
  private var count = 0

  /// Others in each process, so that no file can be made whose sites all meet.
  private static let secrets = (
    UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)
  )

  /// The number of `site` among `sites`, if it is there.
  @inline(__always)
  func find(_ site: Site, in sites: [Site]) -> SiteID? {
    let hash = Self.hash(site)
    let mask = slots.count &- 1
    var place = Int(hash)
    while mask >= 0 {
      let slot = slots[place & mask]
      if slot == 0 { break }
      let number = Int(slot & 0xffff_ffff) - 1
      if slot >> 32 == hash, sites[number] == site { return SiteID(rawValue: UInt32(number)) }
      place &+= 1
    }
    return nil
  }

  /// Adds a site that is not there yet.
  mutating func add(_ site: Site, number: Int) {
    count += 1
    if count * 2 > slots.count { grow() }
    put(Self.hash(site) << 32 | UInt64(number + 1))
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: max(64, old.count * 2))
    for slot in old where slot != 0 { put(slot) }
  }

  private mutating func put(_ slot: UInt64) {
    let mask = slots.count - 1
    var place = Int(slot >> 32)
    while slots[place & mask] != 0 { place += 1 }
    slots[place & mask] = slot
  }

  /// 32 bits.
  @inline(__always)
  private static func hash(_ site: Site) -> UInt64 {
    let (one, other) = secrets
    let place = UInt64(site.name.rawValue) << 32 | UInt64(site.line)
    var file = UInt64(site.file.rawValue)
    if !site.labels.isEmpty {
      file |= UInt64(UInt32(truncatingIfNeeded: site.labels.hashValue)) << 32
    }
    let product = (place ^ one).multipliedFullWidth(by: file ^ other)
    return (product.high ^ product.low) >> 32
  }
}
