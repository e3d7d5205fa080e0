// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON

/// A message from an app to the host: the right-hand side of the protocol.
package enum AppMessage: Sendable, Hashable {
  /// The first line of a connection.
  case hello(Hello)
  /// The app is through with event `number`.
  case done(number: UInt64, reply: EventReply)
  case taskBegan(id: UInt64, name: String)
  case taskEnded(id: UInt64)
  /// The completion handler of a wake was called.
  case completed(wake: UInt64, result: String)
  /// The incoming call that a VoIP wake announced was reported.
  case callReported(wake: UInt64)
  /// A service with a background mode of its own begins to run, or stops.
  case service(mode: String, runs: Bool)
  /// The app wants to hear of a notification type that the system sends only on request.
  case observes(String)
  /// A line for the trace and for `expect: said`.
  case said(String)

  /// The app's identity, and how it was built.
  package struct Hello: Sendable, Hashable {
    package static let version: Int64 = 1

    package var version: Int64
    package var app: String
    package var pid: Int32
    package var configuration: AppConfiguration

    package init(
      version: Int64 = Hello.version,
      app: String,
      pid: Int32,
      configuration: AppConfiguration
    ) {
      self.version = version
      self.app = app
      self.pid = pid
      self.configuration = configuration
    }
  }
}

/// What the app's callback gave back.
package struct EventReply: Sendable, Hashable {
  /// The callback's Boolean answer; true where it has none.
  package var accepted: Bool
  /// UI state for the system to keep, given on the way to the background.
  package var preserved: [String: String]?

  package init(accepted: Bool = true, preserved: [String: String]? = nil) {
    self.accepted = accepted
    self.preserved = preserved
  }
}

/// The keys of an app's property list that change how the system treats it.
package struct AppConfiguration: Sendable, Hashable {
  /// The bundle identifier, which *hello* has beside the configuration.
  package var identifier = ""
  /// `UIApplicationExitsOnSuspend`: the app ends where others are suspended.
  package var exitsOnSuspend = false
  /// `UIBackgroundModes`: the app goes on running in the background while one is in use.
  package var backgroundModes: [String] = []
  /// The app has scenes: their callbacks replace those of the app delegate.
  package var scenes = false
  /// The version of the SDK it was built with; below 4.0 there is no background.
  package var linkedSDK = ""
  /// The app writes its own life into the trace; for any other the host writes what it saw.
  package var records = true

  /// Modes in which an app runs on in the background while their service runs: no time is up there.
  ///
  /// An app that declares one of them and never says whether its service runs is taken to use it.
  package static let lastingModes: Set<String> = [
    "audio", "external-accessory", "bluetooth-central",
  ]
  /// The same, where the app has to say that the service runs.
  package static let modesOnDemand: Set<String> = ["location", "voip"]

  /// Whether it runs on in the background, by what it said of its services: running or not, by mode.
  package func runsOn(_ services: [String: Bool] = [:]) -> Bool {
    backgroundModes.contains { mode in
      Self.lastingModes.contains(mode) && services[mode] != false
        || Self.modesOnDemand.contains(mode) && services[mode] == true
    }
  }

  package init() {}
}

extension AppMessage {
  /// The message as one object of the wire.
  package var line: JSON {
    switch self {
    case .hello(let hello):
      let configuration = hello.configuration
      return .object([
        "op": "hello", "v": .int(hello.version), "app": .string(hello.app),
        "pid": .int(Int64(hello.pid)), "records": .bool(configuration.records),
        "config": .object([
          "exitsOnSuspend": .bool(configuration.exitsOnSuspend),
          "modes": .array(configuration.backgroundModes.map(JSON.string)),
          "scenes": .bool(configuration.scenes),
          "linkedSDK": .string(configuration.linkedSDK),
        ]),
      ])
    case .done(let number, let reply):
      var out: [String: JSON] = [
        "op": "done", "n": .int(Int64(number)), "accepted": .bool(reply.accepted),
      ]
      if let kept = reply.preserved { out["preserve"] = .object(kept.mapValues(JSON.string)) }
      return .object(out)
    case .taskBegan(let id, let name):
      return .object(["op": "task-began", "id": .int(Int64(id)), "name": .string(name)])
    case .taskEnded(let id): return .object(["op": "task-ended", "id": .int(Int64(id))])
    case .completed(let wake, let result):
      return .object(["op": "completed", "wake": .int(Int64(wake)), "result": .string(result)])
    case .callReported(let wake):
      return .object(["op": "call-reported", "wake": .int(Int64(wake))])
    case .service(let mode, let runs):
      return .object(["op": "service", "mode": .string(mode), "runs": .bool(runs)])
    case .observes(let type): return .object(["op": "observes", "type": .string(type)])
    case .said(let text): return .object(["op": "said", "text": .string(text)])
    }
  }

