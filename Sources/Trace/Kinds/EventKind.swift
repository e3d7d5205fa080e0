// SPDX-License-Identifier: Apache-2.0

/// What an event says: one byte on disk and in the pool.
///
///     event.kind == .dataDirty
///     EventKind.dataDirty.info?.name        // "data.dirty"
///
/// The set is open. A reader that meets a number it does not know keeps the
/// event, prints it by the name the chunk carries, and goes on.
/// The numbers are part of the format: never reuse one.
@frozen
public struct EventKind: RawRepresentable, Hashable, Sendable {
  /// The number on disk and in `lifetrace_kinds.h` (`LT_KIND_…`).
  public let rawValue: UInt8

  /// Any byte is a kind, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable
  init(_ rawValue: UInt8) { self.rawValue = rawValue }
}
