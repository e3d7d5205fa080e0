// SPDX-License-Identifier: Apache-2.0

extension Lifetrace {
  /// What an event says, by its number in the trace format.
  ///
  /// Apps use the functions that name the kinds; runtimes emit kinds through
  /// `emit(_:at:identity:arguments:)`.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number in the format.
    public let rawValue: UInt8

    /// Any number is a kind.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable
    init(_ rawValue: UInt8) { self.rawValue = rawValue }
  }
}
