// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

extension Lifetrace {
  @inlinable @inline(__always)
  static func emit(
    _ kind: Kind,
    _ site: UInt32,
    _ identity: UInt64,
    _ count: UInt8,
    _ a0: UInt64 = 0,
    _ a1: UInt64 = 0,
    _ a2: UInt64 = 0,
    _ a3: UInt64 = 0
  ) {
    lt_emit(kind.rawValue, site, identity, count, a0, a1, a2, a3)
  }

  /// Emits an event of any kind, for runtimes that play or translate events.
  ///
  /// `arguments` are those that the format names for the kind, up to four; `count` says how many of them are given.
  @inlinable
  public static func emit(
    _ kind: Kind,
    at site: Site = .none,
    identity: UInt64 = 0,
    arguments: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0),
    count: UInt8 = 0
  ) {
    emit(
      kind,
      site.id,
      identity,
      count,
      arguments.0,
      arguments.1,
      arguments.2,
      arguments.3
    )
  }

  // With a serialised clock: what another process sees of it comes after.
  @inlinable @inline(__always)
  static func emitOrdered(
    _ kind: Kind,
    _ site: UInt32,
    _ identity: UInt64,
    _ count: UInt8,
    _ a0: UInt64 = 0,
    _ a1: UInt64 = 0,
    _ a2: UInt64 = 0,
    _ a3: UInt64 = 0
  ) {
    var event = lt_record(
      tick: 0,
      site: site,
      kind: kind.rawValue,
      arg_count: count,
      flags: 0,
      observer: 0,
      identity: identity,
      arg: (a0, a1, a2, a3)
    )
    lt_emit_ordered(&event)
  }

  @inlinable
  static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, more) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return UInt64(bitPattern: overflow || more ? (seconds < 0 ? .min : .max) : sum)
  }
}
