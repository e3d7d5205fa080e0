// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords
import Support
import Testing

/// Who is to blame for a wait, and what was done meanwhile.
@Suite("Waits are explained by what others did meanwhile") struct WaitCauseTests {
  private static let begin = """
    app notes#1 pid=12 profile=ios13
    app bank#1 pid=13 role=server
    +0s     notes#1 main process.start reason=icon app=notes
    +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
    +0.06s  notes#1 main state.transition from=inactive to=active by=host

    """

  /// The cause of the first violation of a rule, and what is remarked about it.
  private func why(_ rule: String, _ events: String) throws -> (cause: String, remarks: String) {
    let source = try Story.parse(Self.begin + events).source
    let player = Player(Timeline(source))
    let found = Judgement().checker(of: source).finish()
    let verdict = try #require(found.first { $0.rule == rule && $0.outcome == .violated })
    let told = try player.why(verdict)
    let cause = try #require(told.cause)
    return ("\(player.name(of: cause))", told.remarks.map { "\($0)" }.joined(separator: "\n"))
  }

  @Test("Two threads that wait for each other's lock, until the watchdog ends them")
  func deadlock() throws {
    let events = """
      +1s     notes#1 main callback.begin applicationWillEnterForeground: id=1
      +1.01s  notes#1 main resource.acquire store class=lock
      +1.02s  notes#1 t7   resource.acquire cache class=lock
      +1.03s  notes#1 main wait.begin lock id=2 on=cache @Notes/List.swift:30
      +1.04s  notes#1 t7   wait.begin lock id=3 on=store @Notes/Index.swift:31
      """
    let end = "\n+11.2s  notes#1 main process.exit cause=watchdog code=0x8badf00d by=host"
    let told = try why("DL04", events + end)
    let words = "Main has store and waits for cache, t7 has cache and waits for store: a deadlock."
    #expect(told.remarks.contains(words), "\(told.remarks)")
    // Where the other one goes on there is none.
    let passed = """

      +2s     notes#1 main resource.release store class=lock
      +2.1s   notes#1 t7   wait.end id=3
      """
    #expect(try !why("DL04", events + passed + end).remarks.contains("deadlock"))
  }

