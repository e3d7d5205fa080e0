// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace

/// The second pass over a log: from facts to the lives of apps.
///
///     let lives = LogFold(facts).run()
///
/// Facts are reported in order of time, those of one process in the order it wrote them: daemons'
/// lines are out of order among themselves.
struct LogFold {
  /// Processes of apps that are distinguished.
  static let livesMax = 65_536
  /// A launch that is asked for comes to life within this.
  static let launchMax: Int64 = 60_000_000_000

  var names: Names
  let apps: LogApps
  private(set) var lives: [LogLife] = []
  /// The life before, of the same app.
  private(set) var previous: [Int?] = []
  /// The names of the files, by process of the log.
  private let files: [NameID]
  private let facts: [LogFact]
  private let lastTime: Int64
  /// The words of the patterns, by number.
  private let words: [NameID]
  private let clock: LogClock
  private let map: LogMap?
  /// The pids of the log's processes; 0 where its format does not say.
  private let pids: [UInt32]
  /// By app and pid, 0 where the log has none: when the process wrote its last line.
  private var latestLine: [UInt64: Int64] = [:]
  private var current: [Int?]
  private var lifeOfPid: [UInt64: Int] = [:]
  /// By app: the launch that was asked for last, until it has come to life.
  private var launches: [LogFact?]
  /// Writers whose reports of visibility mean something: they have seen some process visible.
  ///
  /// Daemons that do not watch scenes report `NotVisible` for all processes, and an app does for
  /// itself.
  private let seers: Set<UInt32>
  private var lockedFiles: [Int: [(time: Int64, line: UInt32, path: NameID, pid: UInt32)]] = [:]

  init(_ read: LogFacts) {
    var names = read.names
    apps = LogApps(read)
    let files = read.files.map { names.intern($0) }
    self.files = read.processes.map { files[$0.file] }
    facts = Self.inOrder(read.facts)
    lastTime = read.lastTime
    clock = read.clock
    map = read.map
    words = LogPattern.table.map { names.intern($0.words) }
    let visible = names.find("Visible")
    self.names = names
    seers = Set(
      read.facts.lazy.filter { $0.pattern.isUpdate && $0.other == visible }.map(\.writer)
    )
    pids = read.processes.map(\.pid)
    for (index, process) in read.processes.enumerated() {
      guard let app = apps.appOfProcess[index] else { continue }
      let key = UInt64(app) << 32 | UInt64(process.pid)
      latestLine[key] = max(latestLine[key] ?? .min, process.latest)
    }
    current = Array(repeating: nil, count: apps.apps.count)
    launches = Array(repeating: nil, count: apps.apps.count)
  }

  mutating func run() {
    for fact in facts where fact.pattern == .lockedFile {
      guard let app = apps.app(of: fact) else { continue }
      lockedFiles[app, default: []].append((fact.time, fact.line, fact.text, fact.pid))
    }
    for fact in facts { tell(fact) }
    for index in lives.indices where lives[index].state == .background {
      settle(index, before: lastTime)
    }
    for index in lives.indices {
      lives[index].numberPrivateTasks()
      lives[index].putInOrder(names)
      endWithLastLine(index)
      if !clock.steps.isEmpty { lives[index].show(clock) }
    }
  }

  /// A life that has no end is known up to the last line of its process, whatever that says.
  ///
  /// Things that it held then it has held all the time: no line reports their end.
  private mutating func endWithLastLine(_ index: Int) {
    let life = lives[index]
    guard !life.hasEnded, life.state != .suspended, life.pid != 0 || current[life.app] == index,
      let last = latestLine[UInt64(life.app) << 32 | UInt64(life.pid)], last > life.lastTime
    else { return }
    lives[index].events.append(
      Event(Payload.End(), at: HostTime(rawValue: last), observer: .import)
    )
  }

  /// By time, then by line: a stable order that keeps each process's own.
  private static func inOrder(_ facts: [LogFact]) -> [LogFact] {
    var isOrdered = true
    for index in facts.indices.dropFirst() where facts[index].order < facts[index - 1].order {
      isOrdered = false
      break
    }
    if isOrdered { return facts }
    let order = facts.indices.sorted {
      (facts[$0].order, $0) < (facts[$1].order, $1)
    }
    return order.map { facts[$0] }
  }

