// SPDX-License-Identifier: Apache-2.0

/// A device log made up from a seed, and the truth behind it.
///
///     let log = SampleLog(seed: 7, apps: 5, sessions: 12)
///     log.text(.console)                 // what an export would hold
///     log.lives[0].states                // what an import has to find
///
/// The lines have the shape of real ones; their content is invented here.
public struct SampleLog: Sendable {
  /// One line; times are microseconds since midnight before the first.
  public struct Line: Sendable {
    var time: Int64
    /// Where in the file it stands: daemons are written late.
    var place: Int64
    var process: Int
    var level = "default"
    var message: String
  }

  /// A process that writes lines.
  public struct Process: Sendable {
    var name: String
    var library: String
    var pid: Int
  }

  /// A background task.
  public struct Task: Sendable, Equatable {
    /// As UIKit numbers it.
    public var id: Int64
    /// As the app calls it.
    public var name: String
    /// Microseconds.
    public var begin: Int64
    /// Microseconds, or nil while open.
    public var end: Int64?

    /// A task.
    public init(id: Int64, name: String, begin: Int64, end: Int64? = nil) {
      self.id = id
      self.name = name
      self.begin = begin
      self.end = end
    }
  }

  /// One process of an app, as it really was.
  public struct Life: Sendable {
    /// The bundle id.
    public var app: String
    /// Its process id.
    public var pid: Int
    /// Each state with the microsecond in which it begins: the words of the import.
    public var states: [(time: Int64, state: String)] = []
    /// In order of their begin.
    public var tasks: [Task] = []
    /// When the system could have suspended it.
    public var possible: [(begin: Int64, end: Int64?)] = []
    /// Cause and code, if it ended.
    public var exit: (cause: String, code: UInt64)?
  }

  /// In order of their first line.
  public internal(set) var lives: [Life] = []
  /// In the order of the file.
  public internal(set) var lines: [Line] = []
  /// All writers; the apps' are added as they are launched.
  var processes: [Process]
  var random: SplitMix

  /// Makes a log of `apps` apps with up to `sessions` sessions each.
  ///
  /// - Parameters:
  ///   - seed: Decides everything.
  ///   - apps: How many apps live.
  ///   - sessions: How often each is used.
  ///   - noise: Lines of no interest for each one that matters.
  ///   - start: Microseconds since midnight.
  ///   - disorder: Daemons' lines stand up to so many microseconds late in the file.
  public init(
    seed: UInt64,
    apps: Int = 4,
    sessions: Int = 8,
    noise: Int = 6,
    start: Int64 = 36_000_000_000,
    disorder: Int64 = 200_000
  ) {
    random = SplitMix(seed: seed)
    processes = Self.daemons.enumerated().map { index, daemon in
      Process(name: daemon.0, library: daemon.1, pid: 30 + index * 7)
    }
    for index in 0..<apps {
      var app = AppActor(index: index, log: self, start: start + Int64(index) * 1_371_000)
      app.live(sessions: sessions)
      take(app)
    }
    addNoise(noise, disorder: disorder)
    lives.sort { ($0.states.first?.time ?? 0, $0.pid) < ($1.states.first?.time ?? 0, $1.pid) }
  }

  private mutating func take(_ app: AppActor) {
    lines += app.lines
    lives += app.lives
    processes = app.processes
    random = app.random
  }

  /// Lines between the lines, and the disorder of daemons.
  private mutating func addNoise(_ noise: Int, disorder: Int64) {
    lines.sort { ($0.time, $0.process) < ($1.time, $1.process) }
    var all: [Line] = []
    for line in lines {
      for _ in 0..<(noise == 0 ? 0 : random.below(UInt64(noise * 2 + 1))) {
        let process = Int(random.below(UInt64(Self.daemons.count)))
        let time = line.time - Int64(random.below(900))
        all.append(Line(time: time, place: time, process: process, message: noiseMessage()))
      }
      all.append(line)
    }
    // A daemon is late as a whole, so that its own lines stay in order.
    let delays = processes.indices.map {
      $0 < Self.daemons.count && disorder > 0 ? Int64(random.below(UInt64(disorder))) : 0
    }
    for index in all.indices { all[index].place = all[index].time + delays[all[index].process] }
    lines = all.enumerated().sorted {
      ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
    }.map(\.element)
  }

  private mutating func noiseMessage() -> String {
    let words = ["cell", "beacon", "lease", "quota", "rotor", "ledger", "gasket", "plume", "valve"]
    var message = "\(words[Int(random.below(9))]) \(random.below(100_000))"
    for _ in 0..<(2 + random.below(14)) { message += " \(words[Int(random.below(9))])" }
    switch random.below(40) {
    case 0: message += " {\n\tstate = \(random.below(9));\n\tnext = didn't;\n}"
    case 1: message = "[grid] " + message + " 0x" + String(random.next(), radix: 16)
    case 2: message = "Received " + message
    case 3: message = "Calculated " + message
    default: break
    }
    return message
  }

  static let daemons = [
    ("runningboardd", "RunningBoard"), ("SpringBoard", "FrontBoard"), ("gamepolicyd", "Policy"),
    ("UserEventAgent", "Events"), ("symptomsd", "Symptoms"), ("kernel", ""), ("dasd", "Activity"),
    ("locationd", "Core"),
  ]
}

/// A small generator with good bits: the same seed gives the same log everywhere.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins at `seed`.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// A number below `bound`, which is not 0.
  public mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }
}
