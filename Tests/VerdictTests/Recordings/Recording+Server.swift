// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

// Whoever sets a deadline asks a server something within it, and the server is recorded too.
extension Recording {
  /// How a server answers.
  enum Answer {
    case inTime, late
    /// The request gets lost on its way.
    case never
    /// Its machine says that the request came before it was sent.
    case early
  }

  /// A request that is made with a deadline, and its answer.
  private struct Exchange {
    let flow: UInt64
    let opened: Event
    /// The end of the deadline, where the answer arrives.
    let closed: Event
    let answer: Answer

    /// The events of the app: it asks, and hears.
    func asks(_ server: NameID) -> (Event, hears: Event?) {
      let asked = Payload.MessageSend(flow: flow, peer: server, bytes: 64, hlc: 0, count: 0)
      let heard = Payload.MessageReceive(flow: flow + 1, peer: server, bytes: 64, hlc: 0, count: 0)
      return (
        Event(asked, at: opened.time, thread: opened.thread),
        answer == .never ? nil : Event(heard, at: closed.time, thread: closed.thread)
      )
    }

    /// The events of the server: it hears, and answers.
    func answers(_ app: NameID) -> [Event] {
      if answer == .never {
        // That it hears others is known.
        let other = Payload.MessageReceive(flow: 0, peer: app, bytes: 64, hlc: 0, count: 0)
        return [Event(other, at: opened.time)]
      }
      let (start, length) = (opened.time.rawValue, closed.time.rawValue - opened.time.rawValue)
      let heard = HostTime(
        rawValue: answer == .early ? start - Recording.second : start + length / 4
      )
      let sent = HostTime(rawValue: start + length / 2)
      return [
        Event(
          Payload.MessageReceive(flow: flow, peer: app, bytes: 64, hlc: 0, count: 0),
          at: heard
        ),
        Event(Payload.MessageTrace(flow: flow + 1, high: 0, low: flow, parent: flow), at: sent),
        Event(
          Payload.MessageSend(flow: flow + 1, peer: app, bytes: 64, hlc: 0, count: 0),
          at: sent
        ),
      ]
    }
  }

  /// Nanoseconds.
  private static let second: Int64 = 1_000_000_000

  /// Of answers in time all deadlines have one, of others the first.
  ///
  /// False where nobody sets one, or where the app does not run on for as long as a late answer takes.
  @discardableResult
  mutating func addServer(_ answer: Answer = .inTime) -> Bool {
    let names = name(["box office", "server"])
    var server: [Event] = []
    var flow = UInt64(1) << 41
    for index in streams.indices where streams[index].attributes.role == .app {
      let app = name([streams[index].attributes.app])[0]
      for opened in streams[index].events where opened.kind == .deadlineOpen {
        guard answer == .inTime || server.isEmpty,
          let exchange = exchange(opened, of: index, flow, answer)
        else { continue }
        put(exchange, names[0], into: index)
        server += exchange.answers(app)
        flow += 2
      }
    }
    return server.isEmpty ? false : addStream(of: server, names[0], names[1])
  }

  private func exchange(
    _ opened: Event,
    of stream: Int,
    _ flow: UInt64,
    _ answer: Answer
  ) -> Exchange? {
    let events = streams[stream].events
    guard
      let place = events.firstIndex(where: {
        $0.kind == .deadlineClose && $0.identity == opened.identity && $0.time > opened.time
      })
    else { return nil }
    var closed = events[place]
    if answer == .late {
      let allowed = opened.time.rawValue + Payload.DeadlineOpen(opened).budget
      closed.time = HostTime(rawValue: allowed + Self.second)
      // An app that is suspended meanwhile hears nothing.
      let meanwhile = events[(place + 1)...].prefix { $0.time <= closed.time }
      guard meanwhile.count < events.count - place - 1,
        !meanwhile.contains(where: { $0.kind == .suspend || $0.kind == .processExit })
      else { return nil }
    }
    return Exchange(flow: flow, opened: opened, closed: closed, answer: answer)
  }

  private mutating func put(_ exchange: Exchange, _ server: NameID, into stream: Int) {
    var events = streams[stream].events
    let place = events.firstIndex {
      $0.kind == .deadlineClose && $0.identity == exchange.closed.identity
    }
    let begin = events.firstIndex {
      $0.kind == .deadlineOpen && $0.identity == exchange.opened.identity
    }
    guard let place, let begin else { return }
    events.remove(at: place)
    let late = events.firstIndex { $0.time > exchange.closed.time } ?? events.count
    let (asks, hears) = exchange.asks(server)
    events.insert(
      contentsOf: [hears, exchange.closed].compactMap(\.self),
      at: exchange.answer == .late ? late : place
    )
    events.insert(asks, at: begin + 1)
    streams[stream].events = Self.numbered(events)
  }

  /// The server's own recording, for as long as the apps are recorded.
  private mutating func addStream(of events: [Event], _ app: NameID, _ reason: NameID) -> Bool {
    guard let first = streams.first else { return false }
    let times = streams.flatMap { [$0.events.first, $0.events.last] }.compactMap { $0?.time }
    var attributes = first.attributes
    (attributes.app, attributes.process, attributes.role) = ("box office", "box office", .server)
    attributes.previous = nil
    attributes.started = min(
      times.min() ?? .init(rawValue: 0),
      events.first?.time ?? .init(rawValue: .max)
    )
    let start = Payload.ProcessStart(previous: 0, reason: reason, app: app)
    let sorted = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    let all =
      [Event(start, at: attributes.started)] + sorted.map(\.element)
      + [Event(Payload.Mark(), at: times.max() ?? attributes.started)]
    streams.append(
      MemorySource.Writer(
        id: WriterID(high: 0xB0C5, low: 0xF1CE),
        attributes: attributes,
        events: Self.numbered(all)
      )
    )
    return true
  }
}