  private mutating func tell(_ fact: LogFact) {
    if fact.pattern == .boot { return endAll(before: fact) }
    guard let app = apps.app(of: fact), fact.pattern != .bundle,
      fact.pattern != .activity || current[app] != nil
    else { return }
    if fact.pattern == .launchRequest {
      // That a job is made says that there is none yet; the request before it says when it began.
      if fact.a == 1, var asked = launches[app], fact.time - asked.time <= Self.launchMax {
        asked.a = 1
        launches[app] = asked
      } else {
        launches[app] = fact
      }
      return
    }
    var fact = fact
    if fact.pattern == .stateUpdate, !seers.contains(fact.writer) { fact.other = .empty }
    guard apps.apps[app].role == .app || fact.pattern.isAboutLife || current[app] != nil else {
      return
    }
    // What was never seen is not seen to go.
    if fact.pattern == .gone, fact.pid == 0, current[app] == nil { return }
    guard let life = life(of: app, fact) else { return }
    settle(life, before: fact.time)
    if fact.pattern.isOwn && fact.bundle == .empty {
      lives[life].tellOwn(fact, &names)
    } else if fact.pattern.isReported {
      lives[life].tellReport(fact, &names)
    } else {
      lives[life].tellSystem(fact, &names)
    }
  }

  /// Five seconds after it entered the background its callback has returned.
  private mutating func settle(_ life: Int, before time: Int64) {
    let (sum, overflow) = lives[life].stateTime.addingReportingOverflow(
      LogLife.enterBackgroundMax
    )
    guard !overflow, lives[life].state == .background, !lives[life].hasSettled, sum < time,
      lives[life].enteredBackgroundItself != .min,
      let last = lives[life].events.last
    else { return }
    lives[life].hasSettled = true
    var fact = LogFact(.enterBackground)
    fact.line = names[last.site].line
    fact.writer = lives[life].lastWriter
    fact.time = sum
    lives[life].updatePossible(fact, &names, at: sum)
  }

  // MARK: Incarnations

  /// The process of `app` that `fact` is about; nil for one that is long gone.
  private mutating func life(of app: Int, _ fact: LogFact) -> Int? {
    let pid = pid(of: fact)
    if pid != 0, let now = current[app], lives[now].pid == pid, !lives[now].hasEnded { return now }
    if pid != 0, let known = lifeOfPid[UInt64(app) << 32 | UInt64(pid)] {
      guard lives[known].hasEnded else { return known }
      // Its pid may have been given again, to a process that has been launched since.
      let isAgain = launches[app].map { $0.a == 1 && $0.time >= lives[known].exitTime } ?? false
      // Lines about a dead process count for a moment: they contain the cause.
      if !isAgain { return fact.pattern.isAboutEnd ? known : nil }
    }
    let isApp = apps.apps[app].role == .app
    if let now = current[app], !lives[now].hasEnded {
      if pid == 0 {
        guard startsAnew(now, app, fact) else { return now }
      } else if lives[now].pid == 0, !startsAnew(now, app, fact) {
        lives[now].pid = pid
        lifeOfPid[UInt64(app) << 32 | UInt64(pid)] = now
        return now
      }
      if isApp {
        endUnseen(now, app, before: fact)
      }
    } else if let last = current[app], pid == 0 {
      if fact.pattern.isAboutEnd { return last }
      if !fact.pattern.isOwn, isAfterlife(last, app, fact) { return nil }
    }
    if fact.pattern == .gone, current[app] != nil { return nil }
    return begin(app, pid, fact)
  }

  /// Ends all that live when the system starts anew.
  private mutating func endAll(before fact: LogFact) {
    for life in current.compactMap({ $0 }) where !lives[life].hasEnded {
      settle(life, before: fact.time)
      lives[life].exit(
        fact,
        &names,
        cause: TerminationCause.reboot.rawValue,
        code: 0,
        evidence: fact.pattern.words
      )
    }
    for app in launches.indices { launches[app] = nil }
    lifeOfPid.removeAll()
  }

