// SPDX-License-Identifier: Apache-2.0

/// 128 bits that name a thing: a recording, a machine, a recorder.
@frozen
public struct WideID: Hashable, Comparable, Sendable {
  /// The upper 64 bits.
  public var high: UInt64
  /// The lower 64 bits.
  public var low: UInt64

  /// The id of the two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The id of 32 hexadecimal digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
      let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// By number, so that listings are stable.
  @inlinable
  public static func < (left: WideID, right: WideID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The id as 32 hexadecimal digits.
  public var text: String {
    func half(_ bits: UInt64) -> String {
      let digits = String(bits, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return half(high) + half(low)
  }
}

/// In which recording and where a stream was recorded: what ties recordings of several machines together.
public struct RecordingOrigin: Hashable, Sendable {
  /// The most bytes of the name of a run; a longer one is cut.
  public static let runBytesMax = 256

  /// One recording, also where a second recorder has gone on with it; nil where unknown.
  public var session: WideID?
  /// What recordings of several machines belong to together: `LIFETRACE_RUN` of the recorder, or else the
  /// trace id of its `TRACEPARENT`; empty where there is none.
  public var run: String
  /// A number for the machine, the same in all its recordings, from which its machine id cannot be had back;
  /// nil where the machine has none.
  public var machine: WideID?
  /// One process of the recorder; nil where unknown.
  public var recorder: WideID?

  /// Nothing is known but what is given.
  public init(
    session: WideID? = nil,
    run: String = "",
    machine: WideID? = nil,
    recorder: WideID? = nil
  ) {
    self.session = session
    self.run = run
    self.machine = machine
    self.recorder = recorder
  }
}
