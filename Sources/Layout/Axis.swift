// SPDX-License-Identifier: Apache-2.0

/// Time as it is drawn: pieces at one scale, and between them gaps that are cut.
///
///     let axis = layout.axis(cutsMax: 4)
///     let scale = axis.scale(to: 80) { _ in 8 }     // each cut is 8 wide
///     scale.place(of: 2_500_000_000)                // 71.2
package struct Axis: Sendable {
  /// In order, without room between them.
  package let pieces: [Piece]

  /// A part of the time.
  package struct Piece: Sendable, Hashable {
    package let begin: Int64
    package let end: Int64
    /// Whether nothing happens in it, so that it is shortened.
    package let isCut: Bool
    package var length: Int64 { end - begin }
  }

  init(_ span: ClosedRange<Int64>, cutting gaps: [Layout.Gap]) {
    var pieces: [Piece] = []
    var at = span.lowerBound
    for gap in gaps where gap.begin >= at && gap.end <= span.upperBound {
      if gap.begin > at { pieces.append(Piece(begin: at, end: gap.begin, isCut: false)) }
      pieces.append(Piece(begin: gap.begin, end: gap.end, isCut: true))
      at = gap.end
    }
    if at < span.upperBound || pieces.isEmpty {
      pieces.append(Piece(begin: at, end: span.upperBound, isCut: false))
    }
    self.pieces = pieces
  }

  /// What is cut.
  package var cuts: [Piece] { pieces.filter(\.isCut) }

  /// The part of the room beside the cuts that each piece takes; 0 for a cut.
  ///
  /// Most of it goes by length; the rest by its magnitude, so that the launch that follows an hour of
  /// sleep can be seen, and the millisecond in which a process ends takes no more than it needs.
  package var shares: [Double] {
    let drawn = pieces.filter { !$0.isCut }
    let length = drawn.reduce(0) { $0 + Double($1.length) }
    let magnitude = drawn.reduce(0) { $0 + Self.magnitude($1) }
    return pieces.map { piece in
      guard !piece.isCut else { return 0 }
      guard length > 0 else { return 1 / Double(drawn.count) }
      return Self.byMagnitude * Self.magnitude(piece) / magnitude
        + (1 - Self.byMagnitude) * Double(piece.length) / length
    }
  }

  /// How much of the room is dealt by magnitude.
  private static let byMagnitude = 0.3

  /// How often a millisecond is doubled to reach the length, about; of what is shorter its length.
  private static func magnitude(_ piece: Piece) -> Double {
    let milliseconds = 1 + Double(piece.length) / 1_000_000
    return Double(milliseconds.exponent) + milliseconds.significand - 1
  }

  /// Lays the axis over `width`; `cut` says how wide a cut is.
  package func scale(to width: Double, cut: (Piece) -> Double) -> Scale {
    let cuts = pieces.reduce(0) { $0 + ($1.isCut ? cut($1) : 0) }
    let rest = max(0, width - cuts)
    var starts: [Double] = []
    var at = 0.0
    for (piece, share) in zip(pieces, shares) {
      starts.append(at)
      at += piece.isCut ? cut(piece) : rest * share
    }
    return Scale(pieces: pieces, starts: starts + [max(at, 0)])
  }

  /// Where each time lies.
  package struct Scale: Sendable {
    package let pieces: [Piece]
    /// Where each piece begins, and where the last ends.
    package let starts: [Double]

    /// The place of a time; what is outside of the axis lies at its ends.
    package func place(of time: Int64) -> Double {
      // A time between two pieces belongs to the one that begins there.
      var (low, high) = (0, pieces.count - 1)
      while low < high {
        let middle = (low + high + 1) / 2
        if pieces[middle].begin <= time { low = middle } else { high = middle - 1 }
      }
      let piece = pieces[low]
      guard piece.length > 0 else { return starts[low] }
      let part = Double(min(max(time, piece.begin), piece.end) - piece.begin)
      return starts[low] + (starts[low + 1] - starts[low]) * part / Double(piece.length)
    }
  }
}

extension Layout {
  /// The axis of the picture, of which at most `cutsMax` gaps are cut, the longest.
  package func axis(cutsMax: Int) -> Axis {
    let longest = gaps.sorted { ($0.length, $1.begin) > ($1.length, $0.begin) }.prefix(cutsMax)
    return Axis(span, cutting: longest.sorted { $0.begin < $1.begin })
  }
}
