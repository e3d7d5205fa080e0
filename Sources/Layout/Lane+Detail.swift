// SPDX-License-Identifier: Apache-2.0

// A lane with less detail: what is too short to be seen is drawn as one.

extension Lane {
  /// A lane holds no more bars, and no more instants, 48 and 32 bytes each; then it loses detail.
  package static let itemsMax = 1 << 19
  /// Of one that is only drawn in columns of characters: some 50 to each of the widest picture.
  package static let drawnMax = 1 << 14
  /// What stands for several is no longer than this many grains: so that one sees where they are dense.
  private static let grainsMax: Int64 = 4

  /// The lane with one bar for those that are shorter than `grain` and nearer to each other, and
  /// one mark for those that are so near.
  ///
  /// No grave mark is taken for a lesser one: those of a kind are one mark, which counts them.
  package func detail(_ grain: Int64) -> Lane {
    var lane = Lane(kind, name)
    lane.grain = grain
    lane.bars = Self.thinned(bars, grain)
    lane.instants = Self.thinned(instants, grain)
    return lane
  }

  private static func thinned(_ bars: [Bar], _ grain: Int64) -> [Bar] {
    var out: [Bar] = []
    // By row: the bar that takes in what follows, and how much of it is filled.
    var open: [(bar: Bar, filled: Int64, longest: Int64)?] = Array(repeating: nil, count: 256)
    func close(_ row: Int) {
      guard let pending = open[row] else { return }
      var bar = pending.bar
      if bar.length > 0, bar.count > 1 || bar.fill < 255 {
        bar.fill = UInt8(max(1, min(255, Double(pending.filled) / Double(bar.length) * 255)))
      }
      out.append(bar)
      open[row] = nil
    }
    for bar in bars {
      let row = Int(bar.depth)
      let filled = Int64(Double(bar.length) * Double(bar.fill) / 255)
      guard bar.length < grain else {
        close(row)
        out.append(bar)
        continue
      }
      if var pending = open[row], bar.begin - pending.bar.end < grain,
        max(bar.end, pending.bar.end) - pending.bar.begin <= grain * grainsMax
      {
        pending.bar.end = max(pending.bar.end, bar.end)
        if bar.length > pending.longest {
          (pending.bar.look, pending.longest) = (bar.look, bar.length)
        }
        pending.bar.count =
          bar.look == .queue ? max(pending.bar.count, bar.count) : pending.bar.count &+ bar.count
        pending.filled += filled
        open[row] = pending
      } else {
        close(row)
        open[row] = (bar, filled, bar.length)
      }
    }
    for row in open.indices { close(row) }
    return out.sorted { ($0.begin, $0.depth) < ($1.begin, $1.depth) }
  }

  private static func thinned(_ instants: [Instant], _ grain: Int64) -> [Instant] {
    var out: [Instant] = []
    // Where in `out` the newest of each kind stands; all that are not grave share one place.
    var places: [Int?] = Array(repeating: nil, count: Instant.Kind.allCases.count)
    for mark in instants {
      let row = mark.kind.isGrave ? Int(mark.kind.rawValue) : Instant.Kind.allCases.count - 1
      if let place = places[row], mark.time - out[place].time < grain {
        let count = out[place].count &+ mark.count
        if mark.kind < out[place].kind {
          let time = out[place].time
          out[place] = mark
          out[place].time = time
        }
        out[place].count = count
      } else {
        places[row] = out.count
        out.append(mark)
      }
    }
    return out
  }

  /// Takes detail away where there are more than `most` items of a kind.
  mutating func thinOut(_ most: Int) {
    guard bars.count > most || instants.count > most else { return }
    settle()
    // What came since is thinned as the rest is; only where that is not enough all of it loses detail.
    var grain = max(self.grain, 1_000)
    repeat {
      self = detail(grain)
      grain *= 2
    } while (bars.count > most / 2 || instants.count > most / 2) && grain < Self.grainMax
  }

  /// Some years: coarser is of no use.
  private static let grainMax: Int64 = 1 << 58

  /// Puts bars and instants in order, and bars that overlap in rows.
  mutating func settle() {
    bars.sort { ($0.begin, -$0.end, $0.sequence) < ($1.begin, -$1.end, $1.sequence) }
    instants.sort { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
    var ends: [Int64] = []
    for place in bars.indices {
      let bar = bars[place]
      guard let row = ends.firstIndex(where: { $0 <= bar.begin }) else {
        if ends.count < Self.rowsMax { ends.append(bar.end) }
        bars[place].depth = UInt8(ends.count - 1)
        continue
      }
      ends[row] = bar.end
      bars[place].depth = UInt8(row)
    }
  }

  /// What overlaps deeper is drawn in the last row.
  private static let rowsMax = 8

  /// How much one should see of it: what is lost first, then for how long there is something.
  var weight: Double {
    let length = bars.reduce(0.0) { $0 + Double($1.length) * Double($1.fill) / 255 }
    let grave = instants.reduce(0.0) { $0 + ($1.kind.isGrave ? Double($1.count) : 0) }
    return grave * 1e19 + length + Double(instants.count)
  }
}

extension Instant.Kind {
  /// Whether each counts: none may be taken for something lesser.
  package var isGrave: Bool { self <= .dropped }
}
