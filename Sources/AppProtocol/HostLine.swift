// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON

/// A line from the host to an app.
package enum HostLine: Sendable, Hashable {
  /// The answer to *hello*.
  case welcome(Welcome)
  /// Something happens; the app answers `done` with the same number.
  case event(number: UInt64, SystemEvent)

  /// What the app must know of the system it lives in.
  package struct Welcome: Sendable, Hashable {
    /// The profile's name, such as `ios13`.
    package var profile = "ios13"
    /// Real nanoseconds per 1,000 nominal ones.
    package var timeScale: UInt32 = 1000
    /// How long a background task may run, in nominal seconds; ``secondsWithoutLimit`` for as long as it likes.
    package var taskSeconds = 30.0
    /// The same for one that does not run on in the background.
    package var limitSeconds = 30.0
    /// The system draws scenes: an app with a scene delegate gets scene callbacks.
    package var scenes = true

    package init() {}

    /// What stands for no limit: as nanoseconds it still fits a signed word.
    package static let secondsWithoutLimit = 9e9

    /// Grants an app's tasks `limit` nanoseconds, or no end where it runs on in the background.
    package mutating func grantTasks(_ limit: Int64, to app: AppConfiguration) {
      limitSeconds = Double(limit) / 1e9
      taskSeconds = app.runsOn() ? Self.secondsWithoutLimit : limitSeconds
    }

    /// What an app reads as its state in didEnterBackground after a lock.
    package var lockReadsInactive: Bool { profile == "classic" }

    /// Since iOS 8 view controllers hear of a turn as a new size of their view.
    package var hasSizeTransitions: Bool { !["classic", "ios4", "ios7"].contains(profile) }
  }

  /// The line as one object of the wire.
  package var line: JSON {
    switch self {
    case .welcome(let welcome):
      return .object([
        "op": "welcome", "v": .int(AppMessage.Hello.version), "profile": .string(welcome.profile),
        "timeScale": .int(Int64(welcome.timeScale)), "taskSeconds": .double(welcome.taskSeconds),
        "limitSeconds": .double(welcome.limitSeconds),
        "scenes": .bool(welcome.scenes),
      ])
    case .event(let number, let event):
      var members = event.members
      members["op"] = "event"
      members["n"] = .int(Int64(number))
      return .object(members)
    }
  }

  /// What `line` spells, or nil when it spells nothing known.
  package init?(line: JSON) {
    switch line["op"]?.string {
    case "welcome":
      var welcome = Welcome()
      welcome.profile = line["profile"]?.string ?? welcome.profile
      welcome.timeScale = line["timeScale"]?.int.flatMap { UInt32(exactly: $0) } ?? 1000
      welcome.taskSeconds = line["taskSeconds"]?.double ?? welcome.taskSeconds
      welcome.limitSeconds = line["limitSeconds"]?.double ?? welcome.limitSeconds
      welcome.scenes = line["scenes"]?.bool ?? true
      self = .welcome(welcome)
    case "event":
      guard let number = line["n"]?.int.flatMap({ UInt64(exactly: $0) }),
        let event = SystemEvent(line: line)
      else { return nil }
      self = .event(number: number, event)
    default: return nil
    }
  }
}
