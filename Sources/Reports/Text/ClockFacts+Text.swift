// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace
import LifetraceWords

extension ClockFacts {
  /// What `clocks` prints, in lines.
  package var text: [String] {
    guard clocks.count > 1 else {
      return [
        "one clock, that of \(clocks.first?.name ?? "nobody"): its times are compared as they are"
      ]
    }
    let groups = Set(clocks.map(\.reference)).count
    let axis =
      groups == 1
      ? "on one axis, the time of \(clocks[clocks[0].reference].name)"
      : "in \(groups) groups without messages between them, "
        + (isOneAxis ? "compared by real time, which proves nothing" : "not all of them comparable")
    var lines = ["\(clocks.count) clocks \(axis)"]
    for (number, clock) in clocks.enumerated() {
      lines.append("\(clock.name): \(processes(clock))")
      lines += state(number, clock).map { "  \($0)" }
    }
    if !graph.pairs.isEmpty {
      lines.append("evidence:")
      lines += graph.pairs.map { "  \(line($0))" }
    }
    if !graph.steps.isEmpty {
      lines.append("steps:")
      lines += graph.steps.map { "  \(line($0))" }
    }
    if !doubts.isEmpty {
      lines.append("contradictions:")
      lines += doubts.map { "  \($0)" }
    }
    return lines
  }

  private func processes(_ clock: Clock) -> String {
    let shown = clock.processes.prefix(3).map(Printable.line).joined(separator: ", ")
    let more = clock.processes.count - 3
    return more > 0 ? "\(shown) and \(more) more" : shown
  }

  private func state(_ number: Int, _ clock: Clock) -> [String] {
    guard clock.reference != number else {
      let isFollowed = clocks.contains { $0.reference == number } && clocks.count > 1
      return [isFollowed ? "the axis of those it has messages with" : "no messages with others"]
    }
    let known = clock.widths.compactMap { width in width.nanoseconds.map { (width, $0) } }
    guard let best = known.min(by: { $0.1 < $1.1 }), let worst = known.max(by: { $0.1 < $1.1 })
    else {
      return [
        "messages went one way only: its times are bounded on one side, and placed by real time"
      ]
    }
    let offset = clock.widths[clock.widths.count / 2].offset
    let ahead = offset > 0 ? "behind" : "ahead"
    return [
      "\(Quantity.duration(Int64(clamping: offset.magnitude))) \(ahead); known to "
        + "\(Self.half(best.1)) at best, at \(Quantity.sinceStart(best.0.time)), "
        + "\(Self.half(worst.1)) at worst, at \(Quantity.sinceStart(worst.0.time))",
      "width over time \(Self.drawing(clock.widths))",
    ]
  }

  private static func half(_ width: Int64) -> String {
    "±\(Quantity.duration(width / 2 + width % 2))"
  }

  /// A bar a moment: each is ten times as wide as the next lower one, from a microsecond to ten seconds.
  private static func drawing(_ widths: [Width]) -> String {
    let bars = Array("▁▂▃▄▅▆▇█")
    return String(
      widths.map { width in
        guard let nanoseconds = width.nanoseconds else { return "?" }
        var bar = 0
        var limit: Int64 = 1_000
        while bar < bars.count - 1, nanoseconds > limit {
          bar += 1
          limit *= 10
        }
        return bars[bar]
      }
    )
  }

  private func line(_ pair: ClockGraph.Pair) -> String {
    let (one, other) = (clocks[pair.clocks.0].name, clocks[pair.clocks.1].name)
    let declared = evidence.filter {
      $0.source == .declared
        && Set([$0.earlier.clock, $0.later.clock])
          == Set([pair.clocks.0, pair.clocks.1])
    }
    guard declared.count < pair.counts.forward + pair.counts.backward else {
      return "\(one) to \(other) as was declared at the import"
    }
    let counts =
      "\(one) to \(other) \(Quantity.grouped(pair.counts.forward)), back "
      + "\(Quantity.grouped(pair.counts.backward))"
    let wander = Self.parts(pair.wander)
    guard pair.trend != 0 else { return "\(counts); rates may differ by \(wander) ppm" }
    let gains = pair.trend > 0 ? "gains" : "loses"
    return "\(counts); \(other) \(gains) \(Self.parts(abs(pair.trend))) ppm, within \(wander)"
  }

  /// Parts in a million, to a tenth.
  static func parts(_ fraction: Double) -> String {
    let tenths = Int64(fraction * 1e7 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private func line(_ step: ClockStep) -> String {
    let width = HostTime(rawValue: step.to) - HostTime(rawValue: step.from)
    let start = clocks[step.clock].span?.lowerBound ?? 0
    let since = HostTime(rawValue: step.from) - HostTime(rawValue: start)
    let others = step.others.map { clocks[$0].name }.joined(separator: " or ")
    let who = clocks[step.clock].name + (others.isEmpty ? "" : ", or \(others) in its place,")
    return "\(who) stepped \(Quantity.duration(since)) behind its first event, "
      + "or up to \(Quantity.duration(width)) later, by its own clock"
  }
}
