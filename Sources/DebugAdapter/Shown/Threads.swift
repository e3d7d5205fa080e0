// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A thread of a writer.
struct ThreadKey: Hashable {
  var stream: StreamID
  var thread: ThreadID
}

/// Threads by the numbers that the client knows: they stay as long as the session.
struct ThreadTable {
  private var numbers: [ThreadKey: Int] = [:]
  private var keys: [ThreadKey] = []

  /// The number of a thread, from 1.
  mutating func number(of key: ThreadKey) -> Int {
    if let known = numbers[key] { return known }
    keys.append(key)
    numbers[key] = keys.count
    return keys.count
  }

  /// The thread of that number; nil for none.
  subscript(number: Int) -> ThreadKey? {
    1..<keys.count + 1 ~= number ? keys[number - 1] : nil
  }
}

extension DebugAdapter {
  /// More are not listed.
  private static let threadsMax = 1_000

  /// The thread of the event on which it stands, else the main one of the writer in focus.
  func hereKey(_ session: Session) -> ThreadKey {
    let player = session.player
    guard let event = player.event else { return ThreadKey(stream: player.focus, thread: .main) }
    return ThreadKey(stream: event.stream, thread: event.thread)
  }

  /// The thread that a request is about; without one, that of the event.
  func thread(_ arguments: Arguments) throws -> ThreadKey {
    let session = try session()
    guard let number = arguments.number("threadId") else { return hereKey(session) }
    guard let key = threads[number] else {
      throw Refusal("There is no thread \(number): threads lists them.")
    }
    return key
  }

  /// The threads of the writers that live here: the main one, and those on which something is open.
  func listThreads(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let player = session.player
    let here = hereKey(session)
    var keys: [ThreadKey] = []
    for stream in player.timeline.startOrder.map({ StreamID(rawValue: UInt32($0)) }) {
      guard player.cursor(of: stream) > 0 || stream == here.stream else { continue }
      let isBystander = player.timeline.streams[Int(stream.rawValue)].attributes.role == .bystander
      let state = player.state(of: stream)
      guard stream == here.stream || !isBystander && state.process.ending == nil else { continue }
      var open = Set(state.spans.values.map(\.thread) + [.main])
      if stream == here.stream { open.insert(here.thread) }
      keys += open.sorted { $0.rawValue < $1.rawValue }.map {
        ThreadKey(stream: stream, thread: $0)
      }
      if keys.count > Self.threadsMax { break }
    }
    let list = keys.map { key in
      let name = "\(player.labels[key.stream]) \(Wording.thread(key.thread))"
      return JSON.object([
        ("id", JSON(threads.number(of: key))), ("name", .string(Printable.line(name))),
      ])
    }
    return Reply([("threads", .array(list))])
  }
}
