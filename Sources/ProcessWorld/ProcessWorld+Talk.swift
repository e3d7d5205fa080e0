// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetraceAppProtocol
import LifetraceJSON
import LifetracePlatform
import LifetraceScenario
import LifetraceTrace

/// What apps say, what is seen of them, and that they have ended.
extension ProcessWorld {
  func send(_ event: SystemEvent, number: UInt64, to app: Int, due: Int64) {
    slots[app].socket?.send(.event(number: number, event))
  }

  func pump(until time: Int64) -> [WorldEvent] {
    if !held.isEmpty {
      defer { held = [] }
      return held
    }
    for socket in overlong { socket.hangUp() }
    overlong = []
    let seen = takeSightings()
    if !seen.isEmpty { return seen }
    var descriptors = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
    var owners: [Int] = []
    for app in slots.indices {
      guard let socket = slots[app].socket, !slots[app].hungUp else { continue }
      let events = Int16(POLLIN) | (socket.hasUnsent ? Int16(POLLOUT) : 0)
      descriptors.append(pollfd(fd: socket.descriptor, events: events, revents: 0))
      owners.append(app)
    }
    let isBehind = owners.contains { slots[$0].socket?.hasLines == true }
    let left = max(0, min(time, now + (isListening ? 5_000_000 : 1_000_000_000)) - now)
    let milliseconds = Int32((left + 999_999) / 1_000_000)
    let ready = poll(&descriptors, nfds_t(descriptors.count), isBehind ? 0 : milliseconds)
    guard ready > 0 || isBehind else { return [] }
    var out: [WorldEvent] = []
    for (index, app) in owners.enumerated()
    where descriptors[index + 1].revents != 0 || slots[app].socket?.hasLines == true {
      out += serve(app)
    }
    if descriptors[0].revents != 0 {
      cplatform_drain(wakeUp)
      out += takeExits()
    }
    return out
  }

  private func serve(_ app: Int) -> [WorldEvent] {
    guard let socket = slots[app].socket else { return [] }
    if socket.peer < 0 {
      socket.accept()
      return []
    }
    socket.flush()
    switch socket.read() {
    case .closed:
      slots[app].hungUp = true
      return []
    case .overlong:
      // The signal is sent when its deed has been noted: many apps end by it.
      slots[app].hungUp = true
      overlong.append(socket)
      return [.garbage(app: app, "a line without end", fault: nil)]
    case .lines(let lines): return lines.compactMap { understand($0, from: app) }
    }
  }

  private func understand(_ line: ArraySlice<UInt8>, from app: Int) -> WorldEvent? {
    let json = try? JSON(parsing: line)
    if slots[app].opening == nil {
      let fault = json.map { AppMessage.faultOfHello($0) } ?? "it is no JSON object"
      slots[app].opening = (String(decoding: line.prefix(120), as: UTF8.self), fault ?? "")
    }
    if let message = json.flatMap({ AppMessage(line: $0) }) { return .said(app: app, message) }
    slots[app].garbage += 1
    if slots[app].garbage < Self.garbageMax {
      let fault = json.map { AppMessage.fault(of: $0) } ?? "it is no JSON object"
      return .garbage(app: app, String(decoding: line.prefix(60), as: UTF8.self), fault: fault)
    }
    // An app that says nothing else must not fill the recording.
    guard slots[app].garbage == Self.garbageMax else { return nil }
    return .garbage(app: app, "and more, which is not noted", fault: nil)
  }

  /// Lines of a launch that are no message and are noted.
  private static let garbageMax = 100

  private func takeExits() -> [WorldEvent] {
    let gone = exits.pids.withLock { pids in
      defer { pids = [] }
      return pids
    }
    return gone.compactMap { pid in
      guard let app = slots.firstIndex(where: { $0.process?.pid == pid }) else { return nil }
      slots[app].lastStatus = slots[app].process?.status
      slots[app].output?.leave()
      slots[app].process = nil
      slots[app].socket = nil
      slots[app].greeting = nil
      return .ended(app: app)
    }
  }

  /// What was recorded of apps since the last look.
  private func takeSightings() -> [WorldEvent] {
    // In slices, because a recorder at rest looks but ten times a second.
    if isListening { recorder.catchUp() }
    let found = sightings.take()
    guard !found.sightings.isEmpty else { return [] }
    for app in slots.indices {
      meetWriter(of: app)
      if let writer = slots[app].writer { appOfWriter[writer] = app }
    }
    let seen: [WorldEvent] = found.sightings.compactMap { sighting in
      appOfWriter[sighting.writer].map { .seen(app: $0, sighting) }
    }
    let missed: [WorldEvent] = found.missed.compactMap { writer, count in
      appOfWriter[writer].map { .missed(app: $0, writer, count: count) }
    }
    return seen + missed
  }
}