  /// Ends a process whose successor writes the line of `fact`.
  ///
  /// One that runs is heard of, so it ended behind its last line. One that may be suspended is silent, so
  /// all that is known is that it is gone now.
  private mutating func endUnseen(_ life: Int, _ app: Int, before fact: LogFact) {
    let pid = lives[life].pid
    let heard = pid == 0 ? nil : latestLine[UInt64(app) << 32 | UInt64(pid)]
    var last = max(lives[life].lastTime, lives[life].started)
    if let heard { last = max(last, min(heard, fact.time)) }
    settle(life, before: fact.time)
    let maySleep = lives[life].state == .suspended || lives[life].isSuspensionPossible
    var end = fact
    end.time = maySleep ? max(last, fact.time) : last
    lives[life].exit(
      end,
      &names,
      cause: "unknown",
      code: 0,
      evidence: maySleep ? ExitEvidence.beforeSuccessor : ExitEvidence.behindLastLine
    )
  }

  /// Whether a daemon's line is still about the process that has ended.
  private func isAfterlife(_ life: Int, _ app: Int, _ fact: LogFact) -> Bool {
    if names[fact.text].hasPrefix("none") || names[fact.text].hasPrefix("Not") { return true }
    return launches[app] == nil && fact.time - lives[life].exitTime < 2 * LogLife.reportDelay
  }

  /// The pid of the process that `fact` is about, or 0.
  private func pid(of fact: LogFact) -> UInt32 {
    let isOwn = fact.pid == 0 && fact.bundle == .empty && fact.pattern.isOwn
    return isOwn ? pids[Int(fact.writer)] : fact.pid
  }

  /// Whether a line without a pid is of a new process.
  private func startsAnew(_ life: Int, _ app: Int, _ fact: LogFact) -> Bool {
    let (state, started) = (lives[life].state, lives[life].started)
    if let launch = launches[app], launch.a == 1, launch.time > started,
      fact.time - launch.time <= Self.launchMax
    {
      return true
    }
    return fact.pattern == .finishLaunching && state != .unknown && state != .notRunning
      && fact.time - started > Self.launchMax
  }

  private mutating func begin(_ app: Int, _ pid: UInt32, _ fact: LogFact) -> Int? {
    guard lives.count < Self.livesMax else { return nil }
    let launch = launches[app].flatMap { fact.time - $0.time <= Self.launchMax ? $0 : nil }
    launches[app] = nil
    var life = LogLife(
      app: app,
      files: files,
      words: words,
      pid: pid,
      started: launch?.time ?? fact.time
    )
    life.map = map
    life.tellsActivity = apps.apps[app].tellsActivity
    life.isManaged = apps.apps[app].isManaged
    life.backgroundTimes = apps.apps[app].backgroundTimes
    life.lockedFiles = (lockedFiles[app] ?? []).filter { pid == 0 || $0.pid == 0 || $0.pid == pid }
      .map { ($0.time, $0.line, $0.path) }
    let isStart = fact.pattern == .bootstrap || fact.pattern == .tracked
    if let start = launch ?? (isStart ? fact : nil) {
      let id = names.intern(apps.apps[app].id)
      life.emit(Payload.ProcessStart(previous: 0, reason: .empty, app: id), start, &names)
      life.state = .notRunning
      life.isLaunching = true
    }
    lives.append(life)
    previous.append(apps.apps[app].role == .app ? current[app] : nil)
    let index = lives.count - 1
    current[app] = index
    if pid != 0 { lifeOfPid[UInt64(app) << 32 | UInt64(pid)] = index }
    return index
  }
}

extension LogPattern {
  /// Whether it reports the end of a process, and so may come after it.
  fileprivate var isAboutEnd: Bool {
    switch self {
    case .exited, .gone, .memoryKill, .terminating, .crashed, .reportEnd: true
    default: false
    }
  }

  /// Whether it says enough to make a life of: a mere priority does not.
  fileprivate var isAboutLife: Bool {
    switch self {
    case .jetsamPriority, .darwinRole, .gone, .expireSoon, .activity, .launchRequest, .workspace,
      .tracked, .unmanaged, .memoryLimit, .memoryLimits, .sceneMode, .sceneAction, .assertionTaken,
      .assertionDropped, .assertionTimedOut:
      false
    default: true
    }
  }
}
