// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceScenario
import Support

/// A scenario made of a seed: what users and the system do to one or two apps over some days.
///
/// It is a walk between three places: an app in front, an app in the background, none alive. What is
/// begun is ended (a call, a lock), and what the user has just typed is left to the app until it may
/// have saved it; else it is any order of any length.
struct RandomLife {
  let seed: UInt64
  private(set) var apps: [LivedApp] = []
  private(set) var steps: [String] = []
  private(set) var profile = ""
  private var random: SeededRandom
  private var place = Place.gone
  /// Which of the apps the steps are about.
  private var current = 0
  private var isLocked = false
  /// Which of the apps have a process.
  private var alive: Set<Int> = []

  private enum Place { case front, back, gone }

  init(seed: UInt64, among all: [LivedApp] = LivedApp.all) {
    self.seed = seed
    random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15)
    profile = Profile.all[random.below(Profile.all.count)].name
    // A neighbour changes who is in front: one life in four has it.
    for _ in 0..<(random.once(in: 4) ? 2 : 1) {
      let app = all[random.below(all.count)]
      if !apps.contains(where: { $0.app == app.app }) { apps.append(app) }
    }
    for _ in 0..<(6 + random.below(24)) { episode() }
    if isLocked { add("unlock") }
  }

  /// The scenario as a file would have it.
  var text: String {
    let names = apps.map(\.app.rawValue)
    return "profile: \(profile)\napps: [\(names.joined(separator: ", "))]\nsteps:\n"
      + steps.map { "  - \($0)\n" }.joined()
  }

  private mutating func add(_ step: String) { steps.append(step) }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[random.below(values.count)]
  }

  private mutating func wait(_ seconds: ClosedRange<Int>) {
    add("wait: \(seconds.lowerBound + random.below(seconds.count))s")
  }

  private mutating func episode() {
    switch place {
    case .gone: begin()
    case .front: random.once(in: 3) ? leave() : stay()
    case .back: random.once(in: 2) ? comeBack() : rest()
    }
  }
}

// MARK: - In front

extension RandomLife {
  private mutating func begin() {
    current = random.below(apps.count)
    let name = apps[current].app.rawValue
    // What is about a locked device is woken while it is locked.
    let isWoken = !apps[current].launchingWakes.isEmpty && (isLocked || random.once(in: 3))
    if isLocked, !apps[current].locksOften || !isWoken || random.once(in: 6) { unlock() }
    guard alive.insert(current).inserted else { return comeBack() }
    if isWoken {
      add("launch: {app: \(name), reason: \(pick(apps[current].launchingWakes))}")
      wait(60...90)
      place = .back
      return
    }
    if random.once(in: 5) { add("prewarm: {app: \(name)}") }
    let asks = apps[current].app == .browser || apps[current].app == .gallery
    let url = apps[current].app == .gallery ? "gallery:wall" : "https://swift.org/blog/1"
    add(
      asks && (!apps[current].asides.isEmpty || random.once(in: 3))
        ? "launch: {app: \(name), url: \"\(url)\", from: com.example.mail}"
        : "launch: {app: \(name)}"
    )
    wait(6...9)
    place = .front
    // Looks in, and leaves: nothing is done before the end.
    let isShort = random.once(in: apps[current].looksIn ? 2 : 6)
    guard isShort, !apps[current].exits else { return }
    if apps[current].looksIn, random.once(in: 2), let last = apps[current].words.last {
      add("tell: {\(last.word): \"\(pick(last.values))\"}")
    }
    leave()
    if place == .back, !isLocked { end() }
  }

  private mutating func stay() {
    if aside() { return }
    switch random.below(14) {
    case 0...3:
      guard !apps[current].words.isEmpty else { return add("touch: anywhere") }
      let word = pick(apps[current].words)
      add("tell: {\(word.word): \"\(pick(word.values))\"}")
      wait(1...12)
    case 4: add("touch: next")
    case 5: add("rotate: \(pick(["landscape-left", "portrait", "face-up", "landscape-right"]))")
    case 6: change()
    case 7:
      add("call: begin")
      wait(1...20)
      add("call: end")
    case 8:
      add("notification-center: open")
      if random.once(in: 2) { change() }
      add("notification-center: close")
    case 9:
      add("app-switcher: open")
      add("app-switcher: close")
    case 10:
      add("interrupt: begin")
      wait(1...9)
      add("interrupt: end")
    case 11: add(pick(["banner", "sms: ignored", "memory-warning", "motion: accelerometer"]))
    case 12:
      // Classic systems and devices without a background end such an app at the lock.
      guard !apps[current].exits else { return add("banner") }
      add(random.once(in: 2) ? "lock" : "lock: {passcode: false}")
      wait(1...40)
      add("unlock")
    default: wait(1...200)
    }
  }

