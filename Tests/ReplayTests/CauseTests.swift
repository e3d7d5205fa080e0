// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Support
import Testing

/// The graph finds the causes that readers of the stories named before it was written.
///
/// A story names the cause of each of its findings in a line `# cause: notes#1:8`.
@Suite struct CauseTests {
  /// Stories whose cause is found to be another one, each with the reason.
  static let exceptions: [String: String] = [
    "BT13-broken": "the handler that ended the task is found: that nothing ran is no event",
    "DL02-broken-by-kill-locked": "that the work on the queue holds the lock is not recorded",
    "DS12-broken-torn":
      "the save that writes over is found, an event behind the edit that is named",
    "DS12-broken-unread": "the save is found by its begin, an event before the one that is named",
    "RS24-broken": "the call for the later URL is found, which shows that the first was dropped",
  ]

  static let stories = Golden.stories(with: "story.txt").filter {
    Golden.text("\($0)/story.txt")?.contains("\n# cause: ") == true
  }

  @Test(arguments: stories)
  func theNamedCauseIsFound(_ folder: String) throws {
    let told = try Told(folder)
    let found = told.causes
    let isException = Self.exceptions[told.name] != nil
    for cause in told.named {
      #expect(
        found.contains { $0.first == cause } != isException,
        "\(told.name): named \(cause), found \(found)"
      )
    }
  }

  /// How many are found, and what is found instead of the others.
  @Test func theTableOfHits() throws {
    var misses: [String] = []
    var count = 0
    for folder in Self.stories {
      let told = try Told(folder)
      count += told.named.count
      for cause in told.named where !told.causes.contains(where: { $0.first == cause }) {
        misses.append("\(told.name)  named \(cause)  found \(told.causes)")
      }
    }
    print("\(count - misses.count) of \(count) named causes are found")
    for line in misses { print(line) }
    #expect(misses.count == Self.exceptions.count)
    #expect(count >= 91)
  }
}

/// Arrows that no story needs alone.
@Suite struct CauseArrowTests {
  private static let begin = """
    app notes#1 pid=12 profile=ios13
    +0s     notes#1 main process.start reason=icon app=notes
    +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
    +0.06s  notes#1 main state.transition from=inactive to=active by=host

    """

  /// The chain of the first finding of a rule: `#3 began`, and what led to the cause before it.
  private func chain(_ rule: String, _ events: String) throws -> [String] {
    let source = try Story.parse(Self.begin + events).source
    let player = Player(Timeline(source))
    let found = Judgement().checker(of: source).finish()
    let verdict = try #require(
      found.first { $0.rule == rule && $0.outcome == .violated },
      "\(found.filter { $0.outcome == .violated })"
    )
    let chain = try #require(player.causes(of: verdict))
    return (chain.origins + chain.steps).map {
      "\(player.timeline.event(at: $0.place).sequence) \($0.relation?.rawValue ?? "here")"
    }
  }

  @Test("A wait on main leads to the work that holds what it waits for")
  func waitForWork() throws {
    let events = """
      +1s     notes#1 t7   work.begin index kind=database queue=indexing id=1 @Notes/Index.swift:31
      +2s     notes#1 main turn.begin id=2
      +2.001s notes#1 main wait.begin rows id=3 on=indexing @Notes/List.swift:30
      +5s     notes#1 t7   work.end id=1
      +5.001s notes#1 main wait.end id=3
      +5.002s notes#1 main turn.end id=2
      """
    #expect(
      try chain("DL11", events) == [
        "3 held what it waits for", "5 longest part", "4 began", "8 here",
      ]
    )
  }

  @Test("Two threads that wait for each other make no endless chain")
  func deadlock() throws {
    let events = """
      +1s     notes#1 main turn.begin id=1
      +1.1s   notes#1 t7   work.begin index kind=database queue=a id=2 @Notes/Index.swift:31
      +1.2s   notes#1 t7   wait.begin rows id=3 on=b @Notes/Index.swift:32
      +1.3s   notes#1 main work.begin show kind=database queue=b id=4 @Notes/List.swift:30
      +1.4s   notes#1 main wait.begin rows id=5 on=a @Notes/List.swift:31
      +12s    notes#1 main process.exit cause=watchdog code=0x8badf00d by=host
      """
    #expect(try chain("DL11", events).last == "8 here")
  }

  @Test("A lost edit leads to the end of the task that was to cover its save")
  func taskEndedTooEarly() throws {
    let events = """
      +2s     notes#1 main data.dirty draft.txt version=1 bytes=12 @Notes/Editor.swift:41
      +3s     notes#1 main state.transition from=active to=inactive cause=home by=host
      +3.01s  notes#1 main state.transition from=inactive to=background by=host
      +3.011s notes#1 main callback.begin applicationDidEnterBackground: id=5 @Notes/App.swift:36
      +3.012s notes#1 main task.begin id=7 name=save granted=30s handler=true @Notes/App.swift:38
      +3.013s notes#1 t7   data.flushing draft.txt version=1 @Notes/Store.swift:18
      +3.014s notes#1 main task.end id=7 @Notes/App.swift:41
      +3.015s notes#1 main callback.end id=5
      +3.2s   notes#1 main state.suspend by=host
      +9s     notes#1 main state.purge cause=memory by=host
      +9.01s  notes#1 main process.exit cause=purge code=0x9 by=recorder
      """
    #expect(
      try chain("DS02", events).prefix(4) == [
        "4 led to it", "5 led to it", "6 inside", "9 task ended",
      ]
    )
  }

  @Test("A wake that was not answered leads to what kept main from it")
  func wakeNotAnswered() throws {
    let events = """
      +2s     notes#1 main state.transition from=active to=inactive cause=home by=host
      +2.01s  notes#1 main state.transition from=inactive to=background by=host
      +3s     notes#1 main wake.begin id=1 reason=push budget=30s by=host
      +3.01s  notes#1 main callback.begin application:didReceiveRemoteNotification: id=2 @Notes/App.swift:60
      +3.02s  notes#1 main wait.begin fetched id=3 on=network @Notes/Sync.swift:9
      +33.1s  notes#1 main process.exit cause=watchdog code=0x2182bad4 by=host
      """
    #expect(
      try chain("DL09", events).suffix(4) == [
        "7 longest part", "6 longest part", "5 still open", "8 here",
      ]
    )
  }
}

