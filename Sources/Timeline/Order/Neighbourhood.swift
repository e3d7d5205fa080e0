// SPDX-License-Identifier: Apache-2.0

/// The streams that can have the next or the last event of a position.
///
/// A long recording has hundreds of writers, of which few live at the same time. Between two
/// moments at which a stream begins or ends, a step need only look at the streams that live there.
/// Their list is kept for as long as the steps stay between the two.
struct Neighbourhood {
  /// With fewer streams it is faster to look at all.
  static let streamsMin = 8

  /// Made at the first question.
  var spans: ChunkSpans?
  /// Ordinals for which ``streams`` are enough.
  var ordinals: Range<Int> = 0..<0
  /// In the order of their ranks.
  var streams: [Int] = []
}

extension Timeline {
  /// The streams to look at for the events around `ordinal`, in the order of their ranks.
  @inline(__always)
  func candidates(at ordinal: Int) -> [Int] {
    guard byRank.count >= Neighbourhood.streamsMin else { return byRank }
    if !neighbourhood.ordinals.contains(ordinal) { settle(around: ordinal) }
    return neighbourhood.streams
  }

  /// Finds the streams that live around `ordinal`, from the chunk headers alone.
  ///
  /// Where the headers do not show on which side of a bound it is, all streams are looked at.
  private func settle(around ordinal: Int) {
    let spans = neighbourhood.spans ?? ChunkSpans(streams)
    neighbourhood.spans = spans
    let bounds = spans.bounds
    // The first bound that is surely behind the next event.
    let after = bounds.partitioningIndex { spans.headerCount(before: $0).lowerBound > ordinal }
    // The last bound that is surely before the last event.
    let before =
      bounds.partitioningIndex { spans.headerCount(before: $0).upperBound >= ordinal } - 1
    let least = before >= 0 ? spans.headerCount(before: bounds[before]).upperBound + 1 : 0
    let most =
      after < bounds.count ? spans.headerCount(before: bounds[after]).lowerBound : count + 1
    let first = before >= 0 ? bounds[before] : .min
    let last = after < bounds.count ? bounds[after] : .max
    neighbourhood.ordinals = least..<max(most, ordinal + 1)
    neighbourhood.streams = spans.living(from: first, through: last)
      .sorted { rank[$0] < rank[$1] }
  }
}