  @Test("A lock that went from hand to hand: whoever had it for the longest part")
  func handedOn() throws {
    let told = try why(
      "DL11",
      """
      +1s     notes#1 t7   resource.acquire index class=lock
      +1.02s  notes#1 main turn.begin id=1
      +1.021s notes#1 main wait.begin lock id=2 on=index @Notes/List.swift:30
      +1.05s  notes#1 t7   resource.release index class=lock
      +1.051s notes#1 t8   resource.acquire index class=lock
      +1.06s  notes#1 t8   work.begin sort kind=compute id=3 @Notes/Index.swift:31
      +1.45s  notes#1 t8   work.end id=3
      +1.46s  notes#1 t8   resource.release index class=lock
      +1.461s notes#1 main wait.end id=2
      +1.47s  notes#1 main turn.end id=1
      """
    )
    #expect(told.cause == "notes#1:7")
    #expect(
      told.remarks.contains(
        "Meanwhile index was held for 29 ms by t7 (notes#1:3), for 409 ms by t8 (notes#1:7)."
      ),
      "\(told.remarks)"
    )
    #expect(
      told.remarks.contains(
        "Of 409 ms that it had it, t8 spent 390 ms in work \"sort\" at Notes/Index.swift:31."
      ),
      "\(told.remarks)"
    )
  }

  @Test("A lock that was taken long before the wait, and one that its thread takes twice")
  func longBefore() throws {
    let between = (0..<5_000).map { "+1.0\($0 + 1_000)s notes#1 t9 log \"on\" text=\"on\" level=1" }
    let told = try why(
      "DL11",
      (["+1s notes#1 t7 resource.acquire index class=lock"] + between + [
        "+2s    notes#1 main turn.begin id=1",
        "+2.1s  notes#1 t7   resource.acquire index class=lock",
        "+2.11s notes#1 main wait.begin lock id=2 on=index @Notes/List.swift:30",
        "+2.2s  notes#1 t7   resource.release index class=lock",
        "+2.6s  notes#1 t7   resource.release index class=lock",
        "+2.61s notes#1 main wait.end id=2", "+2.62s notes#1 main turn.end id=1",
      ]).joined(separator: "\n")
    )
    #expect(told.cause == "notes#1:3", "\(told)")
    #expect(told.remarks.contains("was held for 490 ms by t7 (notes#1:3)."), "\(told.remarks)")
  }

  @Test("Holds of long before the wait count, and what the waiting thread gives back is its own")
  func countedBefore() throws {
    let between = (0..<5_000).map { "+1.0\($0 + 1_000)s notes#1 t9 log \"on\" text=\"on\" level=1" }
    let taken = (1...2).map { "+1.00000\($0)s notes#1 t7 resource.acquire index class=lock" }
    let told = try why(
      "DL11",
      (taken + between + [
        "+2s    notes#1 main resource.acquire index class=lock",
        "+2.01s notes#1 main resource.release index class=lock",
        "+2.02s notes#1 main turn.begin id=1",
        "+2.11s notes#1 main wait.begin lock id=2 on=index @Notes/List.swift:30",
        "+2.2s  notes#1 t7   resource.release index class=lock",
        "+2.6s  notes#1 t7   resource.release index class=lock",
        "+2.61s notes#1 main wait.end id=2", "+2.62s notes#1 main turn.end id=1",
      ]).joined(separator: "\n")
    )
    #expect(told.cause == "notes#1:3", "\(told)")
    #expect(told.remarks.contains("was held for 490 ms by t7 (notes#1:3)."), "\(told.remarks)")
  }

  /// The holder of a lock asks a server, which takes its time.
  private static let asking = """
    +1s     notes#1 t7   resource.acquire index class=lock
    +1.001s notes#1 t7   message.send flow=77 peer=bank bytes=10
    +1.002s notes#1 t7   wait.begin answer id=2 on=bank @Notes/Sync.swift:12
    +1.003s bank#1  main message.receive flow=77 peer=notes bytes=10
    +1.004s bank#1  main work.begin check kind=database id=4 @Bank/Fraud.swift:7
    +1.01s  notes#1 main turn.begin id=1
    +1.011s notes#1 main wait.begin lock id=3 on=index @Notes/List.swift:30
    +1.5s   bank#1  main work.end id=4
    +1.501s bank#1  main message.send flow=78 peer=notes bytes=3
    +1.502s notes#1 t7   wait.end id=2
    +1.503s notes#1 t7   message.receive flow=78 peer=bank bytes=3
    +1.504s notes#1 t7   resource.release index class=lock
    +1.505s notes#1 main wait.end id=3
    +1.51s  notes#1 main turn.end id=1
    """

  @Test("A lock whose holder waited for an answer: what the other side did")
  func holderWaits() throws {
    let told = try why("DL11", Self.asking)
    #expect(told.cause == "bank#1:1")
    let bank =
      "bank#1 answered 498 ms after the request had come in, bank#1:0: 496 ms in work \"check\" at "
      + "Bank/Fraud.swift:7."
    #expect(told.remarks.contains(bank), "\(told.remarks)")
  }

  @Test("An answer that is not in the recording leaves the wait as the cause")
  func unrecorded() throws {
    let alone = Self.asking.split(separator: "\n").filter { !$0.contains("bank#1 ") }
    let told = try why("DL11", alone.joined(separator: "\n"))
    #expect(told.cause == "notes#1:5", "\(told)")
    #expect(!told.remarks.contains("bank#1 answered"))
  }

  @Test("A deadline that was closed late is told with where the time went")
  func deadline() throws {
    let told = try why(
      "DL14",
      """
      +1s     notes#1 main deadline.open sync id=9 budget=100ms @Notes/Sync.swift:12
      +1.001s notes#1 main work.begin rounding kind=compute id=1 @Notes/Sync.swift:13
      +1.181s notes#1 main work.end id=1
      +1.182s notes#1 main deadline.close id=9
      """
    )
    #expect(
      told.remarks.contains(
        "Of 182 ms on main: 180 ms in work \"rounding\" at Notes/Sync.swift:13, 2 ms not accounted for."
      ),
      "\(told.remarks)"
    )
  }
}