/// Causes of a recording with more to find than a story has.
@Suite struct ManyCausesTests {
  @Test("What was looked for once is not looked for again for the next finding")
  func arrowsAreFoundOnce() throws {
    let count = 100
    let edits = (0..<count).map {
      "+\(2 + Double($0) / 1_000)s notes#1 main data.dirty file-\($0).txt version=1 bytes=12"
    }
    let story = """
      app notes#1 pid=12 profile=ios13
      +0s     notes#1 main process.start reason=icon app=notes
      +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
      +0.06s  notes#1 main state.transition from=inactive to=active by=host
      \(edits.joined(separator: "\n"))
      +3s     notes#1 main state.transition from=active to=inactive cause=home by=host
      +3.01s  notes#1 main state.transition from=inactive to=background by=host
      +3.2s   notes#1 main state.suspend by=host
      +9s     notes#1 main state.purge cause=memory by=host
      +9.01s  notes#1 main process.exit cause=purge code=0x9 by=recorder
      """
    let source = try Story.parse(story).source
    let player = Player(Timeline(source))
    let found = Judgement().checker(of: source).finish().filter { $0.outcome == .violated }
    #expect(found.count { $0.rule == "DS02" } == count)
    var causes: Set<EventPlace> = []
    for verdict in found { causes.insert(try #require(player.causes(of: verdict)).cause) }
    #expect(causes.count >= count)
    // Each edit, as far as the suspension and as far as the end, and those ends themselves.
    #expect(player.causesKnown.searches <= 2 * count + 10, "\(player.causesKnown.searches)")
  }
}

/// A story, the causes that a reader named in it, and those that are found.
private struct Told {
  let name: String
  let named: [String]
  /// By finding: its chain by the names of its events, the cause first.
  let causes: [[String]]

  init(_ folder: String) throws {
    let text = try #require(Golden.text("\(folder)/story.txt"))
    name = String(folder.dropFirst("Traces/".count))
    named = text.split(separator: "\n").filter { $0.hasPrefix("# cause: ") }
      .map { String($0.dropFirst("# cause: ".count)) }
    let source = try Story.parse(text).source
    let rules = try RuleSelection(Golden.rules(of: folder, text))
    let player = Player(Timeline(source))
    causes = Judgement(rules: rules).checker(of: source).finish()
      .filter { $0.outcome == .violated }
      .compactMap { verdict in
        player.causes(of: verdict)?.steps.map { "\(player.name(of: $0.place))" }
      }
  }
}
