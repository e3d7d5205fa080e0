// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Which process of a log is which app.
///
/// Daemons name an app by its bundle id and pid, the app's own lines carry only the
/// name of its executable. They are joined, best evidence first, by what the process says of
/// itself, by pid, and by the last word of the bundle id.
struct LogApps {
  struct App {
    /// The bundle id, or the name of the executable where no bundle is known.
    var id: String
    /// The executable's name, once a process of its own is found.
    var process: String
    var role: LogTarget.Role
    /// Whether its own lines say when it is active.
    var tellsActivity = false
    /// Whether runningboardd suspends it: on a Mac it does so to few.
    var isManaged = true
    /// When its own lines say that it entered the background, in order.
    var backgroundTimes: [Int64] = []
  }

  private(set) var apps: [App] = []
  /// The app of each process of the log, or nil for daemons.
  private(set) var appOfProcess: [Int?] = []
  private var appOfBundle: [NameID: Int] = [:]
  private var appOfID: [String: Int] = [:]
  private var appOfPid: [UInt32: Int] = [:]
  /// Pids that the log gives to more than one bundle.
  private var reusedPids: Set<UInt32> = []
  /// The app of each executable that some line names together with a pid.
  private var appOfExecutable: [String: Int] = [:]

  init(_ read: LogFacts) {
    addBundles(read)
    addExecutables(read)
    addProcesses(read)
    addTimes(read)
  }

  /// The app that `fact` is about, or nil when that is not known.
  func app(of fact: LogFact) -> Int? {
    if fact.bundle != .empty, let app = appOfBundle[fact.bundle] { return app }
    if fact.pid != 0, !reusedPids.contains(fact.pid), let app = appOfPid[fact.pid] { return app }
    if fact.bundle != .empty || fact.pid != 0 { return nil }
    return appOfProcess[Int(fact.writer)]
  }

  /// The app with that pid at some time of the log.
  func app(ofPid pid: UInt32) -> Int? { appOfPid[pid] }

  // MARK: Making

  private mutating func add(_ id: String, _ role: LogTarget.Role, process: String = "") -> Int {
    if let known = appOfID[id] { return known }
    apps.append(App(id: id, process: process, role: role))
    appOfID[id] = apps.count - 1
    return apps.count - 1
  }

  /// Bundles that daemons name, with their pids.
  private mutating func addBundles(_ read: LogFacts) {
    for fact in read.facts
    where fact.bundle != .empty && fact.role != .executable && fact.pattern.namesBundle {
      let id = read.names[fact.bundle]
      let role = id.hasPrefix("com.apple.WebKit.") ? .extension : fact.role
      let app = appOfBundle[fact.bundle] ?? add(id, role)
      appOfBundle[fact.bundle] = app
      // Only some lines distinguish an extension from an app.
      if role == .extension { apps[app].role = role }
      guard fact.pid != 0 else { continue }
      if let known = appOfPid[fact.pid], known != app { reusedPids.insert(fact.pid) }
      appOfPid[fact.pid] = app
    }
  }

  /// Joins names and bundles by the pids of both: the word of most lines counts.
  private mutating func addExecutables(_ read: LogFacts) {
    var votes: [String: [Int: Int]] = [:]
    func vote(_ name: String, _ pid: UInt32) {
      guard pid != 0, !reusedPids.contains(pid), let app = appOfPid[pid] else { return }
      votes[name, default: [:]][app, default: 0] += 1
    }
    for fact in read.facts where fact.role == .executable && fact.bundle != .empty {
      vote(read.names[fact.bundle], fact.pid)
    }
    for process in read.processes
    where process.pid != 0 && !Self.systemProcesses.contains(process.name) {
      vote(process.name, process.pid)
    }
    for (name, apps) in votes {
      appOfExecutable[name] = apps.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    }
  }

  private mutating func addProcesses(_ read: LogFacts) {
    appOfProcess = Array(repeating: nil, count: read.processes.count)
    let claims = Self.claims(read)
    let hasSystem = read.processes.contains { Self.systemProcesses.contains($0.name) }
    for (index, process) in read.processes.enumerated()
    where !process.isOfMany && !Self.systemProcesses.contains(process.name) {
      var app: Int?
      if let bundle = claims[index] ?? nil {
        app = appOfBundle[bundle] ?? add(read.names[bundle], .app)
        appOfBundle[bundle] = app
      } else if process.pid != 0, let known = appOfPid[process.pid] {
        app = (reusedPids.contains(process.pid) ? appCalled(process.name) : nil) ?? known
      } else {
        app = appCalled(process.name)
      }
      // Free text is believed of an app only: daemons print the names of callbacks too.
      if app == nil, process.appLines > 0 || process.callbackLines > 0 && !hasSystem {
        app = add(process.name, .app, process: process.name)
      }
      guard let app, process.appLines + process.callbackLines > 0 || apps[app].role != .daemon
      else { continue }
      appOfProcess[index] = app
      if apps[app].process.isEmpty || process.appLines > 0 { apps[app].process = process.name }
      if process.pid != 0, appOfPid[process.pid] == nil { appOfPid[process.pid] = app }
    }
    // A daemon may name an app by its executable.
    for fact in read.facts where fact.bundle != .empty && appOfBundle[fact.bundle] == nil {
      let id = read.names[fact.bundle]
      if let app = appOfExecutable[id] ?? (fact.pid != 0 ? appOfPid[fact.pid] : nil) {
        appOfBundle[fact.bundle] = app
      } else {
        guard let app = appNamed(id) ?? (Self.mayBeApp(id) ? add(id, .app, process: id) : nil)
        else { continue }
        appOfBundle[fact.bundle] = app
        if fact.pid != 0 { appOfPid[fact.pid] = app }
      }
    }
    // Free text of a process that has turned out to be an app by its pid alone.
    for (index, process) in read.processes.enumerated()
    where appOfProcess[index] == nil && process.callbackLines > 0 && process.pid != 0 {
      appOfProcess[index] = appOfPid[process.pid]
    }
  }

