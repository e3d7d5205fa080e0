// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceReports
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace
package import LifetraceWords

/// What differs between two recordings of one program: what happened, how long it took, what rules say.
///
///     let comparison = RunComparison(good, bad, by: Judgement())
///     comparison.differences.first?.right.first?.number    // of the first event that only `bad` has
///
/// Launches are compared by app and number, and in each the events of a callback, an object, a task or
/// another lane in their order. Times take no part in that: a slower machine does the same.
package struct RunComparison: Sendable {
  /// An event of one of the two.
  package struct Entry: Sendable {
    /// As `goto` takes it.
    package var number: Int
    /// Nanoseconds since the launch's first event.
    package var time: Int64
    package var sentence: Sentence
    /// `Editor.swift:41`, or empty.
    package var source: String
  }

  /// Events of a lane that one recording has in a place, and the other has not.
  package struct Difference: Sendable {
    /// The launch: `notes#1`.
    package var life: String
    /// What they are about: an object, `callbacks`, `task "save"`.
    package var lane: String
    /// Those of the first recording; at most ``entriesMax``.
    package var left: [Entry]
    package var right: [Entry]
    /// How many there are on each side.
    package var leftCount: Int
    package var rightCount: Int
    /// The last that both have before it, in either recording.
    package var common: (left: Entry, right: Entry)?
    /// When it is, since the beginning of the launch.
    var time: Int64
    var lifeNumber: Int
  }

  /// What takes longer in one than in the other, by more than its own noise.
  package struct Slower: Sendable {
    package var app: String
    package var what: String
    /// Medians, in nanoseconds.
    package var left: Int64
    package var right: Int64
    /// How often it was timed.
    package var leftCount: Int
    package var rightCount: Int
  }

  /// A launch that only one has.
  package struct Lone: Sendable {
    package var life: String
    package var isLeft: Bool
  }

  /// Of a long difference, the first so many events are kept.
  package static let entriesMax = 8
  /// More differences than this are counted only.
  package static let differencesMax = 1_000

  /// In order: by launch, and in it by time.
  package private(set) var differences: [Difference] = []
  /// How many there are in all.
  package private(set) var differenceCount = 0
  package private(set) var lone: [Lone] = []
  /// Those slower in the second; the most so first.
  package private(set) var slower: [Slower] = []
  /// Those slower in the first.
  package private(set) var faster: [Slower] = []
  /// What rules say of the second alone, and of the first alone.
  package private(set) var newVerdicts: [Verdict] = []
  package private(set) var goneVerdicts: [Verdict] = []
  /// How many launches both have.
  package private(set) var lifeCount = 0
  /// What was looked at of the first, and of the second.
  package private(set) var scopes = (left: Scope(), right: Scope())

  /// How much of a recording took part in the comparison.
  package struct Scope: Sendable, Equatable {
    /// All of its events.
    package var events = 0
    /// Those that were compared.
    package var compared = 0
    /// Those of kinds that are not compared, by the name of the kind.
    package var leftOut: [String: Int] = [:]

    /// Whether more was left out than compared.
    package var isSmall: Bool { events - compared > compared }
  }

  /// Whether nothing differs.
  package var isEqual: Bool {
    differenceCount == 0 && lone.isEmpty && slower.isEmpty && faster.isEmpty
      && newVerdicts.isEmpty && goneVerdicts.isEmpty
  }

  /// Compares `left` with `right`, and judges both alike; `progress` hears of events passed.
  package init(
    _ left: Timeline,
    _ right: Timeline,
    by judgement: Judgement,
    progress: (Int) -> Void = { _ in }
  ) {
    var words = Lanes.Words()
    let ours = RunShape(left, &words, progress: progress)
    let theirs = RunShape(right, &words) { progress(left.count + $0) }
    compare(ours, theirs, left, right, words)
    (scopes.left.events, scopes.left.leftOut) = (left.count, ours.leftOut)
    (scopes.right.events, scopes.right.leftOut) = (right.count, theirs.leftOut)
    time(ours, theirs, words)
    judge(left, right, judgement)
  }

  // MARK: What happened

  private mutating func compare(
    _ ours: RunShape,
    _ theirs: RunShape,
    _ left: Timeline,
    _ right: Timeline,
    _ words: Lanes.Words
  ) {
    for label in ours.labels where theirs.lives[label] == nil {
      lone.append(Lone(life: label, isLeft: true))
    }
    for label in theirs.labels where ours.lives[label] == nil {
      lone.append(Lone(life: label, isLeft: false))
    }
    for (number, label) in ours.labels.enumerated() {
      guard let life = ours.lives[label], let other = theirs.lives[label] else { continue }
      lifeCount += 1
      let lanes = Set(life.lanes.keys).union(other.lanes.keys)
      for lane in lanes.sorted(by: { words[$0] < words[$1] }) {
        let (mine, its) = (life.lanes[lane] ?? [], other.lanes[lane] ?? [])
        scopes.left.compared += mine.count
        scopes.right.compared += its.count
        let alignment = SequenceAlignment(mine.map(\.key), its.map(\.key))
        for stretch in alignment.stretches {
          differenceCount += 1
          guard differences.count < Self.differencesMax else { continue }
          var found = Difference(
            life: label,
            lane: words[lane],
            left: Self.entries(mine[stretch.left], life, left),
            right: Self.entries(its[stretch.right], other, right),
            leftCount: stretch.left.count,
            rightCount: stretch.right.count,
            time: 0,
            lifeNumber: number
          )
          if stretch.left.lowerBound > 0, stretch.right.lowerBound > 0 {
            let (before, its) = (
              mine[stretch.left.lowerBound - 1], its[stretch.right.lowerBound - 1]
            )
            found.common = (Self.entry(before, life, left), Self.entry(its, other, right))
          }
          // By the first recording; where that has nothing there, by what both have before.
          found.time =
            found.left.first?.time ?? found.common?.left.time ?? found.right.first?.time ?? 0
          differences.append(found)
        }
      }
    }
    differences.sort { ($0.lifeNumber, $0.time, $0.lane) < ($1.lifeNumber, $1.time, $1.lane) }
  }

  private static func entries(
    _ items: ArraySlice<RunShape.Item>,
    _ life: RunShape.Life,
    _ timeline: Timeline
  ) -> [Entry] {
    items.prefix(entriesMax).map { entry($0, life, timeline) }
  }

  private static func entry(
    _ item: RunShape.Item,
    _ life: RunShape.Life,
    _ timeline: Timeline
  ) -> Entry {
    let stream = StreamID(rawValue: UInt32(item.stream))
    let place = EventPlace(stream: stream, index: item.index)
    let event = timeline.event(at: place)
    return Entry(
      number: timeline.number(of: place),
      time: timeline.orderTime(of: place) &- life.start,
      sentence: EventText.sentence(event, timeline.names)
        + (item.isOfOtherBytes ? ", in other bytes than its edit had" : ""),
      source: EventText.source(event.site, timeline.names)
    )
  }

  // MARK: How long it took

  /// What is slower on one side: each length there is above all on the other, and the medians are apart.
  private mutating func time(_ ours: RunShape, _ theirs: RunShape, _ words: Lanes.Words) {
    for (what, mine) in ours.lengths {
      guard let its = theirs.lengths[what] else { continue }
      let (left, right) = (mine.sorted(), its.sorted())
      guard let leftMin = left.first, let leftMax = left.last, let rightMin = right.first,
        let rightMax = right.last
      else { continue }
      let found = Slower(
        app: what.app,
        what: Self.name(what, words),
        left: left[left.count / 2],
        right: right[right.count / 2],
        leftCount: left.count,
        rightCount: right.count
      )
      if rightMin > leftMax, found.isBeyondNoise(found.left, found.right) {
        slower.append(found)
      } else if leftMin > rightMax, found.isBeyondNoise(found.right, found.left) {
        faster.append(found)
      }
    }
    slower.sort { ($1.right - $1.left, $0.what) < ($0.right - $0.left, $1.what) }
    faster.sort { ($1.left - $1.right, $0.what) < ($0.left - $0.right, $1.what) }
  }

  /// Such as `applicationDidEnterBackground`, `draft.txt: save`.
  private static func name(_ what: RunShape.Timed, _ words: Lanes.Words) -> String {
    let (lane, key) = (words[what.lane], words[what.key])
    if lane == "callbacks" { return String(key.drop { $0 != " " }.dropFirst()) }
    if key.hasPrefix("data.") { return "\(lane), a save" }
    return lane == "life" ? key : lane
  }

  // MARK: What rules say

  private mutating func judge(_ left: Timeline, _ right: Timeline, _ judgement: Judgement) {
    let (ours, theirs) = (Self.verdicts(left, judgement), Self.verdicts(right, judgement))
    let report = CheckReport()
    func prints(_ verdicts: [Verdict]) -> Set<Fingerprint> {
      Set(verdicts.map { Fingerprint($0, report) })
    }
    let (known, found) = (prints(ours), prints(theirs))
    newVerdicts = theirs.filter { !known.contains(Fingerprint($0, report)) }
    goneVerdicts = ours.filter { !found.contains(Fingerprint($0, report)) }
  }

  private static func verdicts(_ timeline: Timeline, _ judgement: Judgement) -> [Verdict] {
    var judge = Judge(timeline, judgement.checker)
    judge.judge(timeline.lives)
    return judge.checker.violations
  }
}

extension RunComparison.Slower {
  /// Below this a difference is not told, in nanoseconds; nor below a quarter.
  private static let lengthMin = Int64(10_000_000)
  /// The same where something was timed fewer than ``timesMin`` times: a single one has no noise to
  /// compare with, so the longer has to be twice as long as well.
  private static let lengthMinOfFew = Int64(100_000_000)
  private static let timesMin = 3

  fileprivate func isBeyondNoise(_ less: Int64, _ more: Int64) -> Bool {
    if min(leftCount, rightCount) < Self.timesMin {
      return more &- less >= Self.lengthMinOfFew && more / 2 >= less
    }
    return more &- less >= Self.lengthMin && more / 5 * 4 >= less
  }
}
