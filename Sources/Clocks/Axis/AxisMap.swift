// SPDX-License-Identifier: Apache-2.0

/// From the times of one clock to those of an axis: a line of pieces that never falls.
///
///     map.axis(raw)       // where a time of the clock stands
///     map.raw(axis)       // what the clock showed there last
///
/// Before the first knot and behind the last the clock goes as the axis does. A look takes as many steps
/// as the count of knots has binary digits, none where there is one knot.
package struct AxisMap: Sendable, Equatable {
  /// A time of the clock and where it stands.
  package struct Knot: Sendable, Equatable {
    /// Nanoseconds on the clock.
    package var raw: Int64
    /// Nanoseconds on the axis.
    package var axis: Int64

    /// The clock's `raw` stands at `axis`.
    package init(raw: Int64, axis: Int64) {
      self.raw = raw
      self.axis = axis
    }
  }

  /// In order of both; never empty.
  package let knots: [Knot]

  /// Every time is moved by as much.
  package init(shift: Int64) { knots = [Knot(raw: 0, axis: shift)] }

  /// A line through `knots`, which rise in both; those that do not are left out.
  package init?(_ knots: some Sequence<Knot>) {
    var rising: [Knot] = []
    for knot in knots {
      if let last = rising.last, knot.raw <= last.raw || knot.axis < last.axis { continue }
      rising.append(knot)
    }
    guard !rising.isEmpty else { return nil }
    self.knots = rising
  }

  /// What is added to each time; nil where it differs.
  @inline(__always)
  package var shift: Int64? {
    knots.count == 1 ? knots[0].axis.minus(knots[0].raw) : nil
  }

  /// Where a time of the clock stands; saturates.
  package func axis(_ raw: Int64) -> Int64 {
    let next = knots.partitioningIndex { $0.raw > raw }
    let before = knots[max(0, next - 1)]
    guard next > 0, next < knots.count else { return before.axis.plus(raw.minus(before.raw)) }
    let behind = knots[next]
    let part = Self.part(
      raw.minus(before.raw),
      of: behind.raw.minus(before.raw),
      behind.axis.minus(before.axis)
    )
    return min(before.axis.plus(part), behind.axis)
  }

  /// The last time that the clock showed at a place of the axis; saturates.
  package func raw(_ axis: Int64) -> Int64 {
    let next = knots.partitioningIndex { $0.axis > axis }
    let before = knots[max(0, next - 1)]
    guard next > 0, next < knots.count else { return before.raw.plus(axis.minus(before.axis)) }
    let behind = knots[next]
    // The last one that does not stand behind it; a line may be so flat that many stand at one place.
    var (low, high) = (before.raw, behind.raw)
    while low < high {
      let span = UInt64(bitPattern: high &- low)
      let middle = low &+ Int64(bitPattern: span / 2 + span % 2)
      if self.axis(middle) <= axis { low = middle } else { high = middle &- 1 }
    }
    return low
  }

  private static func part(_ steps: Int64, of span: Int64, _ length: Int64) -> Int64 {
    let (high, low) = UInt64(clamping: steps).multipliedFullWidth(by: UInt64(clamping: length))
    let divisor = UInt64(clamping: span)
    guard high < divisor else { return length }
    return Int64(clamping: divisor.dividingFullWidth((high, low)).quotient)
  }

  /// The same line for an axis that begins `nanoseconds` earlier.
  package func moved(by nanoseconds: Int64) -> AxisMap {
    let moved = knots.map { Knot(raw: $0.raw, axis: $0.axis.plus(nanoseconds)) }
    return AxisMap(moved) ?? self
  }

  /// The line through these knots as well, which count where those that it has are at the same time.
  func through(_ more: [Knot]) -> AxisMap {
    let fixed = Set(more.map(\.raw))
    let all = more + knots.filter { !fixed.contains($0.raw) }
    return AxisMap(all.sorted { ($0.raw, $0.axis) < ($1.raw, $1.axis) }) ?? self
  }

  /// The greatest line that lies nowhere above this one, and up to each of `drops` at most there.
  func lowered(_ drops: [Knot]) -> AxisMap {
    drops.isEmpty ? self : mirrored.lifted(drops.map(\.mirrored)).mirrored
  }

  private var mirrored: AxisMap { AxisMap(knots.reversed().map(\.mirrored)) ?? self }

  /// The least line that lies nowhere below this one, and from each of `lifts` on at least there.
  func lifted(_ lifts: [Knot]) -> AxisMap {
    guard !lifts.isEmpty else { return self }
    var line: [Knot] = []
    var floor = Int64.min
    func rise(to knot: Knot) {
      guard knot.axis > floor else { return }
      // Where the line comes back to what it was.
      if floor > .min { line.append(Knot(raw: raw(floor), axis: floor)) }
      line.append(knot)
      floor = .min
    }
    var at = 0
    // Of several at one time the greatest counts.
    for lift in lifts.sorted(by: { ($0.raw, $1.axis) < ($1.raw, $0.axis) }) {
      while at < knots.count, knots[at].raw < lift.raw {
        rise(to: knots[at])
        at += 1
      }
      guard lift.axis > max(axis(lift.raw), floor) else {
        // Held where it is: a knot that another lift puts beside it may round it down.
        if lift.axis == axis(lift.raw) { rise(to: lift) }
        continue
      }
      let before = lift.raw.minus(1)
      if axis(before) > floor { rise(to: Knot(raw: before, axis: axis(before))) }
      line.append(Knot(raw: before, axis: max(axis(before), floor)))
      line.append(lift)
      floor = lift.axis
    }
    while at < knots.count {
      rise(to: knots[at])
      at += 1
    }
    if floor > .min {
      let end = raw(floor)
      line.append(Knot(raw: end, axis: floor))
      line.append(Knot(raw: end.plus(1), axis: axis(end.plus(1))))
    }
    return AxisMap(line) ?? self
  }
}

extension AxisMap.Knot {
  /// The same with both clocks running backward.
  fileprivate var mirrored: AxisMap.Knot {
    AxisMap.Knot(raw: Int64(0).minus(raw), axis: Int64(0).minus(axis))
  }
}

extension Int64 {
  /// The sum; saturates.
  @inline(__always)
  func plus(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference; saturates.
  @inline(__always)
  func minus(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (self < other ? .min : .max) : difference
  }
}
