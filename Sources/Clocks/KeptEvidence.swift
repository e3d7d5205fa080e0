// SPDX-License-Identifier: Apache-2.0

/// Evidence in bounded memory, however much there is: what bounds clocks tightest.
///
///     var kept = KeptEvidence(piecesMax: 1 << 18)
///     messages.each { kept.add($0) }
///     kept.finish()
///     ClockGraph(clocks: rates, evidence: kept.pieces)
///
/// Up to `piecesMax` pieces stay as they came. Of more, one stays for each grain of time from one clock to
/// another: the one that took the least time. A piece that goes takes nothing but a bound with it, so that
/// bounds get wider, by no more than rates make of a grain; two steps within one grain that undo each other
/// are not seen. Grains are of a millisecond, and twice as long as often as that is needed. The same pieces
/// in the same order leave the same. Takes 56 bytes a piece that stays, and O(log n) a piece, amortised.
package struct KeptEvidence {
  /// What is kept: as it came, or, once some is gone, by clocks and times.
  package private(set) var pieces: [Evidence] = []
  /// Whether something is gone.
  package private(set) var isThinned = false
  /// Grains are of so many bits of nanoseconds.
  private var grainBits: Int64 = 20
  private var roomMax: Int
  private let piecesMax: Int

  /// Of more than `piecesMax` at most half stay, unless there are more pairs of clocks than that.
  package init(piecesMax: Int) {
    self.piecesMax = piecesMax
    roomMax = piecesMax
  }

  /// Takes a piece in.
  package mutating func add(_ piece: Evidence) {
    pieces.append(piece)
    if pieces.count > roomMax { thin() }
  }

  /// No more pieces come: what came last is thinned as the rest.
  package mutating func finish() {
    if isThinned { thin() }
  }

  private mutating func thin() {
    isThinned = true
    pieces.sort { one, other in
      let clocks = (one.earlier.clock, one.later.clock)
      let others = (other.earlier.clock, other.later.clock)
      guard clocks == others else { return clocks < others }
      return (one.earlier.time, one.later.time, one.label)
        < (other.earlier.time, other.later.time, other.label)
    }
    keepTightest()
    while pieces.count > piecesMax / 2, grainBits < 62 {
      grainBits += 1
      keepTightest()
    }
    // Where nothing more can go, it is not tried again at each piece.
    roomMax = max(piecesMax, 2 * pieces.count)
  }

  private mutating func keepTightest() {
    var kept: [Evidence] = []
    for piece in pieces {
      guard let last = kept.last, isTogether(last, piece) else {
        kept.append(piece)
        continue
      }
      let count = last.count &+ piece.count
      if Self.delay(piece) < Self.delay(last) { kept[kept.count - 1] = piece }
      kept[kept.count - 1].count = count
    }
    pieces = kept
  }

  private func isTogether(_ one: Evidence, _ other: Evidence) -> Bool {
    one.earlier.clock == other.earlier.clock && one.later.clock == other.later.clock
      && one.earlier.time >> grainBits == other.earlier.time >> grainBits
  }

  private static func delay(_ piece: Evidence) -> Int64 {
    piece.later.time.minus(piece.earlier.time)
  }
}
