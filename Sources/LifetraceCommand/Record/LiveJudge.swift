// SPDX-License-Identifier: GPL-3.0-or-later
import CLifetracePlatform
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

/// Tells violations while a recording grows, in a process of its own that only reads the file.
///
///     let live = LiveJudge(of: path, judgement, acceptance, report, stopOn: .error)
///     let process = live.start()
///     …
///     let hasStopped = process?.end() ?? false
///
/// Whatever becomes of that process, the recording is whole: it has no part in it. A verdict is told
/// once its chunk is sealed; what can only be said at the end of a process is told when it has ended.
struct LiveJudge {
  let path: String
  let judgement: Judgement
  let acceptance: Acceptance
  let report: CheckReport
  /// From what on the command is ended.
  let stopOn: FailOn

  /// As process lists call it.
  static let name = "lifetrace-judge"
  /// Chunks are sealed after this, so that they can be judged.
  static let sealAfter: Int64 = 250_000_000
  /// The file is looked at this often, in milliseconds, and less often when that takes long.
  private static let interval: Int64 = 200
  /// A look takes at most one part in so many of the time.
  private static let share: Int64 = 10
  /// Its exit code where it has ended the command.
  private static let hasStopped: Int32 = 3

  /// The process that judges.
  struct Process {
    fileprivate let pid: Int32

    /// Ends it; whether it has ended the command.
    func end() -> Bool {
      // Its signals may be blocked, as those of whatever has started this.
      kill(pid, SIGKILL)
      var result = cplatform_wait_result()
      guard cplatform_wait(pid, 0, 0, 1, &result) == 0 else { return false }
      return result.change == Int32(bitPattern: CPLATFORM_EXITED.rawValue)
        && result.value == LiveJudge.hasStopped
    }
  }

  /// Starts it, before this process has threads; nil where the system gives no process.
  func start() -> Process? {
    let front = getpid()
    let pid = cplatform_fork()
    if pid == 0 { exit(run(front)) }
    return pid > 0 ? Process(pid: pid) : nil
  }

  // MARK: In its process

  /// What a verdict is known by, in whatever state of the file.
  private struct Told: Hashable {
    var writer: WriterID
    var sequence: UInt64
    var rule: String
    var title: String
  }

  private func run(_ front: Int32) -> Int32 {
    cplatform_name_thread(Self.name)
    _ = cplatform_set_parent_death_signal(SIGKILL)
    // They are meant for the command; this ends with the recording.
    for number in [SIGINT, SIGQUIT, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    var told: Set<Told> = []
    var size: Int64 = -1
    var wait = Self.interval
    var acceptance = acceptance
    while getppid() == front {
      poll(nil, 0, Int32(clamping: wait))
      var facts = stat()
      guard stat(path, &facts) == 0, Int64(facts.st_size) != size else { continue }
      size = Int64(facts.st_size)
      let before = cplatform_monotonic()
      let isStopping = look(&told, &acceptance)
      wait = max(Self.interval, (cplatform_monotonic() - before) / 1_000_000 * Self.share)
      guard isStopping else { continue }
      Failure.say("the command is ended (--stop-on \(stopOn.rawValue))")
      kill(front, SIGTERM)
      return Self.hasStopped
    }
    return 0
  }

  /// Tells what is new; whether that is enough to end the command.
  private func look(_ told: inout Set<Told>, _ acceptance: inout Acceptance) -> Bool {
    guard let reader = try? TraceReader(path: path), !reader.streams.isEmpty,
      let recording = try? JoinedTraces([reader])
    else { return false }
    let writers = recording.writers
    let labels = AppLife.labels(writers)
    var isStopping = false
    for verdict in verdicts(of: recording) where verdict.outcome == .violated {
      let index = Int(verdict.stream.rawValue)
      let key = Told(
        writer: writers[index].id,
        sequence: verdict.sequence,
        rule: verdict.rule,
        title: "\(verdict.title)"
      )
      guard told.insert(key).inserted, acceptance.reason(for: verdict, report) == nil else {
        continue
      }
      // By the name of its event: from when times count is known only at the end.
      let event = "\(labels[index]):\(verdict.sequence)"
      Failure.say(
        Printable.line("\(verdict.rule) \(verdict.severity)  \(event)  \(verdict.title)")
      )
      if stopOn.isMet(by: verdict.severity) { isStopping = true }
    }
    return isStopping
  }

  /// What is certain already: of a process that goes on, nothing that its end would decide.
  private func verdicts(of recording: JoinedTraces) -> [Verdict] {
    var judge = Judge(recording, judgement.checker)
    judge.collectPlaces()
    var keys: [VerdictKey] = []
    judge.judge(recording.lives) { checker, step in
      let fresh = checker.takePlaces().compactMap(\.kept)
      if case .closed = step, checker.state.process.ending == nil { return true }
      keys += fresh
      return true
    }
    return keys.map(judge.checker.verdict)
  }
}
