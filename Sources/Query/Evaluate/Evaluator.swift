// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// Runs a question over events: nothing is allocated for one.
///
///     let evaluator = Evaluator(question)
///     evaluator.truth(of: event, names)                     // a question of events alone
///
///     evaluator.look(at: event, before: state, names)       // a question of the state
///     state.apply(event, names: names)
///     evaluator.truth(of: event, after: state, names)
///
/// It learns names as they appear, each once. For one thread.
package final class Evaluator {
  let program: Program
  let root: Int32
  // What is below lives as long as the evaluator, is of the sizes that the program has, and is
  // touched by nobody else: arrays would be counted at each node.
  let nodes: UnsafeMutableBufferPointer<Node>
  let places: UnsafeMutableBufferPointer<FieldPlace>
  let tests: UnsafeMutableBufferPointer<KindTest>
  let literals: UnsafeMutableBufferPointer<UInt64>
  let earlier: UnsafeMutableBufferPointer<Scalar>
  let elsewhere: UnsafeMutableBufferPointer<Scalar>
  var bound = (names: -1, sites: -1)
  /// A byte for each name and pattern: whether it matches.
  var matches: [[Bool]]
  var siteNames: [UInt32] = []
  var siteFiles: [UInt32] = []
  var siteLines: [UInt32] = []
  /// The callbacks that sites name, as ``ValueType`` numbers them; -1 for none of the system's.
  var siteCallbacks: [Int16] = []
  /// What the name stands for that the expression was given; see ``Question/given``.
  package var given = Scalar.unknown
  /// The times that the system sets the life that is asked; nil where only those of its own are known.
  package var system: SystemLimits?
  /// By name: those of ``reasons`` that were met.
  var reasons: [UInt64: String] = [:]
  /// Whether the state after the event is taken for unknown.
  var isBlind = false
  var rows = LifeRow()
  /// How soon a comparison that moves with time may come out otherwise; see ``Evaluator/flip``.
  var nearestFlip = Int64.max
  /// The state that is asked when none is at hand.
  let nothing = LifeState()
  /// What is kept up of the rows of tables, by node; nil for nodes of which nothing is.
  var tallies: [RowTally?]
  /// Whether it hears of each event that changes those; see ``Evaluator/follow(_:)``.
  package internal(set) var isFollowing = false
  /// Whether the search is being stopped: asked each few hundred rows.
  package var isInterrupted: () -> Bool = { false }
  /// Whether it was, so that the last answer is none.
  package internal(set) var wasInterrupted = false
  /// What refuses events before they are asked; see ``Evaluator/next(among:from:)``.
  var sieve: Sieve
  /// The table of it that is right as the state is; nil where that may have changed.
  var table: SieveTable?
  /// A byte for each kind: whether its events change the state that is asked.
  let touching: UnsafeMutablePointer<Bool>
  /// Whether it asks how long something took that an event ends.
  package let asksHowLong: Bool
  /// How many rows were looked at so far.
  package private(set) var rowsSeen = 0

  /// Makes room for the values of `question`.
  package convenience init(_ question: Question) { self.init(question.program, question.root) }

  /// One that is asked for the rows of tables, and for nothing else.
  package convenience init() { self.init(Program(), -1) }

  private init(_ program: Program, _ root: Int32) {
    (self.program, self.root) = (program, root)
    nodes = .allocate(capacity: program.nodes.count)
    _ = nodes.initialize(from: program.nodes)
    let flat = program.places.flatMap { $0 }
    places = .allocate(capacity: flat.count)
    _ = places.initialize(from: flat)
    tests = .allocate(capacity: program.tests.count)
    _ = tests.initialize(from: program.tests)
    literals = .allocate(capacity: program.literals.count)
    literals.initialize(repeating: .max)
    earlier = .allocate(capacity: program.earlier.count)
    earlier.initialize(repeating: .unknown)
    elsewhere = .allocate(capacity: program.elsewhere.count)
    elsewhere.initialize(repeating: .unknown)
    matches = Array(repeating: [], count: program.patterns.count)
    tallies = program.nodes.map { program.canTally($0) ? RowTally() : nil }
    sieve = Sieve(program, root: root)
    asksHowLong = program.places.contains { $0.contains(.took) }
    touching = .allocate(capacity: 256)
    let kinds = Analysis(program, root: root, isCondition: true).touchingState
    for raw in UInt8.min...UInt8.max {
      (touching + Int(raw)).initialize(to: kinds.contains(EventKind(rawValue: raw)))
    }
  }

  /// Counts a row that is looked at; whether to go on.
  @inline(__always)
  func goesOn() -> Bool {
    rowsSeen &+= 1
    return rowsSeen & 0x1ff != 0 || !isStopped()
  }

  @inline(never)
  private func isStopped() -> Bool {
    if !wasInterrupted { wasInterrupted = isInterrupted() }
    return wasInterrupted
  }

  deinit {
    nodes.deallocate()
    places.deallocate()
    tests.deallocate()
    literals.deallocate()
    earlier.deallocate()
    elsewhere.deallocate()
    touching.deallocate()
  }

  /// Whether it wants to ``look(at:before:_:)`` at all.
  package var looksBefore: Bool { !program.earlier.isEmpty }

  /// Whether the condition holds at an event, of a question that needs no state.
  @inline(__always)
  package func truth(of event: borrowing Event, _ names: borrowing Names) -> Truth {
    truth(of: event, after: nothing, names)
  }

  /// The value of an expression of events alone.
  package func value(of event: borrowing Event, _ names: borrowing Names) -> Scalar {
    value(of: event, after: nothing, names)
  }

  /// Keeps what the expression wants from the state before `event`.
  package func look(
    at event: borrowing Event,
    before state: borrowing LifeState,
    _ names: borrowing Names
  ) {
    bind(names)
    for index in earlier.indices {
      let tree = program.earlier[index]
      earlier[index] = value(tree, event, state)
    }
  }

  /// Keeps what the expression wants from the states of the writers that it names, in their order, each
  /// with the time on the clock of that writer; nil for one that has not started.
  package func look(
    at event: borrowing Event,
    elsewhere states: [(state: LifeState, now: HostTime)?],
    _ names: borrowing Names
  ) {
    bind(names)
    // What is kept up is of the writer of the event.
    let followed = isFollowing
    isFollowing = false
    defer { isFollowing = followed }
    for index in elsewhere.indices {
      let (writer, tree) = program.elsewhere[index]
      guard let (state, now) = states[writer] else {
        elsewhere[index] = .absent
        continue
      }
      var there = copy event
      there.time = now
      elsewhere[index] = value(tree, there, state)
    }
  }

  /// The same at a time between events.
  package func look(
    at time: HostTime,
    elsewhere states: [(state: LifeState, now: HostTime)?],
    _ names: borrowing Names
  ) {
    look(at: Event(Self.nothingHappens, at: time), elsewhere: states, names)
  }

  /// Forgets the states of other writers: what hangs on them is unknown until they are looked at again.
  package func forgetElsewhere() {
    for index in elsewhere.indices { elsewhere[index] = .unknown }
  }

  /// Whether the condition holds at an event, seen with the state after it.
  package func truth(
    of event: borrowing Event,
    after state: borrowing LifeState,
    _ names: borrowing Names
  ) -> Truth {
    bind(names)
    return truth(root, event, state)
  }

  /// Whether the condition can hold at an event, whatever the state after it: unknown where that decides.
  package func possible(at event: borrowing Event, _ names: borrowing Names) -> Truth {
    isBlind = true
    defer { isBlind = false }
    return truth(of: event, after: nothing, names)
  }

  /// The value of the expression at an event.
  package func value(
    of event: borrowing Event,
    after state: borrowing LifeState,
    _ names: borrowing Names
  ) -> Scalar {
    bind(names)
    return value(root, event, state)
  }

  /// Whether a condition of the state holds at a time, and how many nanoseconds later that may have
  /// changed without any event; nil for never.
  ///
  /// What moves with time is linear, so a comparison comes out otherwise once at most; those that
  /// were not needed to decide cannot change the outcome before those that were.
  package func truth(
    at time: HostTime,
    in state: borrowing LifeState,
    _ names: borrowing Names
  ) -> (Truth, flip: Int64?) {
    bind(names)
    nearestFlip = .max
    let truth = truth(root, Event(Self.nothingHappens, at: time), state)
    return (truth, nearestFlip == .max ? nil : nearestFlip)
  }

  /// The value of an expression of the state at a time.
  package func value(
    at time: HostTime,
    in state: borrowing LifeState,
    _ names: borrowing Names
  ) -> Scalar {
    bind(names)
    return value(root, Event(Self.nothingHappens, at: time), state)
  }

  /// A kind that no version has: it has no fields, and no word means it.
  static let nothingHappens = EventKind(rawValue: 0)

  /// Notes when two values that move against each other meet, and when they have passed.
  private func noteFlip(_ left: Scalar, _ right: Scalar) {
    let distance = left.signed.subtractingSaturated(right.signed)
    let speed = Int64(left.slope) - Int64(right.slope)
    guard distance == 0 || (distance < 0) == (speed > 0) else { return }
    let steps = Int64(clamping: distance.magnitude / speed.magnitude)
    // At the meeting itself, or, where they have met, right behind it.
    nearestFlip = min(nearestFlip, max(1, steps), distance == 0 ? 1 : .max)
  }

  // MARK: - Names

  /// Makes what was met since the last time known; two comparisons where there is nothing new.
  @inline(__always)
  func bind(_ names: borrowing Names) {
    if bound.names != names.strings.count || bound.sites != names.sites.count { learn(names) }
  }

  private func learn(_ names: borrowing Names) {
    bound = (names.strings.count, names.sites.count)
    for index in literals.indices where literals[index] == .max {
      guard let known = names.find(program.literals[index]) else { continue }
      literals[index] = known.word
      sieve.forget()
      table = nil
    }
    for reason in Self.reasons { names.find(reason).map { reasons[$0.word] = reason } }
    for index in matches.indices {
      let pattern = program.patterns[index]
      for id in matches[index].count..<names.strings.count {
        matches[index].append(pattern.matches(names.strings[id]))
      }
    }
    for id in siteNames.count..<names.sites.count {
      let site = names[SiteID(rawValue: UInt32(id))]
      siteNames.append(site.name.rawValue)
      siteFiles.append(site.file.rawValue)
      siteLines.append(site.line)
      let callback = Callback(named: names.strings[Int(site.name.rawValue)])
      siteCallbacks.append(callback.flatMap(Callback.allCases.firstIndex).map(Int16.init) ?? -1)
    }
  }

  // MARK: - Truths

  func truth(_ index: Int32, _ event: borrowing Event, _ state: borrowing LifeState) -> Truth {
    let node = nodes[Int(index)]
    switch node.operation {
    case .always: return Truth(rawValue: UInt8(truncatingIfNeeded: node.bits)) ?? .unknown
    case .kind: return Truth(tests[Int(node.bits)].holds(event))
    case .both:
      let left = truth(node.left, event, state)
      if left == .no { return .no }
      let right = truth(node.right, event, state)
      return left && right
    case .either:
      let left = truth(node.left, event, state)
      if left == .yes { return .yes }
      let right = truth(node.right, event, state)
      return left || right
    case .negation: return !truth(node.left, event, state)
    case .holds: return test(value(node.left, event, state)) { $0 != 0 }
    case .equal, .unequal, .lessSigned, .lessUnsigned, .lessFraction, .atMostSigned,
      .atMostUnsigned, .atMostFraction:
      let left = value(node.left, event, state)
      // What is not there is neither more nor less, nor unlike.
      guard left.standing != .absent else { return .no }
      let right = value(node.right, event, state)
      guard right.standing != .absent else { return .no }
      guard left.standing == .known, right.standing == .known else { return .unknown }
      if left.slope != right.slope { noteFlip(left, right) }
      return Truth(Self.compare(node.operation, left.bits, right.bits))
    case .isLiteral:
      let literal = literals[Int(node.bits)]
      return test(value(node.left, event, state)) { $0 == literal }
    case .isNotLiteral:
      let literal = literals[Int(node.bits)]
      return test(value(node.left, event, state)) { $0 != literal }
    case .matches:
      let name = value(node.left, event, state)
      guard name.standing == .known else { return name.standing == .absent ? .no : .unknown }
      return Truth(isMatch(name.bits, Int(node.bits)))
    case .anyRow where isBlind, .allRows where isBlind: return .unknown
    case .anyRow: return any(index, node, event, state)
    case .allRows: return !any(index, node, event, state)
    case .earlierTruth: return test(earlier[Int(node.bits)]) { $0 != 0 }
    case .elsewhereTruth: return test(elsewhere[Int(node.bits)]) { $0 != 0 }
    default: return .unknown
    }
  }

  @inline(__always)
  private func test(_ value: Scalar, _ test: (UInt64) -> Bool) -> Truth {
    switch value.standing {
    case .known: Truth(test(value.bits))
    case .absent: .no
    case .unknown: .unknown
    }
  }

  func isMatch(_ name: UInt64, _ pattern: Int) -> Bool {
    let id = name < UInt64(matches[pattern].count) ? Int(name) : 0
    return matches[pattern][id]
  }

  @inline(__always)
  static func compare(_ operation: Operation, _ left: UInt64, _ right: UInt64) -> Bool {
    switch operation {
    case .equal: left == right
    case .unequal: left != right
    case .lessSigned: Int64(bitPattern: left) < Int64(bitPattern: right)
    case .atMostSigned: Int64(bitPattern: left) <= Int64(bitPattern: right)
    case .lessUnsigned: left < right
    case .atMostUnsigned: left <= right
    case .lessFraction: Double(bitPattern: left) < Double(bitPattern: right)
    default: Double(bitPattern: left) <= Double(bitPattern: right)
    }
  }
}
