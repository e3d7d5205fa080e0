// SPDX-License-Identifier: Apache-2.0

/// Evidence in bounded memory, however much there is: what bounds clocks tightest.
///
///     var kept = KeptEvidence(piecesMax: 1 << 18)
///     messages.each { kept.add($0) }
///     ClockGraph(clocks: rates, evidence: kept.pieces)
///
/// Up to `piecesMax` pieces stay as they came. Beyond, of those from one clock to another whose first
/// moments lie in one grain of time, only the lower convex hull of their delays stays: whatever the rate of
/// the clocks, the tightest of them is on it. What goes would narrow bounds by no more than rates make of a
/// grain; bounds that follow hold, and contain those that follow from all. Grains are of a second, and
/// twice as long as often as that is needed. The same pieces in the same order leave the same. A piece
/// costs O(log n), amortised.
package struct KeptEvidence {
  /// What is kept: as it came, or, once some is gone, by clocks and times.
  package private(set) var pieces: [Evidence] = []
  /// Whether something is gone.
  package private(set) var isThinned = false
  /// Grains are of so many bits of nanoseconds.
  private var grainBits: Int64 = 30
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

  private mutating func thin() {
    isThinned = true
    pieces.sort { one, other in
      let clocks = (one.earlier.clock, one.later.clock)
      let others = (other.earlier.clock, other.later.clock)
      guard clocks == others else { return clocks < others }
      return (one.earlier.time, one.later.time, one.label)
        < (other.earlier.time, other.later.time, other.label)
    }
    keepHulls()
    while pieces.count > piecesMax / 2, grainBits < 62 {
      grainBits += 1
      keepHulls()
    }
    // Where nothing more can go, it is not tried again at each piece.
    roomMax = max(piecesMax, 2 * pieces.count)
  }

  private mutating func keepHulls() {
    var kept: [Evidence] = []
    var start = 0
    while start < pieces.count {
      let first = pieces[start]
      var end = start + 1
      while end < pieces.count, isTogether(first, pieces[end]) { end += 1 }
      Self.addHull(of: pieces[start..<end], to: &kept)
      start = end
    }
    pieces = kept
  }

  private func isTogether(_ one: Evidence, _ other: Evidence) -> Bool {
    one.earlier.clock == other.earlier.clock && one.later.clock == other.later.clock
      && one.earlier.time >> grainBits == other.earlier.time >> grainBits
  }

  /// The hull of pieces in order of their first moments; its first piece stands for those that are not on it.
  private static func addHull(of own: ArraySlice<Evidence>, to kept: inout [Evidence]) {
    guard let first = own.first, own.count > 2 else { return kept += own }
    /// Relative to the first piece, whose grain it is in.
    func place(_ piece: Evidence) -> (x: Double, delay: Double) {
      let x = piece.earlier.time &- first.earlier.time
      return (Double(x), Double((piece.later.time &- first.later.time) &- x))
    }
    let start = kept.count
    var places: [(x: Double, delay: Double)] = []
    for piece in own {
      let point = place(piece)
      while let last = places.last {
        if places.count == 1 {
          guard last.x == point.x, last.delay >= point.delay else { break }
        } else {
          let from = places[places.count - 2]
          let turn =
            (last.x - from.x) * (point.delay - from.delay)
            - (last.delay - from.delay) * (point.x - from.x)
          guard turn <= 0 else { break }
        }
        places.removeLast()
        kept.removeLast()
      }
      places.append(point)
      kept.append(piece)
    }
    let all = own.reduce(0) { $0 + UInt64($1.count) }
    let rest = kept[start...].dropFirst().reduce(0) { $0 + UInt64($1.count) }
    kept[start].count = UInt32(clamping: all - rest)
  }
}
