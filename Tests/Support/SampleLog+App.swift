// SPDX-License-Identifier: Apache-2.0

/// One app that lives through its sessions and leaves lines and the truth behind.
struct AppActor {
  var lines: [SampleLog.Line] = []
  var lives: [SampleLog.Life] = []
  var processes: [SampleLog.Process]
  var random: SplitMix

  private let index: Int
  private let bundle: String
  private let name: String
  private let instance: String
  private var time: Int64
  private var process = 0
  private var pid = 0
  private var mask: Int64 = 0
  private var nextTask: Int64 = 1
  private var life: SampleLog.Life

  private static let runningboard = 0
  private static let springboard = 1

  init(index: Int, log: SampleLog, start: Int64) {
    processes = log.processes
    random = log.random
    self.index = index
    let words = ["Harborline", "Lantern", "Quillpad", "Ferry Desk", "Mossgrove", "Tidewatch"]
    name = words[index % words.count] + (index < words.count ? "" : "\(index / words.count)")
    let last = name.lowercased().split(separator: " ").joined(separator: index % 2 == 0 ? "-" : "")
    bundle = "org.example.\(last)"
    instance = "0A\(index)B12C4-77D0-4E5F-8A9B-\(100_000_000_000 + index)"
    time = start
    life = SampleLog.Life(app: bundle, pid: 0)
  }

  private var target: String { "[app<\(bundle)(\(instance))>:\(pid)]" }

  mutating func live(sessions: Int) {
    // The first process may have been there before the log.
    if index % 3 == 0 { beginUnseen() } else { launch() }
    for session in 0..<sessions {
      useInForeground()
      leave()
      let isLast = session == sessions - 1
      switch random.below(6) {
      case 0 where !isLast:
        suspend()
        end()
        launch()
      case 1 where !isLast:
        // Home and back at once, never suspended.
        wait(3_000_000)
        comeBack(wasSuspended: false)
      default:
        suspend()
        if isLast { break }
        wait(20_000_000)
        comeBack(wasSuspended: true)
      }
    }
    lives.append(life)
  }

  // MARK: Steps of a life

  private mutating func beginUnseen() {
    start()
    mask = 0
    wait(1_000_000)
    // The first evidence is that there is no reason against being active.
    resign(evidence: true)
    wait(2_000_000)
    activate()
  }

  private mutating func launch() {
    wait(4_000_000)
    say(Self.runningboard, "Executing launch request for app<\(bundle)(\(instance))> (tap)")
    let asked = time
    wait(2_000)
    start()
    wait(90_000)
    say(Self.springboard, "\(target) Bootstrap success!")
    enter("notRunning", at: asked)
    wait(50_000)
    calculated("running-active", "UserInteractiveFocal")
    enter("inactive")
    fan("running-active-Visible")
    mask = 1 << 12
    wait(700_000)
    activate()
  }

  private mutating func start() {
    if life.pid != 0 { lives.append(life) }
    pid = 300 + index * 1_000 + processes.count * 3
    life = SampleLog.Life(app: bundle, pid: pid)
    process = processes.count
    processes.append(SampleLog.Process(name: name, library: "UIKitCore", pid: pid))
    nextTask = 1
    enter("unknown")
    life.states.removeAll()
    // Joins the name of the process and its pid.
    say(
      process,
      "Received state update for \(pid) (app<\(bundle)(\(instance))>, unknown-NotVisible"
    )
  }

  private mutating func useInForeground() {
    for _ in 0..<(1 + random.below(3)) {
      wait(1_000_000 + Int64(random.below(20_000_000)))
      if random.below(2) == 0 { task(for: 300_000) }
      guard random.below(2) == 0 else { continue }
      resign(evidence: false)
      wait(400_000)
      change(5)
      wait(1_500_000)
      change(5)
      wait(200_000)
      activate()
    }
  }

  private mutating func leave() {
    wait(2_000_000)
    resign(evidence: false)
    say(process, "App transitioned to background, suspending HangTracing.")
    wait(300_000)
    change(3)
    wait(800_000)
    fan("unknown-NotVisible")
    let callback = "UIApplicationDidEnterBackgroundNotification"
    wait(100_000)
    say(
      process,
      "{\"msg\":\"Depot\", \"_cmd\":\"onDidEnterBackground:\", \"name\":\"\(callback)\"}"
    )
    enter("background")
    wait(3_000)
    for _ in 0..<(1 + random.below(2)) { cover() }
  }

  /// Tasks under one assertion, and then none.
  private mutating func cover() {
    say(process, "Creating new background assertion")
    wait(1_000)
    say(process, "Created new background assertion <BKSProcessAssertion: 0x\(hex())>")
    closePossible()
    for _ in 0..<(1 + random.below(4)) { task(for: 20_000 + Int64(random.below(900_000))) }
    wait(400)
    say(
      process,
      "Will invalidate assertion: <BKSProcessAssertion: 0x\(hex())> for task identifier: \(nextTask - 1)"
    )
    life.possible.append((time, nil))
    wait(60_000)
  }