  /// Why `line` is no *hello*; nil when it is one.
  package static func faultOfHello(_ line: JSON) -> String? {
    guard line.object != nil else { return "it is no JSON object" }
    guard line["op"]?.string == "hello" else { return "its `op` is not `hello`" }
    if line["v"]?.int == nil { return "its `v` is no number" }
    if line["app"]?.string == nil { return "its `app` is no string" }
    if AppMessage(line: line) == nil { return "its `pid` is no process number" }
    return nil
  }

  /// Why `line` is no message; nil when it is one.
  package static func fault(of line: JSON) -> String? {
    guard line.object != nil else { return "it is no JSON object" }
    guard let op = line["op"]?.string else { return "its `op` is no string" }
    if op == "hello" { return faultOfHello(line) }
    guard AppMessage(line: line) == nil else { return nil }
    switch op {
    case "observes": return "its `type` is no string"
    case "service":
      return line["mode"]?.string == nil
        ? "its `mode` is no string" : "its `runs` is neither true nor false"
    default:
      guard let key = numbers[op] else { return "no message has its `op`" }
      guard let given = line[key] else { return "it has no `\(key)`" }
      return "its `\(key)` is \(given.int == nil ? "no whole number" : "below 0")"
    }
  }

  /// The number that a message cannot do without, by its `op`.
  private static let numbers = [
    "done": "n", "task-began": "id", "task-ended": "id", "completed": "wake",
    "call-reported": "wake",
  ]

  /// The message that `line` spells, or nil when it spells none.
  package init?(line: JSON) {
    func number(_ key: String) -> UInt64? { line[key]?.int.flatMap { UInt64(exactly: $0) } }
    switch line["op"]?.string {
    case "hello":
      guard let version = line["v"]?.int, let app = line["app"]?.string,
        let pid = line["pid"]?.int.flatMap({ Int32(exactly: $0) })
      else { return nil }
      var configuration = AppConfiguration()
      configuration.identifier = app
      let given = line["config"]
      configuration.exitsOnSuspend = given?["exitsOnSuspend"]?.bool ?? false
      configuration.backgroundModes = given?["modes"]?.array?.compactMap(\.string) ?? []
      configuration.scenes = given?["scenes"]?.bool ?? false
      configuration.linkedSDK = given?["linkedSDK"]?.string ?? ""
      configuration.records = line["records"]?.bool ?? false
      self = .hello(Hello(version: version, app: app, pid: pid, configuration: configuration))
    case "done":
      guard let number = number("n") else { return nil }
      self = .done(
        number: number,
        reply: EventReply(
          accepted: line["accepted"]?.bool ?? true,
          preserved: line["preserve"]?.object?.compactMapValues(\.string)
        )
      )
    case "task-began":
      guard let id = number("id") else { return nil }
      self = .taskBegan(id: id, name: line["name"]?.string ?? "")
    case "task-ended":
      guard let id = number("id") else { return nil }
      self = .taskEnded(id: id)
    case "completed":
      guard let wake = number("wake") else { return nil }
      self = .completed(wake: wake, result: line["result"]?.string ?? "")
    case "call-reported":
      guard let wake = number("wake") else { return nil }
      self = .callReported(wake: wake)
    case "service":
      guard let mode = line["mode"]?.string, let runs = line["runs"]?.bool else { return nil }
      self = .service(mode: mode, runs: runs)
    case "observes":
      guard let type = line["type"]?.string else { return nil }
      self = .observes(type)
    case "said": self = .said(line["text"]?.string ?? "")
    default: return nil
    }
  }
}

extension JSON: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}