  /// Whether an executable that only a kill names may be that of an app.
  private static func mayBeApp(_ name: String) -> Bool {
    !systemProcesses.contains(name) && !name.hasSuffix("d") && !name.hasSuffix("gent")
      && (!name.hasPrefix("com.apple.") || name.hasPrefix("com.apple.test."))
      && !name.hasSuffix("Service") && !name.hasSuffix("_service")
  }

  /// The bundle that each process says is its own, if it names only one.
  private static func claims(_ read: LogFacts) -> [Int: NameID?] {
    var claims: [Int: NameID?] = [:]
    for fact in read.facts where fact.bundle != .empty {
      let process = read.processes[Int(fact.writer)]
      guard fact.pattern == .bundle || fact.pattern == .stateUpdate && process.appLines > 0 else {
        continue
      }
      let known = claims[Int(fact.writer)]
      claims[Int(fact.writer)] =
        known == nil || known == .some(fact.bundle) ? fact.bundle : .some(nil)
    }
    return claims
  }

  private func appCalled(_ name: String) -> Int? { appOfExecutable[name] ?? appNamed(name) }

  /// The app whose bundle id ends in that name; a name of 15 bytes may be cut.
  private func appNamed(_ name: String) -> Int? {
    let plain = Self.plain(name)
    guard plain.count >= 2 else { return nil }
    var best: Int?
    for (index, app) in apps.enumerated() where app.role != .daemon {
      guard let last = app.id.split(separator: ".").last else { continue }
      let word = Self.plain(String(last))
      guard word == plain || name.utf8.count >= 15 && word.starts(with: plain) else { continue }
      // Apps before extensions, and no guess between two.
      if let known = best, apps[known].role == app.role { return nil }
      if best == nil || app.role == .app { best = index }
    }
    return best
  }

  private static func plain(_ name: String) -> [UInt8] {
    name.utf8.compactMap { byte in
      switch byte {
      case 0x41...0x5A: byte | 0x20
      case 0x61...0x7A, 0x30...0x39: byte
      case 0x80...: byte
      default: nil
      }
    }
  }

  private mutating func addTimes(_ read: LogFacts) {
    for fact in read.facts where fact.pattern == .unmanaged {
      if let app = app(of: fact) { apps[app].isManaged = false }
    }
    for fact in read.facts where fact.pattern.isOwn {
      guard let app = appOfProcess[Int(fact.writer)] else { continue }
      switch fact.pattern {
      case .deactivationAdded, .deactivationRemoved, .becomeActive, .resignActive:
        apps[app].tellsActivity = true
      case .enterBackground: apps[app].backgroundTimes.append(fact.order)
      default: break
      }
    }
    for index in apps.indices { apps[index].backgroundTimes.sort() }
  }

  /// Processes of the system that write about apps, and whose own life is not asked for.
  static let systemProcesses: Set<String> = [
    "SpringBoard", "runningboardd", "backboardd", "assertiond", "kernel", "launchd", "dasd",
    "UserEventAgent", "gamepolicyd", "CommCenter", "symptomsd", "powerd", "thermalmonitord",
    "WirelessRadioManagerd", "locationd", "mediaserverd", "audiomxd", "bluetoothd", "nsurlsessiond",
    "apsd", "trustd", "cfprefsd", "containermanagerd", "installd", "lsd", "logd",
    "osanalyticshelper",
    "ReportCrash", "spindump", "tailspind", "PerfPowerServices", "duetexpertd", "rapportd",
    "sharingd", "useractivityd", "chronod", "contextstored", "coreduetd", "biomed", "WindowServer",
    "loginwindow", "ContextStoreAgent", "watchdogd", "wifid", "identityservicesd", "callservicesd",
    "ReportSystemMemory", "launchservicesd", "healthd", "ControlCenter", "tccd", "homed",
    "audioaccessoryd", "coreaudiod", "fairplayd", "suggestd", "nanoregistryd", "mDNSResponder",
    "searchpartyd", "assistantd", "corespotlightd", "routined", "imagent", "cloudd", "bird",
    "UsageTrackingAgent", "com.apple.xpc.launchd", "com.apple.launchd", "pkd", "securityd",
    "xpcproxy",
  ]
}

extension LogPattern {
  /// Whether the bundle in such a line is a bundle id, not the name of an executable.
  fileprivate var namesBundle: Bool {
    switch self {
    case .bundle, .memoryKill, .memoryLimit, .crashed, .beyondPermitted, .lockedFile: false
    default: true
    }
  }

  /// Whether it is the name of a callback in free text.
  var isCallback: Bool {
    switch self {
    case .finishLaunching, .becomeActive, .resignActive, .enterBackground, .enterForeground,
      .terminate:
      true
    default: false
    }
  }
}
