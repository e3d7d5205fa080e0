// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON

extension SystemEvent {
  /// The members of the event on the wire, without `op` and `n`.
  package var members: [String: JSON] {
    var out: [String: JSON] = ["event": .string(name)]
    switch self {
    case .launch(let launch):
      out["reason"] = .string(launch.reason)
      out["background"] = .bool(launch.background)
      out["protected"] = .bool(launch.protectedDataAvailable)
      out["incarnation"] = .int(Int64(launch.incarnation))
      launch.url?.add(to: &out)
      if let held = launch.orientation { out["orientation"] = .string(held.rawValue) }
      if let wake = launch.wake { out["wake"] = .string(wake.rawValue) }
      if let kept = launch.restoration { out["restore"] = .object(kept.mapValues(JSON.string)) }
    case .becomeActive(let cause), .resignActive(let cause), .enterBackground(let cause):
      out["cause"] = .string(cause)
    case .enterForeground(let cause, let url):
      out["cause"] = .string(cause)
      url?.add(to: &out)
    case .terminate, .memoryWarning, .significantTimeChange: break
    case .openURL(let url): url.add(to: &out)
    case .notificationResponse(let payload): out["payload"] = .string(payload)
    case .protectedData(let available), .protection(let available):
      out["available"] = .bool(available)
    case .statusBarFrame(let old, let new):
      out["old"] = .int(Int64(old))
      out["new"] = .int(Int64(new))
    case .wake(let reason, let id, let payload, let seconds):
      out["reason"] = .string(reason.rawValue)
      out["id"] = .int(Int64(id))
      out["payload"] = .string(payload)
      out["seconds"] = .double(seconds)
    case .notification(let type, let key, let value):
      out["type"] = .string(type)
      out["key"] = .string(key)
      out["value"] = .string(value)
    case .touch(let view): out["view"] = .string(view)
    case .control(let what), .motion(let what): out["what"] = .string(what)
    case .rotate(let orientation): out["to"] = .string(orientation.rawValue)
    case .expire(let task): out["task"] = .int(Int64(task))
    case .expireWake(let wake): out["wake"] = .int(Int64(wake))
    case .tell(let word, let value):
      out["word"] = .string(word)
      out["value"] = value
    }
    return out
  }

  /// The event that `line` spells, or nil when a member is missing or of the wrong type.
  package init?(line: JSON) {
    func text(_ key: String) -> String? { line[key]?.string }
    func number(_ key: String) -> UInt64? { line[key]?.int.flatMap { UInt64(exactly: $0) } }
    switch text("event") {
    case "launch":
      self = .launch(
        Launch(
          reason: text("reason") ?? "icon",
          background: line["background"]?.bool ?? false,
          url: OpenedURL(line: line),
          wake: text("wake").flatMap(WakeReason.init(rawValue:)),
          restoration: line["restore"]?.object?.compactMapValues(\.string),
          protectedDataAvailable: line["protected"]?.bool ?? true,
          incarnation: Int(clamping: line["incarnation"]?.int ?? 1),
          orientation: text("orientation").flatMap(Orientation.init(rawValue:))
        )
      )
    case "become-active": self = .becomeActive(cause: text("cause") ?? "")
    case "resign-active": self = .resignActive(cause: text("cause") ?? "")
    case "enter-background": self = .enterBackground(cause: text("cause") ?? "")
    case "enter-foreground":
      self = .enterForeground(cause: text("cause") ?? "", url: OpenedURL(line: line))
    case "terminate": self = .terminate
    case "memory-warning": self = .memoryWarning
    case "significant-time-change": self = .significantTimeChange
    case "open-url":
      guard let url = OpenedURL(line: line) else { return nil }
      self = .openURL(url)
    case "notification-response": self = .notificationResponse(payload: text("payload") ?? "")
    case "protected-data":
      guard let available = line["available"]?.bool else { return nil }
      self = .protectedData(available: available)
    case "protection":
      guard let available = line["available"]?.bool else { return nil }
      self = .protection(available: available)
    case "status-bar-frame":
      guard let old = line["old"]?.int, let new = line["new"]?.int else { return nil }
      self = .statusBarFrame(old: Int(clamping: old), new: Int(clamping: new))
    case "wake":
      guard let reason = text("reason").flatMap(WakeReason.init(rawValue:)), let id = number("id")
      else { return nil }
      self = .wake(
        reason: reason,
        id: id,
        payload: text("payload") ?? "",
        seconds: max(0, line["seconds"]?.double ?? 0)
      )
    case "notification":
      guard let type = text("type") else { return nil }
      self = .notification(type: type, key: text("key") ?? "", value: text("value") ?? "")
    case "touch": self = .touch(view: text("view") ?? "")
    case "control": self = .control(text("what") ?? "")
    case "motion": self = .motion(text("what") ?? "")
    case "rotate":
      guard let to = text("to").flatMap(Orientation.init(rawValue:)) else { return nil }
      self = .rotate(to)
    case "expire":
      guard let task = number("task") else { return nil }
      self = .expire(task: task)
    case "expire-wake":
      guard let wake = number("wake") else { return nil }
      self = .expireWake(wake)
    case "tell":
      guard let word = text("word") else { return nil }
      self = .tell(word: word, value: line["value"] ?? .null)
    default: return nil
    }
  }
}

extension SystemEvent.OpenedURL {
  /// What an event that has a URL says of it; nil for one without.
  fileprivate init?(line: JSON) {
    guard let url = line["url"]?.string else { return nil }
    self.init(url, from: line["source"]?.string)
  }

  fileprivate func add(to members: inout [String: JSON]) {
    members["url"] = .string(url)
    if let source { members["source"] = .string(source) }
  }
}
