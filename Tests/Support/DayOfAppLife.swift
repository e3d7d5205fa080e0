// SPDX-License-Identifier: Apache-2.0
import Glibc
public import LifetraceTrace

/// The workload "a day of app life": what sizes and scan rates refer to.
///
///     var day = DayOfAppLife(seed: 1)
///     day.session { writer, event in … }       // some 25,000 events, each writer's in time order
///
/// Three processes (app, extension, daemon) with four threads each. The app is in the foreground
/// for 1,200 to 3,600 frames at 60 Hz, goes to the background, saves, is suspended, and in one
/// case of ten purged and launched again as a new writer. Times have sub-microsecond jitter.
public struct DayOfAppLife {
  /// What the ids of the events stand for.
  public private(set) var names = Names()
  /// The writers so far; a relaunch adds one.
  public private(set) var writers: [(id: WriterID, attributes: WriterAttributes)] = []

  private var random: SeededRandom
  private var time: Double = 1e12
  private var processes: [DayProcess] = []
  private var catalog = DayCatalog()
  private var flow: UInt64 = 0
  private var pending: [Event] = []

  /// The day of a seed.
  public init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    catalog = DayCatalog(names: &names)
    for role in [ProcessRole.app, .extension, .daemon] {
      processes.append(
        DayProcess(threads: (0..<3).map { _ in UInt32(2_000 + random.below(60_000)) })
      )
      join(processes.count - 1, role: role)
    }
  }

  private mutating func join(_ process: Int, role: ProcessRole) {
    var attributes = WriterAttributes(
      app: "com.example.day.\(role)",
      process: "\(role)",
      role: role
    )
    attributes.pid = UInt32(1_000 + random.below(60_000))
    attributes.host = "debian"
    attributes.boot = "8d6a2d0e-5b0f-4c1e-9d7e-0c8a4f1b2e3d"
    attributes.started = HostTime(rawValue: Int64(time))
    attributes.previous = processes[process].writer.map { writers[$0].id }
    attributes.profile = "ios13"
    processes[process].writer = writers.count
    processes[process].sequence = 0
    processes[process].begun = false
    writers.append((WriterID(high: random.next(), low: random.next()), attributes))
  }

  /// Lets the app be used once, and hands out what happened.
  public mutating func session(_ emit: (_ writer: Int, _ event: borrowing Event) -> Void) {
    launchIfNeeded()
    for process in processes.indices {
      processes[process].free = [Double](repeating: time, count: 3)
    }
    transition(0, from: .inactive, to: .active)
    for frame in 0..<(1_200 + random.below(2_401)) { self.frame(frame) }
    transition(0, from: .active, to: .inactive)
    transition(0, from: .inactive, to: .background)
    background()
    let isPurged = random.once(in: 10)
    add(0, .suspend, arguments: (catalog.evidence, 0, 0, 0), count: 1, observer: .host)
    time += logNormal(median: 60e9, sigma: 1)
    if isPurged {
      add(
        0,
        .purge,
        arguments: (catalog.jetsam, catalog.evidence, 0, 0),
        count: 2,
        observer: .host
      )
    } else {
      add(
        0,
        .resume,
        arguments: (catalog.reasons[0], catalog.evidence, 0, 0),
        count: 2,
        observer: .host
      )
    }
    flush(emit)
    if isPurged { join(0, role: .app) }
  }

  private mutating func flush(_ emit: (_ writer: Int, _ event: borrowing Event) -> Void) {
    for process in processes.indices {
      processes[process].events.sort { $0.time < $1.time }
      let writer = processes[process].writer ?? 0
      for event in processes[process].events {
        var event = event
        event.sequence = processes[process].sequence
        processes[process].sequence += 1
        emit(writer, event)
      }
      processes[process].events.removeAll(keepingCapacity: true)
    }
  }

  // MARK: What happens

  private mutating func launchIfNeeded() {
    for process in processes.indices where !processes[process].begun {
      processes[process].begun = true
      add(
        process,
        .processStart,
        arguments: (catalog.reasons[1], catalog.app, catalog.version, 0),
        count: 3,
        observer: .recorder
      )
      if process == 0 {
        transition(0, from: .notRunning, to: .inactive)
      } else {
        transition(process, from: .notRunning, to: .background)
      }
    }
  }

  private mutating func transition(_ process: Int, from: AppState, to: AppState) {
    add(
      process,
      .transition,
      arguments: (UInt64(from.rawValue), UInt64(to.rawValue), catalog.reasons[2], 0),
      count: 3
    )
    for _ in 0..<(3 + poisson(4)) {
      let length =
        random.once(in: 5_000) ? 5e9 + random.unit() * 4e9 : logNormal(median: 2e6, sigma: 0.8)
      let site = catalog.callbacks[random.below(catalog.callbacks.count)]
      span(
        process,
        .callbackBegin,
        .callbackEnd,
        thread: nil,
        length: length,
        site: site,
        main: true
      )
    }
  }

  private mutating func frame(_ number: Int) {
    let start = time
    let turn = begin(0, .turnBegin, thread: nil, site: catalog.turn)
    for _ in 0..<2 {
      time += logNormal(median: 60_000, sigma: 0.8)
      let site = catalog.mainWork[cubedRank(catalog.mainWork.count)]
      work(0, thread: nil, length: logNormal(median: 0.8e6, sigma: 0.6), site: site, kind: .ui)
    }
    for _ in 0..<poisson(0.5) { notification() }
    if random.unit() < 0.06 { dirty() }
    if random.unit() < 0.02 { save() }
    time += logNormal(median: 40_000, sigma: 0.7)
    end(0, .turnEnd, turn, thread: nil, site: catalog.turn)
    for _ in 0..<poisson(1.2) { backgroundWork(from: start) }
    if random.unit() < 0.15 { message(from: start) }
    if number % 6 == 0 {
      processes[0].footprint += Int(logNormal(median: 40_000, sigma: 1)) - 45_000
      let bytes = UInt64(max(30_000_000, processes[0].footprint)) / 4_096 * 4_096
      add(0, .memorySample, arguments: (bytes, 0, 0, 0), count: 1)
    }
    time = max(time + 1e4, start + 16_666_667 + (random.unit() - 0.5) * 40_000)
  }

  private mutating func notification() {
    let type = cubedRank(catalog.types.count)
    let key = catalog.keys[type % catalog.keys.count]
    let value = catalog.values[random.below(catalog.values.count)]
    let identity = catalog.types[type]
    add(
      0,
      .notificationPosted,
      identity: identity,
      arguments: (key, value, catalog.origins[type % catalog.origins.count], 0),
      count: 3,
      observer: .host
    )
    time += logNormal(median: 30_000, sigma: 0.9)
    add(0, .notificationDelivered, identity: identity, arguments: (key, value, 0, 0), count: 2)
    let took = logNormal(median: 90_000, sigma: 0.8)
    time += took
    add(
      0,
      .notificationHandled,
      site: catalog.observers[type],
      identity: identity,
      arguments: (key, UInt64(took), 0, 0),
      count: 2
    )
  }

  private mutating func backgroundWork(from start: Double) {
    let worker = random.below(3)
    let here = time
    time = max(start + random.unit() * 16e6, processes[0].free[worker])
    let site = catalog.backgroundWork[cubedRank(catalog.backgroundWork.count)]
    let kind = WorkKind(rawValue: UInt8(2 + Int(site.rawValue) % 4)) ?? .other
    work(0, thread: worker, length: logNormal(median: 2e6, sigma: 0.8), site: site, kind: kind)
    processes[0].free[worker] = time
    time = here
  }

  private mutating func dirty() {
    let object = cubedRank(catalog.objects.count)
    processes[0].versions[object, default: 0] += 1
    time += logNormal(median: 5_000, sigma: 0.5)
    add(
      0,
      .dataDirty,
      site: catalog.edits[object % catalog.edits.count],
      identity: catalog.objects[object],
      arguments: (
        processes[0].versions[object, default: 0], UInt64(logNormal(median: 1_200, sigma: 1.2)), 0,
        0
      ),
      count: 2
    )
  }

  private mutating func save() {
    let object = cubedRank(catalog.objects.count)
    let version = processes[0].versions[object, default: 0]
    let bytes = UInt64(logNormal(median: 1_200, sigma: 1.2))
    time += logNormal(median: 8_000, sigma: 0.5)
    add(
      0,
      .dataDurable,
      site: catalog.edits[catalog.edits.count - 1],
      identity: catalog.objects[object],
      arguments: (version, UInt64(DurabilityLevel.disk.rawValue), bytes, 0),
      count: 3
    )
  }

  private mutating func message(from start: Double) {
    let peer = 1 + random.below(2)
    flow += 1
    let here = time
    let bytes = UInt64(logNormal(median: 300, sigma: 1))
    time = start + random.unit() * 10e6
    add(
      0,
      .messageSend,
      identity: flow,
      arguments: (catalog.peers[peer], bytes, 0, 0),
      count: 2
    )
    time += logNormal(median: 120_000, sigma: 0.7)
    add(
      peer,
      .messageReceive,
      identity: flow,
      arguments: (catalog.peers[0], bytes, 0, 0),
      count: 2,
      worker: random.below(3)
    )
    let site = catalog.callbacks[random.below(catalog.callbacks.count)]
    span(
      peer,
      .callbackBegin,
      .callbackEnd,
      thread: random.below(3),
      length: logNormal(median: 1e6, sigma: 0.8),
      site: site,
      main: false
    )
    time = here
  }

  private mutating func background() {
    processes[0].nextID += 1
    let task = processes[0].nextID
    add(
      0,
      .taskBegin,
      site: catalog.task,
      identity: task,
      arguments: (catalog.taskName, 30_000_000_000, 1, 0),
      count: 3
    )
    for _ in 0..<4 {
      dirty()
      time += logNormal(median: 3e6, sigma: 0.5)
      save()
    }
    if random.unit() < 0.03 {
      time += 30e9
      add(0, .taskExpire, identity: task)
    }
    time += logNormal(median: 100e6, sigma: 0.8)
    add(0, .taskEnd, site: catalog.task, identity: task)
  }

  // MARK: How it is told

  private mutating func work(
    _ process: Int,
    thread: Int?,
    length: Double,
    site: SiteID,
    kind: WorkKind
  ) {
    processes[process].nextID += 1
    let id = processes[process].nextID
    add(
      process,
      .workBegin,
      site: site,
      identity: id,
      arguments: (UInt64(kind.rawValue), 0, 0, 0),
      count: 1,
      worker: thread
    )
    time += length
    end(process, .workEnd, id, thread: thread, site: site)
  }

  private mutating func span(
    _ process: Int,
    _ beginKind: EventKind,
    _ endKind: EventKind,
    thread: Int?,
    length: Double,
    site: SiteID,
    main: Bool
  ) {
    time += logNormal(median: 20_000, sigma: 0.7)
    let id = begin(process, beginKind, thread: thread, site: site)
    time += length
    end(process, endKind, id, thread: thread, site: site)
  }

  private mutating func begin(
    _ process: Int,
    _ kind: EventKind,
    thread: Int?,
    site: SiteID
  ) -> UInt64 {
    processes[process].nextID += 1
    add(process, kind, site: site, identity: processes[process].nextID, worker: thread)
    return processes[process].nextID
  }

  private mutating func end(
    _ process: Int,
    _ kind: EventKind,
    _ id: UInt64,
    thread: Int?,
    site: SiteID
  ) {
    add(process, kind, site: site, identity: id, worker: thread)
  }

  private mutating func add(
    _ process: Int,
    _ kind: EventKind,
    site: SiteID = .none,
    identity: UInt64 = 0,
    arguments: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0),
    count: UInt8 = 0,
    observer: Observer = .own,
    worker: Int? = nil
  ) {
    time += 100 + random.unit() * 900
    processes[process].events.append(
      Event(
        kind,
        at: HostTime(rawValue: Int64(time)),
        thread: worker.map { ThreadID(rawValue: processes[process].threads[$0]) } ?? .main,
        site: site,
        identity: identity,
        arguments: arguments,
        argumentCount: count,
        observer: observer
      )
    )
  }

  // MARK: Chance

  private mutating func cubedRank(_ count: Int) -> Int {
    let unit = random.unit()
    return min(count - 1, Int(unit * unit * unit * Double(count)))
  }

  private mutating func poisson(_ mean: Double) -> Int {
    let limit = exp(-mean)
    var product = random.unit()
    var count = 0
    while product > limit {
      product *= random.unit()
      count += 1
    }
    return count
  }

  private mutating func logNormal(median: Double, sigma: Double) -> Double {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    return median * exp(sigma * radius * cos(2 * .pi * random.unit()))
  }
}

