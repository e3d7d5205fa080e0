// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDebugger
import LifetraceReplay
import LifetraceTimeline
import LifetraceTraceFile
import Support

/// The measured side of ``benchmarkWriters(_:)``: walks a recording and prints lines of a name and
/// figures.
///
/// A process of its own, so that the memory it has had is that of the walk: what is said of it is of one
/// prompt, before others are opened on files that are read anew. Processor time, because another
/// program may take the core for a while; but where the file must be read anew, time on the wall.
enum WalkChild {
  static let flag = "--walk-child"

  /// Walks the recording at `path`, with as many jumps, and ten times as many steps.
  static func run(_ path: String, jumps: Int) throws {
    let start = now()
    let player = try opened(path)
    print("open", milliseconds(since: start))
    let total = player.timeline.count
    steps(player, from: total / 2, count: jumps * 10)
    gotos(player, total, jumps)
    answers(player, total, path, max(1, jumps / 50))
    print("memory", megabytes())
    try coldGotos(path, total, max(1, jumps / 100))
  }

  private static func opened(_ path: String) throws -> Player {
    Player(Timeline(FileSource(try TraceReader(path: path, comparesPayloads: false))))
  }

  /// In a row, first forward and then the same way back, each with the state of the app there.
  private static func steps(_ player: Player, from: Int, count: Int) {
    var checksum = 0
    player.seek(toEvent: from)
    checksum &+= look(player)
    for (name, direction) in [("step", Direction.forward), ("back", .backward)] {
      var times: [Double] = []
      for _ in 0..<count {
        let start = processorTime()
        _ = try? player.step(direction)
        checksum &+= look(player)
        times.append(Double(processorTime() - start) / 1e3)
      }
      show(name, times, checksum)
    }
  }

  private static func gotos(_ player: Player, _ total: Int, _ jumps: Int) {
    var random = SeededRandom(seed: 7)
    var times: [Double] = []
    var checksum = 0
    for jump in 0..<jumps + jumps / 10 {
      let number = random.below(total) + 1
      let start = processorTime()
      player.seek(toEvent: number)
      checksum &+= look(player)
      // The first ones warm up.
      if jump >= jumps / 10 { times.append(Double(processorTime() - start) / 1e6) }
    }
    show("goto", times, checksum)
  }

  /// Each with a timeline of its own, of a file that the system has not in memory.
  private static func coldGotos(_ path: String, _ total: Int, _ jumps: Int) throws {
    var random = SeededRandom(seed: 9)
    var times: [Double] = []
    var checksum = 0
    for _ in 0..<jumps {
      let player = try opened(path)
      let file = open(path, O_RDONLY)
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      close(file)
      let start = now()
      player.seek(toEvent: random.below(total) + 1)
      checksum &+= look(player)
      times.append(milliseconds(since: start))
    }
    show("cold", times, checksum)
  }

  /// What `list 20` and `ps` take as a person has them: at a place just gone to, and again a step on.
  private static func answers(_ player: Player, _ total: Int, _ path: String, _ rounds: Int) {
    var random = SeededRandom(seed: 11)
    var times: [String: [Double]] = [:]
    var characters = 0
    let debugger = Debugger(player, options: DebuggerOptions(title: path)) {
      characters += $0.utf8.count
    }
    func time(_ name: String, _ command: String) {
      let start = processorTime()
      debugger.runAll([command])
      times[name, default: []].append(Double(processorTime() - start) / 1e6)
    }
    for _ in 0..<rounds {
      debugger.runAll(["goto \(random.below(total) + 1)"])
      time("list", "list 20")
      time("ps-first", "ps")
      debugger.runAll(["step"])
      time("ps", "ps")
    }
    for (name, times) in times.sorted(by: { $0.key < $1.key }) { show(name, times, characters) }
  }

  private static func look(_ player: Player) -> Int {
    Int(player.state(of: player.focus).appState.rawValue)
  }

  /// The most memory that this program has had so far; what `getrusage` says counts the one that started it.
  private static func megabytes() -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      guard strncmp(line, "VmHWM:", 6) == 0 else { continue }
      return Double(strtol(Array(line.dropFirst(6)), nil, 10)) / 1_024
    }
    return 0
  }

  private static func milliseconds(since start: UInt64) -> Double { Double(now() - start) / 1e6 }

  /// The middle one, the one in a hundred, the greatest.
  private static func show(_ name: String, _ times: [Double], _ checksum: Int) {
    let sorted = times.sorted()
    guard !sorted.isEmpty, checksum != 0 else { return }
    print(name, sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], sorted[sorted.count - 1])
  }
}
