// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// A comparison of a number that stands in an event with one that is known.
struct SieveTest: BitwiseCopyable {
  /// Where the number stands.
  enum Source: BitwiseCopyable {
    case word(Int)
    case thread
    case siteName

    init?(_ place: FieldPlace) {
      switch place {
      case .identity: self = .word(Self.identityOffset)
      case .first, .second, .third, .fourth:
        let index = Int(place.rawValue - FieldPlace.first.rawValue)
        self = .word(Self.argumentsOffset + index * MemoryLayout<UInt64>.size)
      case .thread: self = .thread
      case .siteName: self = .siteName
      default: return nil
      }
    }

    private static let identityOffset = MemoryLayout<Event>.offset(of: \.identity) ?? 0
    private static let argumentsOffset = MemoryLayout<Event>.offset(of: \.arguments) ?? 0
  }

  let source: Source
  let operation: Operation
  /// What is compared with; the number of a pattern.
  let bits: UInt64
  /// Whether that stands on the left.
  let isSwapped: Bool

  init(_ source: Source, _ operation: Operation, _ bits: UInt64, isSwapped: Bool) {
    (self.source, self.operation) = (source, operation)
    (self.bits, self.isSwapped) = (bits, isSwapped)
  }

  /// The number; `siteNames` are the names of all sites.
  @inline(__always)
  func value(_ event: UnsafePointer<Event>, _ siteNames: UnsafeBufferPointer<UInt32>) -> UInt64 {
    switch source {
    case .word(let offset):
      return UnsafeRawPointer(event).load(fromByteOffset: offset, as: UInt64.self)
    case .thread: return UInt64(event.pointee.thread.rawValue)
    case .siteName:
      let site = Int(event.pointee.site.rawValue)
      return site < siteNames.count ? UInt64(siteNames[site]) : 0
    }
  }
}

/// What a ``Sieve`` says of the events of each kind.
final class SieveTable {
  /// More tests for a kind cost as much as the question.
  static let testsMax = 4

  static let never: UInt8 = 0
  static let open: UInt8 = 0xff

  // Of fixed sizes, and touched by nobody else: arrays would be counted at each event.
  /// By kind: never, always, or how many tests there are.
  let verdicts: UnsafeMutablePointer<UInt8>
  /// By kind, ``testsMax`` each.
  let tests: UnsafeMutablePointer<SieveTest>

  init() {
    verdicts = .allocate(capacity: 256)
    verdicts.initialize(repeating: Self.never, count: 256)
    tests = .allocate(capacity: 256 * Self.testsMax)
    let none = SieveTest(.thread, .equal, 0, isSwapped: false)
    tests.initialize(repeating: none, count: 256 * Self.testsMax)
  }

  deinit {
    verdicts.deallocate()
    tests.deallocate()
  }

  func set(_ verdict: Sieve.Verdict, of kind: EventKind) {
    let place = Int(kind.rawValue)
    switch verdict {
    case .never: verdicts[place] = Self.never
    case .open: verdicts[place] = Self.open
    case .tests(let tests):
      verdicts[place] = UInt8(tests.count)
      for index in tests.indices { self.tests[place * Self.testsMax + index] = tests[index] }
    }
  }
}
