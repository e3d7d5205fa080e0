// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What the rules have said so far; bounded, whatever the trace does.
struct Tallies: Sendable {
  /// More verdicts of one outcome and severity than this are counted, not kept, for each rule and app.
  static let keptMax = 100

  /// What one rule has said about one app.
  struct Tally: Sendable {
    var held = 0
    var violated = Grades()
    var undecidable = 0
    var kept: [Verdict] = []
    /// Which events a rule of a project has met.
    var sightings = Sightings()
    /// Where it was last broken.
    var lastBreach: (stream: StreamID, sequence: UInt64)?

    /// Adds the verdicts given behind it; as many of them are kept as if they had been given here.
    mutating func add(_ later: Tally) {
      var (known, doubts) = (violated, undecidable)
      for verdict in later.kept {
        let isViolation = verdict.outcome == .violated
        let count = isViolation ? known[verdict.severity] : doubts
        if isViolation { known[verdict.severity] += 1 } else { doubts += 1 }
        if count < Tallies.keptMax { kept.append(verdict) }
      }
      held += later.held
      sightings.add(later.sightings)
      violated.add(later.violated)
      undecidable += later.undecidable
      lastBreach = later.lastBreach ?? lastBreach
    }
  }

  /// Which verdicts are kept in words.
  enum Keeping: Sendable {
    /// The first of each app, rule, outcome and severity.
    case first
    /// The violations, or the doubts, on one stream whose numbers there are in the range.
    case some(Range<Int>, isViolation: Bool, of: StreamID)
  }

  var keeping = Keeping.first
  /// The place of each verdict; nil where places are not asked for.
  var places: VerdictPlaces?
  /// What was compared with what is allowed; nil where that is not asked for.
  var margins: Margins?
  /// How many verdicts were met of which some are to be kept.
  private(set) var retold = 0
  let rules: Int
  /// By app, then by rule.
  private(set) var apps: [(app: String, tallies: [Tally])] = []
  /// Where each app is among them.
  private var appPlaces: [String: Int] = [:]
  private var currentApp = 0
  /// Data lost in earlier incarnations, by app, until the next launch has reported what it found.
  private var losses: [[Loss]] = []

  /// Changes that died with an earlier incarnation, by app: the next one must look for itself.
  private var untold: [[Untold]] = []

  /// A change of the system that waited for an app when that ended.
  struct Untold: Sendable {
    /// The type of the notification, by name: names of two streams have no number in common.
    var type: String
    /// The app that it waited for, as people call it.
    var label: String
    var dropped: Witness
  }

  /// A version that was lost, and the verdict that says so.
  struct Loss: Sendable {
    var object: NameID
    var edit: DataObject.Edit
    /// How it may be there all the same.
    var survival: DataObject.Survival?
    /// The title of the verdict, where the next launch finds it gone for certain.
    var ifGone: Sentence
    var stream: StreamID
    /// The verdict: its rule, and its place among those of the rule.
    var rule: Int
    var place: Int
  }

  init(rules: Int) { self.rules = rules }

  /// The next verdicts are about `app`; a new life reports nothing of what an earlier one lost.
  mutating func select(app: String, isNewLife: Bool) {
    if let known = appPlaces[app] {
      currentApp = known
      if isNewLife { (losses[known], untold[known]) = ([], []) }
    } else {
      currentApp = apps.count
      appPlaces[app] = currentApp
      apps.append((app, [Tally](repeating: Tally(), count: rules)))
      losses.append([])
      untold.append([])
    }
  }

  /// A rule of a project has met one of the events that it asks for, by number.
  mutating func meet(_ rule: Int, _ number: Int) {
    apps[currentApp].tallies[rule].sightings.meet(number)
  }

  /// It has met another name in place of one that it asks for.
  mutating func pass(_ rule: Int, _ number: Int, _ name: String) {
    apps[currentApp].tallies[rule].sightings.pass(number, name)
  }

  mutating func held(_ rule: Int) { apps[currentApp].tallies[rule].held += 1 }

