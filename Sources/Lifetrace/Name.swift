// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

extension Lifetrace {
  /// A string that stands in events as a number.
  ///
  ///     Lifetrace.notificationPosted("locale", key: "identifier", value: Name(locale))
  ///
  /// A literal is found again by its address (a nanosecond); `Name(string)` is a
  /// lookup by content (about 15 ns), worth keeping in a constant. The table holds
  /// 4 MiB in a process; when it is full, further names read "(name lost)", and what
  /// is recorded with them is counted as a loss.
  /// Strings above 4,096 bytes are cut.
  public struct Name: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The number of the string in this process, 0 for the empty one.
    public var id: UInt32

    @inlinable
    init(id: UInt32) { self.id = id }

    /// The name of a literal.
    @inlinable @inline(__always)
    public init(stringLiteral literal: StaticString) { id = lt_literal_id(literal.lifetrace) }

    /// The name of any string.
    public init(_ string: some StringProtocol) {
      var string = String(string)
      id = string.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { lt_name_bytes($0.baseAddress, $0.count) }
      }
    }

    /// The empty name, for nothing.
    @inlinable
    public static var none: Name { Name(id: 0) }

    /// The string that the name stands for.
    public var string: String {
      var count = 0
      guard let bytes = lt_name_lookup(id, &count) else { return "" }
      return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
        String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
      }
    }
  }
}

extension StaticString {
  // Only literals reach here: the compiler makes each of them with a pointer.
  @inlinable @inline(__always)
  var lifetrace: lt_literal {
    lt_literal(
      bytes: UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self),
      count: utf8CodeUnitCount
    )
  }
}
