// SPDX-License-Identifier: Apache-2.0

extension Lifetrace {
  /// A value with a label, for marks and logs.
  ///
  ///     Lifetrace.mark("frame", .int("index", index), .bytes("size", size))
  public struct Argument: Sendable {
    @usableFromInline let label: StaticString
    @usableFromInline let type: UInt32
    @usableFromInline let bits: UInt64

    @inlinable @inline(__always)
    init(_ label: StaticString, _ type: UInt32, _ bits: UInt64) {
      self.label = label
      self.type = type
      self.bits = bits
    }

    /// An argument that is a whole number.
    @inlinable @inline(__always)
    public static func int(_ label: StaticString, _ value: some FixedWidthInteger) -> Argument {
      Argument(label, 0, UInt64(truncatingIfNeeded: value))
    }
    /// A code or a hash, shown in hexadecimal.
    @inlinable @inline(__always)
    public static func hex(_ label: StaticString, _ value: UInt64) -> Argument {
      Argument(label, 1, value)
    }
    /// An argument that is a string.
    @inlinable @inline(__always)
    public static func name(_ label: StaticString, _ value: Name) -> Argument {
      Argument(label, 2, UInt64(value.id))
    }
    /// A length of time.
    @inlinable @inline(__always)
    public static func duration(_ label: StaticString, _ value: Duration) -> Argument {
      Argument(label, 3, nanoseconds(value))
    }
    /// A size in bytes.
    @inlinable @inline(__always)
    public static func bytes(_ label: StaticString, _ value: Int) -> Argument {
      Argument(label, 4, UInt64(truncatingIfNeeded: value))
    }
    /// An argument that is true or false.
    @inlinable @inline(__always)
    public static func bool(_ label: StaticString, _ value: Bool) -> Argument {
      Argument(label, 5, value ? 1 : 0)
    }
    /// A number with a fraction.
    @inlinable @inline(__always)
    public static func double(_ label: StaticString, _ value: Double) -> Argument {
      Argument(label, 10, value.bitPattern)
    }
  }
}
