// SPDX-License-Identifier: Apache-2.0
package import LifetraceClocks
import LifetraceLifecycle

/// Machines with clocks of their own that send each other messages, and what is true about them.
///
///     let world = ClockWorld(seed: 7, hosts: 64, seconds: 300)
///     let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
///     world.reading(of: clock, at: instant)       // what that clock really shows then
///
/// Clocks are wrong from the start by up to a day, go wrong by up to 200 parts in a million and wander by
/// some more. A machine may sleep, be set forward by an hour, or start again with a clock that begins
/// anew. Messages take other times one way than the other, up to twenty times as long; each 20th is lost.
package struct ClockWorld {
  /// One clock, from the start of a machine to its end.
  package struct Clock {
    /// The machine.
    package var host: Int
    /// Nanoseconds of true time between which it goes.
    package var lifetime: ClosedRange<Double>
    var start: Double
    var rate: Double
    var wander: Double
    var period: Double
    var phase: Double
    /// It was set forward by so much.
    var jumps: [(at: Double, by: Double)] = []
    /// It slept and stood still.
    var sleeps: [(from: Double, to: Double)] = []

    func isAwake(_ instant: Double) -> Bool {
      lifetime.contains(instant) && !sleeps.contains { $0.from <= instant && instant <= $0.to }
    }

    func reading(_ instant: Double) -> Double {
      var gone = instant - lifetime.lowerBound
      for sleep in sleeps where instant > sleep.from {
        gone -= min(instant, sleep.to) - sleep.from
      }
      let turn = 2 * Double.pi / period
      let wandered = wander / turn * (cosine(phase) - cosine(turn * gone + phase))
      return start + gone * (1 + rate) + wandered
        + jumps.filter { $0.at <= instant }.reduce(0) { $0 + $1.by }
    }
  }

  /// An instant at which something happened.
  package struct Event {
    /// The clock that stamped it.
    package var clock: Int
    /// Nanoseconds of true time.
    package var instant: Double
  }

  /// The clocks of all machines.
  package private(set) var clocks: [Clock] = []
  /// How wrong rates may be.
  package var rates: [ClockRate] { clocks.map { _ in .counter } }
  /// What the messages prove, in the order in which they were received.
  package private(set) var evidence: [Evidence] = []
  /// When messages were sent and received.
  package private(set) var events: [Event] = []
  /// The machine that stamps messages with made-up times, if one does.
  package let liar: Int?
  private var random: SeededRandom
  private let end: Double

  /// `hosts` machines for `seconds`; `hasLiar` makes one of them stamp wrongly, and each asks each of its
  /// neighbours `askedPerTenSeconds` times as often as once in ten seconds.
  package init(
    seed: UInt64,
    hosts: Int,
    seconds: Int,
    hasLiar: Bool,
    askedPerTenSeconds: Int = 1
  ) {
    random = SeededRandom(seed: seed &* 0x9e37_79b9_7f4a_7c15)
    end = Double(seconds) * 1e9
    liar = hasLiar ? random.below(hosts) : nil
    for host in 0..<hosts { addClocks(of: host) }
    talk(hosts: hosts, apart: 10e9 / Double(askedPerTenSeconds))
  }

  /// What a clock really shows.
  package func reading(of clock: Int, at instant: Double) -> Int64 {
    Int64(clocks[clock].reading(instant))
  }

  /// Whether that clock goes at this instant.
  package func isAwake(_ clock: Int, at instant: Double) -> Bool { clocks[clock].isAwake(instant) }

  // MARK: - Machines

  private mutating func addClocks(of host: Int) {
    let fate = random.below(8)
    let middle = end * (0.3 + 0.4 * random.unit())
    if fate == 0 {
      // Off for a while, and then another clock.
      addClock(host, 0...middle)
      addClock(host, min(end, middle + 20e9)...end)
      return
    }
    addClock(host, 0...end)
    if fate == 1 { clocks[clocks.count - 1].jumps = [(middle, 3_600e9)] }
    if fate == 2 {
      clocks[clocks.count - 1].sleeps = [(middle, middle + 5e9 + 25e9 * random.unit())]
    }
  }

  private mutating func addClock(_ host: Int, _ lifetime: ClosedRange<Double>) {
    let isSteady = random.once(in: 2)
    clocks.append(
      Clock(
        host: host,
        lifetime: lifetime,
        start: 86_400e9 * random.unit(),
        rate: 400e-6 * random.unit() - 200e-6,
        wander: (isSteady ? 0.1e-6 : 10e-6) * random.unit(),
        period: 600e9 + 3_000e9 * random.unit(),
        phase: 7 * random.unit()
      )
    )
  }

  private func clock(of host: Int, at instant: Double) -> Int? {
    clocks.firstIndex { $0.host == host && $0.isAwake(instant) }
  }

  // MARK: - Messages

  private mutating func talk(hosts: Int, apart: Double) {
    var least: [Double] = []
    for _ in 0..<hosts * hosts { least.append(20e3 * (1 + 19 * random.unit())) }
    func way(_ from: Int, _ to: Int) -> Double { least[from * hosts + to] }
    // Each asks its neighbours in turns, and others now and then.
    var asked: [(instant: Double, from: Int, to: Int)] = []
    for host in 0..<hosts {
      for step in [1, 2, 5] where hosts > step {
        var instant = apart * random.unit()
        while instant < end {
          asked.append((instant, host, (host + step) % hosts))
          instant += apart * (0.8 + 0.4 * random.unit())
        }
      }
      for _ in 0..<20 where hosts > 1 {
        let other = (host + 1 + random.below(hosts - 1)) % hosts
        asked.append((end * random.unit(), host, other))
      }
    }
    for (instant, from, to) in asked.sorted(by: { $0.instant < $1.instant }) {
      guard let arrived = send(instant, from, to, way(from, to)) else { continue }
      _ = send(arrived + 1e6 * random.unit(), to, from, way(to, from))
    }
  }

  private mutating func send(
    _ instant: Double,
    _ from: Int,
    _ to: Int,
    _ least: Double
  ) -> Double? {
    let late = random.once(in: 10) ? 20 * random.unit() : random.unit()
    let arrival = instant + least * (1 + late)
    guard arrival < end, !random.once(in: 20), let sender = clock(of: from, at: instant),
      let receiver = clock(of: to, at: arrival)
    else { return nil }
    events.append(Event(clock: sender, instant: instant))
    events.append(Event(clock: receiver, instant: arrival))
    evidence.append(
      Evidence(
        Moment(sender, stamp(sender, instant)),
        before: Moment(receiver, stamp(receiver, arrival)),
        .message,
        label: UInt64(evidence.count)
      )
    )
    return arrival
  }

  private mutating func stamp(_ clock: Int, _ instant: Double) -> Int64 {
    let reading = reading(of: clock, at: instant)
    guard clocks[clock].host == liar else { return reading }
    return reading + Int64((2 * random.unit() - 1) * 10e9)
  }
}

/// The cosine, by its series: the C library's is not worth the import.
private func cosine(_ angle: Double) -> Double {
  var turned = angle.truncatingRemainder(dividingBy: 2 * Double.pi)
  if turned > Double.pi { turned -= 2 * Double.pi }
  var term = 1.0
  var sum = 1.0
  for step in 1...14 {
    term *= -turned * turned / Double((2 * step - 1) * (2 * step))
    sum += term
  }
  return sum
}
