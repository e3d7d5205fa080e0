// SPDX-License-Identifier: Apache-2.0

/// In which parts of a span something happens: so its gaps are found in one pass over many streams.
struct Occupancy {
  /// The span is looked at in as many parts, 16 bytes each.
  static let partsMax = 1 << 16

  private let span: ClosedRange<Int64>
  private let width: Int64
  private var firsts: [Int64]
  private var lasts: [Int64]
  /// How many more things go on all through a part than through the one before it.
  private var rises: [Int32]

  init(_ span: ClosedRange<Int64>) {
    self.span = span
    let length = span.upperBound - span.lowerBound
    width = max(1, length / Int64(Self.partsMax) + 1)
    let parts = Int(length / width) + 1
    firsts = Array(repeating: .max, count: parts)
    lasts = Array(repeating: .min, count: parts)
    rises = Array(repeating: 0, count: parts + 1)
  }

  /// Something happens at `time`.
  mutating func add(_ time: Int64) {
    guard span.contains(time) else { return }
    let part = Int((time - span.lowerBound) / width)
    if time < firsts[part] { firsts[part] = time }
    if time > lasts[part] { lasts[part] = time }
  }

  /// Something goes on from `begin` to `end`; costs the same however long that is.
  mutating func add(from begin: Int64, to end: Int64) {
    let (begin, end) = (max(begin, span.lowerBound), min(end, span.upperBound))
    guard begin <= end else { return }
    add(begin)
    add(end)
    let (first, last) = (
      Int((begin - span.lowerBound) / width), Int((end - span.lowerBound) / width)
    )
    guard last > first else { return }
    lasts[first] = max(lasts[first], start(of: first + 1) - 1)
    firsts[last] = start(of: last)
    rises[first + 1] &+= 1
    rises[last] &-= 1
  }

  private func start(of part: Int) -> Int64 { span.lowerBound + Int64(part) * width }

  /// The gaps that are worth a cut, in order of time.
  ///
  /// Those that are longer than all that is shorter taken together, and again of what is left: the
  /// second time finds, of a story of seconds that ends in an hour of sleep, the wait for the next
  /// launch too. Then those that come again and again, much longer than what lies between them.
  func gaps() -> [Layout.Gap] {
    var sorted = all.sorted { $0.length < $1.length }
    let busy = span.upperBound - span.lowerBound - sorted.reduce(0) { $0 + $1.length }
    var cut: [Layout.Gap] = []
    for _ in 0..<Self.rounds {
      var sum = busy
      var from = sorted.count
      for (index, gap) in sorted.enumerated() {
        if sum > 0, gap.length > sum { from = index }
        sum += gap.length
      }
      cut += sorted[from...]
      sorted.removeSubrange(from...)
    }
    cut += sorted[Self.repeated(sorted, busy)...]
    return cut.sorted { $0.begin < $1.begin }
  }

  private static let rounds = 2

  /// Where those begin, in order of length, that come again and again.
  private static func repeated(_ sorted: [Layout.Gap], _ busy: Int64) -> Int {
    let whole = sorted.reduce(busy) { $0 + $1.length }
    var sum = busy
    for (index, gap) in sorted.enumerated() {
      let count = Int64(sorted.count - index)
      guard count >= repeatedMin else { break }
      let jumps = index == 0 || gap.length / 2 >= sorted[index - 1].length
      if jumps, gap.length >= repeatedLengthMin, gap.length / 3 > sum / (count + 1),
        sum >= whole / 10
      {
        return index
      }
      sum += gap.length
    }
    return sorted.count
  }

  /// Fewer gaps of about a length are no habit.
  private static let repeatedMin: Int64 = 4
  /// Shorter ones are no sleep, in nanoseconds.
  private static let repeatedLengthMin: Int64 = 1_000_000_000

  /// Wherever nothing happens, for longer than a part of the span.
  private var all: [Layout.Gap] {
    var all: [Layout.Gap] = []
    var last = span.lowerBound
    var through: Int32 = 0
    for part in firsts.indices {
      through &+= rises[part]
      guard through == 0 else {
        last = start(of: part + 1) - 1
        continue
      }
      guard firsts[part] != .max else { continue }
      if firsts[part] - last > width { all.append(Layout.Gap(begin: last, end: firsts[part])) }
      last = lasts[part]
    }
    if span.upperBound - last > width { all.append(Layout.Gap(begin: last, end: span.upperBound)) }
    return all
  }
}
