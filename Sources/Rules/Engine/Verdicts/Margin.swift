// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// How near a length of time came to what a rule allows.
///
///     margin.brokenAbove - margin.length       // 1.8 s: with more than that at its end the rule is broken
///
/// The rules compare lengths of time in one place, ``RuleContext/compare(_:_:error:isKilled:isScaled:doubt:)``,
/// and this is what was compared there. All times are nanoseconds on the clock of the recording.
package struct Margin: Sendable {
  /// The index of the rule in the table.
  package var rule: Int
  /// The stream, and the number of the event that stopped the clock there.
  package var stream: StreamID
  package var sequence: UInt64
  /// The number of the event that started it; nil where that is not one event.
  package var begin: UInt64?
  /// How long it took.
  package var length: Int64
  /// Up to here the rule is surely kept, and above ``brokenAbove`` it is surely broken: the two are one
  /// where the clock is exact and time ran as on a device.
  package var keptUpTo: Int64
  package var brokenAbove: Int64
  /// Events may be missing, so that it cannot be broken for sure.
  package var isDoubtful: Bool
  /// The system has killed the app for it.
  package var isKilled: Bool
  /// Where the system acts for it: when the clock began, and from how long on it does.
  package var kill: (since: HostTime, above: Int64)?

  /// Whether the rule was kept by it, or broken; nil for neither.
  package var isKept: Bool? {
    if isDoubtful || isKilled { return nil }
    return length <= keptUpTo ? true : length > brokenAbove ? false : nil
  }

  /// How much of what is allowed was used: above 1, the rule is broken.
  package var share: Double { Double(length) / Double(max(1, keptUpTo)) }
}

/// The margins of one check: for each rule the nearest that kept it, and all of one event.
struct Margins: Sendable {
  /// An event of which all are wanted.
  struct Wanted: Sendable {
    var rule: Int
    var stream: StreamID
    var sequence: UInt64
  }

  /// As many are kept of each rule.
  static let nearestMax = 4
  /// More of one event than this are not looked at.
  static let wantedMax = 256
  /// More acts of the system than this are not kept: the first decide.
  static let actsMax = 4096

  let wanted: Wanted?
  private(set) var found: [Margin] = []
  private var nearest: [[Margin]]
  /// How many lengths of time were compared and kept their rules.
  private(set) var keptCount = 0

  init(rules: Int, wanted: Wanted?) {
    self.wanted = wanted
    nearest = Array(repeating: [], count: wanted == nil ? rules : 0)
  }

  /// What the system would have acted for, or has.
  private(set) var acts: [Margin] = []

  mutating func add(_ margin: Margin) {
    if let kill = margin.kill, margin.isKilled || margin.length > kill.above,
      acts.count < Self.actsMax
    {
      acts.append(margin)
    }
    if let wanted {
      guard margin.rule == wanted.rule, margin.stream == wanted.stream,
        margin.sequence == wanted.sequence, found.count < Self.wantedMax
      else { return }
      return found.append(margin)
    }
    // A sum of times, or one that stood still, no single event changes.
    guard margin.isKept == true, margin.begin != nil else { return }
    keptCount += 1
    let place =
      nearest[margin.rule].firstIndex { $0.share < margin.share }
      ?? nearest[margin.rule].count
    guard place < Self.nearestMax else { return }
    nearest[margin.rule].insert(margin, at: place)
    if nearest[margin.rule].count > Self.nearestMax { nearest[margin.rule].removeLast() }
  }

  /// All that were wanted, in their order; else those of all rules, the nearest first.
  var all: [Margin] {
    wanted == nil ? nearest.flatMap { $0 }.sorted { $0.share > $1.share } : found
  }
}

extension RuleContext {
  /// Whether somebody asks for margins.
  var isMeasuring: Bool { contents.pointee.tallies.margins != nil }

  /// Notes a comparison, where somebody asks for margins.
  func measure(
    _ length: Int64,
    keptUpTo: Int64,
    brokenAbove: Int64,
    since begin: UInt64?,
    isDoubtful: Bool = false,
    isKilled: Bool = false,
    kill: (since: HostTime, above: Int64)? = nil
  ) {
    guard isMeasuring else { return }
    contents.pointee.tallies.margins?.add(
      Margin(
        rule: current,
        stream: stream,
        sequence: place.sequence,
        begin: begin,
        length: length,
        keptUpTo: keptUpTo,
        brokenAbove: brokenAbove,
        isDoubtful: isDoubtful,
        isKilled: isKilled,
        kill: kill
      )
    )
  }
}

extension Checker {
  /// Lets it note how near each rule that was kept came to be broken, for ``margins``.
  package mutating func measureNearest() { measure(nil) }

  /// Lets it note what `rule` compares at one event.
  package mutating func measure(rule: Int, of stream: StreamID, at sequence: UInt64) {
    measure(Margins.Wanted(rule: rule, stream: stream, sequence: sequence))
  }

  /// What was noted, the nearest first, and how many kept their rules in all.
  package var margins: (nearest: [Margin], keptCount: Int) {
    let margins = context.tallies.margins
    return (margins?.all ?? [], margins?.keptCount ?? 0)
  }

  /// What was noted for which the system would have acted, or has.
  package var acts: [Margin] { context.tallies.margins?.acts ?? [] }

  private mutating func measure(_ wanted: Margins.Wanted?) {
    withTallies { $0.margins = Margins(rules: $0.rules, wanted: wanted) }
  }
}