  /// Counts a verdict, and says whether it is to be kept in words.
  mutating func makesRoom(
    _ rule: Int,
    _ place: VerdictPlace
  ) -> Bool {
    let (severity, isViolation) = (place.severity, place.isViolation)
    let tally = apps[currentApp].tallies[rule]
    if isViolation {
      apps[currentApp].tallies[rule].violated[severity] += 1
    } else {
      apps[currentApp].tallies[rule].undecidable += 1
    }
    let isKept: Bool
    switch keeping {
    case .first:
      isKept = (isViolation ? tally.violated[severity] : tally.undecidable) < Self.keptMax
    case .some(let range, let wanted, let stream)
    where place.stream == stream && isViolation == wanted:
      isKept = range.contains(retold)
      retold += 1
    case .some: isKept = false
    }
    places?.add(place, kept: isKept ? (app: currentApp, index: tally.kept.count) : nil)
    return isKept
  }

  /// The rule is broken there, whether or not there is room to report it.
  mutating func breached(_ rule: Int, _ stream: StreamID, at sequence: UInt64) {
    apps[currentApp].tallies[rule].lastBreach = (stream, sequence)
  }

  /// Whether a rule was last broken in `stream`, at one of these events.
  func isViolated(_ rule: Int, _ stream: StreamID, at places: [UInt64]) -> Bool {
    guard let last = apps[currentApp].tallies[rule].lastBreach else { return false }
    return last.stream == stream && places.contains(last.sequence)
  }

  /// Whether a rule was broken in `stream`, wherever that was.
  func isViolated(_ rule: Int, _ stream: StreamID) -> Bool {
    apps[currentApp].tallies[rule].lastBreach?.stream == stream
  }

  /// Keeps a verdict; its place among those of the rule.
  mutating func keep(_ rule: Int, _ verdict: Verdict) -> Int {
    apps[currentApp].tallies[rule].kept.append(verdict)
    return apps[currentApp].tallies[rule].kept.count - 1
  }

  /// Adds what was said of other lives, which come behind these.
  mutating func add(_ later: Tallies) {
    for (app, tallies) in later.apps {
      if let known = appPlaces[app] {
        for rule in tallies.indices { apps[known].tallies[rule].add(tallies[rule]) }
      } else {
        appPlaces[app] = apps.count
        apps.append((app, tallies))
        losses.append([])
        untold.append([])
      }
    }
  }

  /// A change dies with the app, which has not heard of it.
  mutating func leave(_ change: Untold) { untold[currentApp].append(change) }

  /// How many changes wait for the next launch of this app.
  var untoldCount: Int { untold[currentApp].count }

  /// What earlier incarnations of this app have not heard of; it is asked once.
  mutating func takeUntold(before stream: StreamID) -> [Untold] {
    let earlier = untold[currentApp].filter { $0.dropped.stream != stream }
    untold[currentApp].removeAll { $0.dropped.stream != stream }
    return earlier
  }

  /// Whether something was lost in this app's lives which a later launch may still report.
  var awaitsLaunch: Bool { !losses[currentApp].isEmpty }

  /// A violation that is kept says that a version was lost; the next launch may add what it found.
  mutating func lost(_ loss: Loss) { losses[currentApp].append(loss) }

  /// The losses of other incarnations of this app which no launch has reported yet.
  mutating func takeLosses(before stream: StreamID) -> [Loss] {
    let earlier = losses[currentApp].filter { $0.stream != stream }
    losses[currentApp].removeAll { $0.stream != stream }
    return earlier
  }

  /// Adds to a verdict what became known after it, and whether it is gone for certain by that.
  mutating func amend(_ loss: Loss, _ detail: Sentence, _ witness: Witness?, isGone: Bool) {
    amend(loss.rule, loss.place, detail, witness)
    if isGone { apps[currentApp].tallies[loss.rule].kept[loss.place].title = loss.ifGone }
  }

  /// The same to the verdict of a rule at a place among its own.
  mutating func amend(_ rule: Int, _ place: Int, _ detail: Sentence, _ witness: Witness?) {
    apps[currentApp].tallies[rule].kept[place].details.append(detail)
    if let witness { apps[currentApp].tallies[rule].kept[place].witnesses.append(witness) }
  }
}
