// SPDX-License-Identifier: Apache-2.0

/// A stretch over which ticks of a machine's counter are nanoseconds by one rate.
///
///     piece.time(of: tick)        // nanoseconds + (tick - piece.tick) * rate / 2^32
///
/// The rate follows a clock that is slewed to agree with others; the counter itself is not, so that two
/// machines are compared by their counters.
public struct ClockPiece: Hashable, Sendable {
  /// Where it begins, on the counter.
  public var tick: UInt64
  /// Where it begins, in nanoseconds of the writer's clock.
  public var nanoseconds: Int64
  /// Nanoseconds a tick, times 2^32; 0 where the clock stood while the counter ran on.
  public var rate: UInt64
  /// How often the counter had begun anew.
  public var run: UInt32

  /// The piece from a tick on.
  public init(tick: UInt64, nanoseconds: Int64, rate: UInt64, run: UInt32 = 0) {
    self.tick = tick
    self.nanoseconds = nanoseconds
    self.rate = rate
    self.run = run
  }

  /// The time of a tick, which may lie before it.
  @inlinable
  @inline(__always)
  package func time(of other: UInt64) -> Int64 {
    if other >= tick {
      let (high, low) = (other &- tick).multipliedFullWidth(by: rate)
      return nanoseconds &+ Int64(truncatingIfNeeded: (high << 32) | (low >> 32))
    }
    let (high, low) = (tick &- other).multipliedFullWidth(by: rate)
    return nanoseconds &- Int64(truncatingIfNeeded: (high << 32) | (low >> 32))
  }
}

extension ClockPiece {
  /// Those of chunks that follow each other, each piece once.
  package static func joined(_ pieces: [ClockPiece]) -> [ClockPiece] {
    var kept: [ClockPiece] = []
    for piece in pieces.sorted(by: {
      ($0.run, $0.nanoseconds, $0.tick) < ($1.run, $1.nanoseconds, $1.tick)
    })
    where kept.last != piece { kept.append(piece) }
    return Array(kept.suffix(Chunk.clocksMax))
  }
}

extension ClockBracket {
  /// How far apart they are at least, but for the first and the last.
  private static let distance: Int64 = 10_000_000_000

  /// Those of chunks that follow each other: the first, the last, and between them one each ten seconds and
  /// where the clocks have parted.
  package static func thinned(_ brackets: [ClockBracket]) -> [ClockBracket] {
    var kept: [ClockBracket] = []
    for (index, bracket) in brackets.enumerated() {
      guard let last = kept.last, index + 1 < brackets.count else {
        if kept.last != bracket { kept.append(bracket) }
        continue
      }
      let passed = bracket.monotonic.subtractingReportingOverflow(last.monotonic)
      let isFar = passed.overflow || !(0..<distance).contains(passed.partialValue)
      if isFar || bracket.hasParted(from: last) { kept.append(bracket) }
    }
    return kept.count > Chunk.clocksMax
      ? Array(kept.prefix(Chunk.clocksMax - 1)) + kept.suffix(1) : kept
  }

  /// The machine slept between them, or the clock of the day was set.
  private func hasParted(from other: ClockBracket) -> Bool {
    func differ(_ one: Int64, _ other: Int64) -> Bool { (one &- other).magnitude > 1_000_000 }
    return differ(boottime &- monotonic, other.boottime &- other.monotonic)
      || differ(real &- monotonic, other.real &- other.monotonic)
  }
}