/// One process of the day.
private struct DayProcess {
  var writer: Int?
  var sequence: UInt64 = 0
  var begun = false
  var nextID: UInt64 = 0
  var footprint = 60_000_000
  var versions: [Int: UInt64] = [:]
  var threads: [UInt32]
  /// When each worker thread is free again.
  var free: [Double] = [0, 0, 0]
  var events: [Event] = []

  init(threads: [UInt32]) { self.threads = threads }
}

/// The names and sites of the day.
private struct DayCatalog {
  var types: [UInt64] = []
  var keys: [UInt64] = []
  var values: [UInt64] = []
  var origins: [UInt64] = []
  var objects: [UInt64] = []
  var peers: [UInt64] = []
  var reasons: [UInt64] = []
  var evidence: UInt64 = 0
  var jetsam: UInt64 = 0
  var app: UInt64 = 0
  var version: UInt64 = 0
  var taskName: UInt64 = 0
  var turn = SiteID.none
  var task = SiteID.none
  var mainWork: [SiteID] = []
  var backgroundWork: [SiteID] = []
  var callbacks: [SiteID] = []
  var observers: [SiteID] = []
  var edits: [SiteID] = []

  init() {}

  init(names: inout Names) {
    func name(_ text: String) -> UInt64 { UInt64(names.intern(text).rawValue) }
    func site(_ text: String, _ file: String, _ line: Int) -> SiteID {
      let file = names.intern("Day/\(file).swift")
      return names.intern(Site(name: names.intern(text), file: file, line: UInt32(line)))
    }
    types = (0..<60).map {
      name("day.\(["battery", "locale", "sync", "account"][$0 % 4]).changed.\($0)")
    }
    keys = (0..<12).map { name("key.\($0)") }
    values = (0..<8).map { name("value.\($0)") }
    origins = ["system", "daemon", "user"].map { name($0) }
    objects = (0..<20).map { name("draft-\($0).txt") }
    peers = ["com.example.day.app", "com.example.day.extension", "com.example.day.daemon"].map {
      name($0)
    }
    reasons = ["foreground", "icon", "user"].map { name($0) }
    evidence = name("host")
    jetsam = name("jetsam")
    app = peers[0]
    version = name("1.0")
    taskName = name("save drafts")
    turn = site("turn", "Main", 12)
    task = site("save drafts", "Saver", 77)
    mainWork = (0..<16).map { site("layout \($0)", "View\($0 % 4)", 40 + $0 * 13) }
    backgroundWork = (0..<50).map { site("job \($0)", "Job\($0 % 9)", 20 + $0 * 17) }
    callbacks = (0..<12).map { site("applicationDid\($0):", "AppDelegate", 30 + $0 * 9) }
    observers = (0..<60).map { site("observe \($0)", "Observers\($0 % 5)", 10 + $0 * 7) }
    edits = (0..<6).map { site("edit \($0)", "Editor", 100 + $0 * 21) }
  }
}