  private mutating func suspend() {
    wait(2_000_000)
    say(Self.runningboard, "\(target) Suspending task.")
    closePossible()
    enter("suspended")
    wait(2_000)
    say(Self.runningboard, "\(target) Set jetsam priority to 0 [0] flag[1]")
    calculated("running-suspended", "None")
    fan("running-suspended-NotVisible")
  }

  private mutating func comeBack(wasSuspended: Bool) {
    if wasSuspended {
      say(Self.runningboard, "\(target) Resuming task.")
      enter("background")
      wait(9_000)
    }
    calculated("running-active", "UserInteractiveFocal")
    closePossible()
    enter("inactive")
    fan("running-active-Visible")
    wait(200_000)
    activate()
  }

  private mutating func end() {
    wait(30_000_000)
    let status: String
    switch random.below(4) {
    case 0:
      status = "domain:jetsam(1) code:17"
      life.exit = ("jetsam", 17)
    case 1:
      status = "domain:frontboard(10) code:force-quit"
      life.exit = ("user", 0)
    case 2:
      status = "domain:signal(2) code:SIGKILL(9)"
      life.exit = ("signal", 9)
    default:
      status = "domain:runningboard(15) code:0xdead10cc"
      life.exit = ("locked-file", 0xDEAD_10CC)
    }
    let context = "<RBSProcessExitContext| specific, status:<RBSProcessExitStatus| \(status)>>"
    say(Self.springboard, "\(target) Process exited: \(context)")
    enter("notRunning")
    wait(500)
    say(Self.runningboard, "Removing assertions for terminated process: \(target)")
    calculated("none", "None")
  }

  // MARK: Lines

  private mutating func task(for length: Int64) {
    let id = nextTask
    nextTask += 1
    let names = ["Save ledger", "upload, part 2", "org.example.flush", "Sync (all)"]
    let name = names[Int(random.below(4))]
    say(
      process,
      "Will add backgroundTask with taskName: \(name), expirationHandler: <__NSMallocBlock__: 0x\(hex())>"
    )
    wait(120)
    let info = "<_UIBackgroundTaskInfo: 0x\(hex())>: taskID = \(id), taskName = \(name)"
    say(
      process,
      "Created background task \(info), creationTime = \(time / 1_000_000) (elapsed = 0)."
    )
    life.tasks.append(SampleLog.Task(id: id, name: name, begin: time))
    wait(length)
    say(process, "Ending background task with UIBackgroundTaskIdentifier: \(id)")
    life.tasks[life.tasks.count - 1].end = time
    wait(10)
    say(
      process,
      "Ending task with identifier \(id) and description: \(info), creationTime = 1 (elapsed = 0)"
    )
  }

  /// Toggles a reason other than the one that keeps it inactive.
  private mutating func change(_ reason: Int64) {
    let before = mask
    mask ^= 1 << reason
    deactivation(reason, before)
  }

  private mutating func resign(evidence: Bool) {
    mask = 0
    if evidence { enter("active") }
    change(0)
    enter("inactive")
  }

  private mutating func activate() {
    // Whatever reasons are left go, one line each.
    for reason in Int64(0)..<20 where mask & 1 << reason != 0 {
      wait(2_000)
      change(reason)
    }
    enter("active")
  }

  private mutating func deactivation(_ reason: Int64, _ before: Int64) {
    let word = mask & 1 << reason != 0 ? "added" : "removed"
    say(
      process,
      "Deactivation reason \(word): \(reason); deactivation reasons: \(before) -> \(mask); animating application lifecycle event: 0"
    )
  }

  private mutating func calculated(_ state: String, _ role: String) {
    say(
      Self.runningboard,
      "Calculated state for app<\(bundle)(\(instance))>: \(state) (role: \(role)) (endowments: (null))"
    )
  }

  /// The same update in the words of several daemons, some of them late.
  private mutating func fan(_ update: String) {
    let now = time
    for daemon in [2, 3, 4] where random.below(5) > 0 {
      time = now + 200 + Int64(random.below(40_000))
      say(daemon, "Received state update for \(pid) (app<\(bundle)(\(instance))>, \(update)")
    }
    time = now
  }

  private mutating func closePossible() {
    guard let last = life.possible.indices.last, life.possible[last].end == nil else { return }
    life.possible[last].end = time
  }

  private mutating func enter(_ state: String, at moment: Int64? = nil) {
    life.states.append((moment ?? time, state))
  }

  private mutating func say(_ process: Int, _ message: String) {
    lines.append(SampleLog.Line(time: time, place: time, process: process, message: message))
  }

  private mutating func wait(_ microseconds: Int64) {
    time += microseconds + Int64(random.below(97))
  }

  private mutating func hex() -> String { String(random.below(0xFFFF_FFFF), radix: 16) }
}
