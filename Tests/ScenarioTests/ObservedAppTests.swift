// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetraceScenario
import LifetraceRules
import LifetraceTrace
import Support
import TestThreads
import Testing

/// `record --observe`: an app without the SDK has a ledger, its locks have places, and its main thread
/// is watched.
@Suite("An app that knows nothing of us, observed", .serialized, .waits)
struct ObservedAppTests {
  private static let source = "Tests/Fixtures/Unaware/main.c"

  private func play(
    _ steps: String,
    _ settings: String = "",
    app: String = "Unaware",
    patterns: [String] = ["*.txt"]
  ) throws -> Played {
    let text = "app: unaware\n\(settings)steps:\n- launch\n\(steps)\n"
    let scenario = try Scenario(parsing: text, file: "test.yml")
    let played = try Played(
      scenario,
      command: ["\(TestProgram.products)/\(app)"],
      profile: Played.patient(scenario),
      observing: patterns
    ) { try $0.play() }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.leftBehind == 0)
    return played
  }

  private func lost(_ word: String, then more: String = "") throws -> Played {
    try play("- tell: {\(word)}\n\(more)- reboot", "disk: 8MiB\n")
  }

  /// The line of the fixture on which `text` stands first.
  private func line(of text: String) throws -> UInt32 {
    let lines = try String(decoding: TestFile.read(Self.source), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    return UInt32(try #require(lines.firstIndex { $0.contains(text) }) + 1)
  }

  private func place(_ event: Event, in played: Played) -> String {
    let site = played.names[event.site]
    return "\(played.names[site.file]):\(site.line)"
  }

  @Test(
    "What was written and not synced is lost by a power cut",
    .needs(Machine.mounts, Machine.mountsAdvice),
    arguments: ["write: A", "replace: A", "print: A"]
  )
  func unsynced(word: String) throws {
    let played = try lost(word)
    let losses = played.violations.filter { $0.rule == "DS02" }
    let text = losses.map { "\($0.title) \($0.details)" }.joined()
    #expect(losses.count == 1, "\(played.violations)")
    #expect(text.contains("notes.txt"), "\(text)")
    #expect(text.contains("\(Self.source):"), "\(text)")
    #expect(played.violations.count == 1, "\(played.violations)")
  }

  @Test(
    "What was synced in time is not lost",
    .needs(Machine.mounts, Machine.mountsAdvice),
    arguments: ["save: A", "exchange: A"]
  )
  func synced(word: String) throws {
    let played = try lost(word)
    #expect(played.violations.isEmpty, "\(played.violations)")
    let durable = played.events(.dataDurable)
    #expect(durable.last?[1] == UInt64(DurabilityLevel.disk.rawValue))
    #expect(durable.allSatisfy { $0.observer == .observe })
    #expect(played.name(durable.last?.identity ?? 0) == "notes.txt")
  }

  @Test("A purge takes nothing that the kernel has: what was written stays")
  func purge() throws {
    let played = try play("- tell: {write: A}\n- home\n- suspend\n- purge\n- relaunch")
    #expect(played.violations.isEmpty, "\(played.violations)")
    #expect(played.events(.dataDirty).map { played.name($0.identity) } == ["notes.txt"])
  }

  @Test("A file that was emptied for a write that fails holds nothing of what was saved")
  func overfilled() throws {
    let steps = "- tell: {save: A}\n- tell: {overfill: B}\n- home\n- suspend\n- purge\n- relaunch\n"
    let played = try play(steps + "- tell: {open: read}")
    let failed = played.events(.dataFailed)
    #expect(failed.map { [$0[0], $0[1]] } == [[2, UInt64(EFBIG)]], "\(failed)")
    #expect(played.events(.dataDurable).allSatisfy { $0[0] == 1 })
    #expect(Set(played.violations.map(\.rule)) == ["DS01", "DS02", "DS12"], "\(played.violations)")
    // What is written behind it counts.
    let again = try play("- tell: {overfill: A}\n- tell: {save: B}\n- home\n- suspend\n- purge")
    #expect(again.violations.isEmpty, "\(again.violations)")
  }

  @Test("A kill between the emptying of a file and its first write takes what was saved before")
  func emptied() throws {
    let kill = "- home\n- suspend\n- purge\n- relaunch\n- tell: {open: read}"
    let played = try play("- tell: {save: A}\n- tell: {open: write}\n\(kill)")
    #expect(
      Set(played.violations.map(\.rule)) == ["DS01", "DS02", "DS03"],
      "\(played.violations)"
    )
    // One that is emptied on purpose is as it was left.
    let empty = try play("- tell: {save: A}\n- tell: {write: \"\"}\n\(kill)")
    #expect(empty.violations.isEmpty, "\(empty.violations)")
  }

  @Test("A kill in the middle of a save in place tears the file, once saves are known to be such")
  func torn() throws {
    let kill = "- home\n- suspend\n- purge\n- relaunch\n- tell: {open: read}"
    let played = try play("- tell: {write: A}\n- tell: {half: B}\n\(kill)")
    let loss = try #require(played.violations.first { $0.rule == "DS02" }, "\(played.violations)")
    #expect(Set(played.violations.map(\.rule)) == ["DS01", "DS02", "DS03"], "\(played.violations)")
    #expect("\(loss.details)".contains("It had emptied the file"), "\(loss)")
    #expect("\(loss)".contains("rename it into place"), "\(loss)")
    // One that is closed, one that is synced, and one that the end of the process closes, are whole.
    for done in ["{half: B}\n- tell: {close: it}", "{half: B}\n- tell: {sync: it}"] {
      let whole = try play("- tell: {write: A}\n- tell: \(done)\n\(kill)")
      #expect(whole.violations.isEmpty, "\(done): \(whole.violations)")
    }
    // Nobody knows of the first one whether it is a save, or a file that grows.
    let first = try play("- tell: {half: A}\n\(kill)")
    #expect(first.violations.isEmpty, "\(first.violations)")
  }

  @Test("Versions go on over launches")
  func versions() throws {
    let words = "- tell: {save: A}\n- tell: {save: B}\n- home\n- suspend\n- purge\n- relaunch\n"
    let played = try play(words + "- tell: {save: C}")
    #expect(played.events(.dataDirty).map { $0[0] } == [1, 2, 3])
    #expect(played.violations.isEmpty, "\(played.violations)")
  }

  @Test("A lock in the container that is held at the suspension is told with its line")
  func lock() throws {
    let group = try TestFolder()
    let path = "\(group.path)/shared.lock"
    let steps = "- tell: {lock: \(path)}\n- home\n- suspend"
    let played = try play(steps, "app-group: \(group.path)\n")
    let acquired = try #require(played.events(.resourceAcquire).first { $0.observer == .observe })
    #expect(played.name(acquired.identity) == path)
    #expect(
      place(acquired, in: played).hasSuffix(
        "\(Self.source):\(try line(of: "flock(locked, LOCK_EX)"))"
      )
    )
    let found = played.violations.filter { $0.rule == "RS06" }
    let text = found.map { "\($0.title) \($0.details)" }.joined()
    #expect(found.count == 1, "\(played.violations)")
    #expect(text.contains(path) && text.contains("main.c:"), "\(text)")
  }

  @Test("One that is given back in time, or lies where no other app looks, is no violation")
  func noLock() throws {
    let group = try TestFolder()
    let path = "\(group.path)/shared.lock"
    let steps = "- tell: {lock: \(path)}\n- tell: {unlock: \(path)}\n- tell: {lock: own.lock}\n"
    let played = try play(steps + "- home\n- suspend", "app-group: \(group.path)\n")
    #expect(played.violations.isEmpty, "\(played.violations)")
    #expect(played.events(.resourceRelease).count == 1)
  }

  @Test(
    "A transaction over the suspension is a lock, a database that is merely open is none",
    arguments: ["wal", "delete"],
    [("- tell: {begin: A}\n", true), ("- tell: {begin: A}\n- tell: {commit: A}\n", false)]
  )
  func transaction(journal: String, words: (String, Bool)) throws {
    let group = try TestFolder()
    let text =
      "app: database\napp-group: \(group.path)\nsteps:\n- launch\n\(words.0)- home\n- suspend\n"
    let scenario = try Scenario(parsing: text, file: "test.yml")
    let script = Golden.root + "/Tests/ScenarioTests/Fixtures/database.py"
    let played = try Played(
      scenario,
      command: ["python3", script, group.file("notes.sqlite"), journal],
      profile: Played.patient(scenario),
      observing: ["*.sqlite"]
    ) { try $0.play() }
    let found = played.violations.filter { $0.rule == "RS06" }
    #expect(found.count == (words.1 ? 1 : 0), "\(played.violations)")
    let locks = played.events(.resourceAcquire).filter { $0.observer == .observe }
    #expect(locks.allSatisfy { played.name($0.identity) == group.file("notes.sqlite") })
    let released = played.events(.resourceRelease).count
    #expect(locks.count - released == (words.1 ? 1 : 0))
    // A program without a name of its own goes by that of the scenario, not by its interpreter's.
    // Where `python3` is a script that looks for one, what it runs for that is launched as the app, too.
    let names = Set(played.streams.filter { $0.attributes.role == .app }.map(\.attributes.app))
    #expect(names == ["database"])
    // Whichever the journal, what was committed is on the disk.
    let synced = played.events(.dataDurable).filter {
      $0[1] == UInt64(DurabilityLevel.disk.rawValue)
    }
    #expect(!synced.isEmpty)
    #expect(Set(synced.map { played.name($0.identity) }) == [group.file("notes.sqlite")])
  }

  @Test("A long wait for a file on main is seen, and one off main is not")
  func main() throws {
    let played = try play("- tell: {wait: own.lock}\n- home")
    let found = played.verdicts().filter { $0.rule == "MT02" && $0.outcome == .violated }
    #expect(found.count == 1, "\(found)")
    let text = found.map { "\($0.title)" }.joined()
    #expect(text.contains("flock") && text.contains("main.c:"), "\(text)")
  }

  @Test("Threads that write at once each have their ledger")
  func threads() throws {
    let played = try play("- tell: {threads: 8}\n- home\n- suspend")
    let durable = played.events(.dataDurable).filter {
      $0[1] == UInt64(DurabilityLevel.disk.rawValue)
    }
    #expect(durable.count == 8 * 20)
    #expect(Set(durable.map { played.name($0.identity) }).count == 8)
    #expect(played.violations.isEmpty, "\(played.violations)")
  }

  @Test("An app with the SDK is one process, and what the SDK saves is told once")
  func withSDK() throws {
    let played = try play("- tell: {save: A}\n- home\n- suspend", app: "Probe", patterns: ["**"])
    let apps = played.streams.filter { $0.attributes.role == .app }
    #expect(apps.count == 1)
    #expect(played.events(.dataDirty).allSatisfy { $0.observer == .own })
    #expect(played.violations.isEmpty, "\(played.violations)")
  }
}