  /// What its app alone is asked for; false where nothing is.
  private mutating func aside() -> Bool {
    guard !apps[current].asides.isEmpty, random.once(in: 3) else { return false }
    add(pick(apps[current].asides))
    wait(6...9)
    place = .front
    return true
  }

  /// Something changes in the system.
  private mutating func change() {
    add(
      pick([
        "post: {type: NSCurrentLocaleDidChange, value: \(pick(["sv_SE", "fi_FI", "da_DK"]))}",
        "time-change",
        "post: {type: UIDeviceBatteryLevelDidChange, value: \"\(random.below(100))\"}",
        "post: {type: EAAccessoryDidConnect, key: keyboard, value: connected}",
        "post: {type: EAAccessoryDidDisconnect, key: keyboard, value: gone}",
        "post: {type: NSUserDefaultsDidChange, key: week, value: \(pick(["monday", "sunday"]))}",
        "status-bar: \(pick([20, 40]))",
      ])
    )
  }

  private mutating func unlock() {
    add("unlock")
    isLocked = false
  }

  /// The user leaves, or ends what has had the time to save.
  private mutating func leave() {
    wait(6...15)
    if apps[current].exits {
      add(pick(["home", "terminate"]))
      return die()
    }
    switch apps[current].locksOften ? 5 : random.below(9) {
    case 0...2: add("home")
    case 3: add("switch")
    case 4: add("sms: accepted")
    case 5:
      add("lock")
      isLocked = true
    case 6:
      add("call: begin")
      add("call: accept")
      wait(1...60)
      add("call: end")
    default:
      guard apps[current].savesAtOnce else {
        add("home")
        break
      }
      // A kill for memory behind its warning is rare elsewhere.
      let kill = "purge: {how: jetsam}"
      let way = pick(["kill", "terminate", "terminate", kill, kill, kill])
      if way.hasPrefix("purge") {
        add("memory-warning")
        wait(1...3)
      }
      add(way)
      return die()
    }
    place = .back
  }
}

// MARK: - In the background

extension RandomLife {
  private mutating func rest() {
    if !isLocked, aside() { return }
    if !apps[current].mayLast { add("suspend") }
    if apps[current].locksOften, isLocked, random.once(in: 3) { return end() }
    if apps[current].mindsLocale, random.once(in: 3) {
      add("post: {type: NSCurrentLocaleDidChange, value: \(pick(["nb_NO", "is_IS"]))}")
      return end()
    }
    if !apps[current].wakes.isEmpty, random.once(in: 2) {
      add("wake: \(pick(apps[current].wakes))")
      return wait(60...90)
    }
    switch random.below(5) {
    case 0:
      for _ in 0...random.below(6) { change() }
    case 1: wait(1...600)
    case 2: add("rotate: \(pick(["landscape-left", "portrait", "face-down"]))")
    case 3: wait(1...4000)
    default: end()
    }
  }

  private mutating func comeBack() {
    if isLocked { unlock() }
    add("open: {app: \(apps[current].app.rawValue)}")
    wait(6...9)
    place = .front
  }

  private mutating func end() {
    guard !apps[current].mayLast else { return wait(1...9) }
    let name = apps[current].app.rawValue
    wait(1...40)
    add("suspend: {app: \(name)}")
    var ways = ["purge: {app: \(name)}", "kill: {app: \(name)}", "terminate: {app: \(name)}"]
    if apps.allSatisfy(\.survivesReboot) { ways.append("reboot") }
    add(pick(ways))
    die()
    if steps.last == "reboot" {
      isLocked = false
      alive = []
    }
  }

  private mutating func die() {
    alive.remove(current)
    place = .gone
  }
}
