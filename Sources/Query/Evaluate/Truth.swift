// SPDX-License-Identifier: Apache-2.0

/// Whether something holds, as far as the recording can say (Kleene's logic).
///
///     Truth.unknown && .no       // .no: whatever the unknown one is
package enum Truth: UInt8, Sendable, BitwiseCopyable {
  case no, yes, unknown

  /// A truth that is known.
  @inlinable package init(_ value: Bool) { self = value ? .yes : .no }

  /// The opposite; of what is unknown nothing is known.
  @inlinable package static prefix func ! (truth: Truth) -> Truth {
    switch truth {
    case .no: .yes
    case .yes: .no
    case .unknown: .unknown
    }
  }

  /// Both; the right one is not asked where the left one decides.
  @inlinable package static func && (left: Truth, right: @autoclosure () -> Truth) -> Truth {
    guard left != .no else { return .no }
    let right = right()
    return right == .no ? .no : left == .yes && right == .yes ? .yes : .unknown
  }

  /// Either; the right one is not asked where the left one decides.
  @inlinable package static func || (left: Truth, right: @autoclosure () -> Truth) -> Truth {
    guard left != .yes else { return .yes }
    let right = right()
    return right == .yes ? .yes : left == .no && right == .no ? .no : .unknown
  }
}

/// A value of an expression: 64 bits, or why there is none.
package struct Scalar: Hashable, Sendable, BitwiseCopyable {
  /// Whether there is a value.
  package enum Standing: UInt8, Sendable, BitwiseCopyable {
    /// There is one.
    case known
    /// There is none: the kind has no such field, the table no such row.
    case absent
    /// Events are missing that may have said it.
    case unknown
  }

  /// As the type of the expression has them; 0 without a value.
  package var bits: UInt64
  /// Whether there is a value.
  package var standing: Standing
  /// By how much it changes each nanosecond without any event.
  var slope: Int16 = 0

  init(_ bits: UInt64) { (self.bits, standing) = (bits, .known) }
  init(_ number: Int64) { self.init(UInt64(bitPattern: number)) }
  init(_ flag: Bool) { self.init(flag ? 1 : 0 as UInt64) }

  private init(_ standing: Standing) { (bits, self.standing) = (0, standing) }

  static let absent = Scalar(Standing.absent)
  package static let unknown = Scalar(Standing.unknown)

  var signed: Int64 { Int64(bitPattern: bits) }
}
