// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRecorder
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import TestThreads
import Testing

/// Who follows a recording has at each number what the finished file has there, whoever is killed
/// meanwhile; LIFETRACE_TEST_SCALE=100 makes it 200 recordings.
@Suite(.serialized, .waits) struct FollowerTests {
  /// What stood at a number when it was shown.
  private struct Shown {
    let number: Int
    let writer: WriterID
    let sequence: UInt64
    /// By stream: of those that had begun, the state.
    let states: [WriterID: LifeState]
  }

  /// Somebody who looks at a recording that is being made, and remembers some of what is shown.
  private final class Follower {
    let source: FileSource
    let player: Player
    private(set) var shown: [Shown] = []
    private var random: SeededRandom

    init(_ path: String, seed: UInt64) throws {
      var found: TraceReader?
      Front.wait {
        found = (try? TraceReader(path: path)).flatMap { $0.settledBytes > 0 ? $0 : nil }
        return found != nil
      }
      source = FileSource(try #require(found), isFollowing: true)
      player = Player(Timeline(source))
      random = SeededRandom(seed: seed)
      remember(after: 0)
    }

    /// Takes in what came; how often it had to look is nobody's business.
    func look() throws {
      let count = player.timeline.count
      _ = try source.look()
      player.grow()
      remember(after: count)
    }

    /// Until the recording has grown so often.
    func follow(growths: Int) throws {
      var left = growths
      for _ in 0..<60_000 where left > 0 {
        let count = player.timeline.count
        try look()
        if player.timeline.count > count { left -= 1 } else { usleep(1_000) }
      }
      #expect(left == 0)
    }

    /// The last number that came, and one of the others.
    private func remember(after count: Int) {
      let last = player.timeline.count
      guard last > count else { return }
      let some = Int.random(in: count + 1...last, using: &random)
      shown += [some, last].compactMap { Self.at($0, player) }
    }

    static func at(_ number: Int, _ player: Player) -> Shown? {
      player.seek(toEvent: number)
      guard let place = player.timeline.place(ofEvent: number) else { return nil }
      let event = player.timeline.event(at: place)
      let streams = player.timeline.streams
      let begun = streams.filter { player.cursor(of: $0.id) > 0 }
      return Shown(
        number: number,
        writer: streams[Int(event.stream.rawValue)].writer,
        sequence: event.sequence,
        states: Dictionary(
          uniqueKeysWithValues: begun.map { ($0.writer, player.state(of: $0.id)) }
        )
      )
    }
  }

  private func kill(_ pid: Int32) {
    #expect(Glibc.kill(pid, SIGKILL) == 0)
  }

  @Test func whatIsShownStays() throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    for round in 0..<UInt64(2 * KillTests.scale) {
      try follow(seed &+ round, killsRecorder: round.isMultiple(of: 2))
    }
  }

  private func follow(_ seed: UInt64, killsRecorder: Bool) throws {
    var random = SeededRandom(seed: seed)
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let front = try Front(
      [
        "--follow", "-o", output, "--", Recording.products + "/Emitter", "progress", path, "2", "0",
        "30",
      ],
      sessionsIn: directory
    )
    let recorder = try #require(front.recorder)
    var app: Int32?
    Front.wait {
      app = ProcFS.children(of: recorder).first
      return app != nil
    }
    let pid = try #require(app)
    KillTests.waitForAnEmit(path)
    let follower = try Follower(output, seed: seed)
    try follower.follow(growths: 2)
    usleep(UInt32(random.below(250_000)))
    if killsRecorder {
      kill(recorder)
      front.waitUntilRecorderIsGone(recorder)
      try follower.look()
      let session = try #require(SessionDirectory.orphans(in: [directory]).first)
      let adopted = try Recorder(adopting: session)
      try adopted.start()
      try follower.follow(growths: 2)
      kill(pid)
      _ = front.wait()
      while !adopted.livingProcesses.isEmpty { usleep(1_000) }
      _ = try adopted.stop()
    } else {
      kill(pid)
      #expect(front.wait() == 128 + SIGKILL)
    }
    try follower.look()
    #expect(follower.source.reader.hasEnd, "seed \(seed)")
    try compare(follower, output, seed)
  }

  /// The finished file, opened anew, and the follower itself say of each number what it has shown.
  private func compare(_ follower: Follower, _ output: String, _ seed: UInt64) throws {
    let reader = try TraceReader(path: output)
    let player = Player(Timeline(FileSource(reader)))
    #expect(player.timeline.count == follower.player.timeline.count, "seed \(seed)")
    #expect(follower.shown.count > 4)
    for shown in follower.shown {
      let later = try #require(Follower.at(shown.number, follower.player))
      let anew = try #require(Follower.at(shown.number, player))
      #expect(later.states == shown.states, "seed \(seed) #\(shown.number)")
      for there in [later, anew] {
        #expect(there.writer == shown.writer, "seed \(seed) #\(shown.number)")
        #expect(there.sequence == shown.sequence, "seed \(seed) #\(shown.number)")
      }
      #expect(anew.states.count == shown.states.count, "seed \(seed) #\(shown.number)")
      for (writer, state) in shown.states {
        // In the numbers that names have there.
        let bytes = state.encode(names: follower.source.names)
        let same = try LifeState(decoding: bytes, names: &reader.names)
        #expect(anew.states[writer] == same, "seed \(seed) #\(shown.number)")
      }
    }
  }
}
