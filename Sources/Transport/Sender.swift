// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace
package import LifetraceTraceFile
internal import LifetraceJSON

/// Where a sender's chunks come from.
package protocol ChunkSource: AnyObject {
  /// What is new since it was asked last, made safe against a power cut.
  func newChunks() throws(TraceFileError) -> [(identity: ChunkIdentity, session: String)]
  /// The bytes of a chunk, by its place among all that it has handed out.
  func body(of number: Int) throws(TraceFileError) -> [UInt8]
  /// A collector has these, safe against a power cut.
  func arrived(_ have: Have)
  /// Whether nothing more will come.
  var hasEnded: Bool { get }
}

/// Time, chance and words, handed in.
package struct Surroundings {
  /// Milliseconds on a clock that never goes back.
  package var now: () -> Int64
  /// Waits so many milliseconds, or until it should stop.
  package var pause: (Int) -> Void
  /// Random bits.
  package var random: () -> UInt64
  /// Whether it should stop.
  package var shouldStop: () -> Bool
  /// One sentence to the user.
  package var say: (String) -> Void

  /// All of them.
  package init(
    now: @escaping () -> Int64,
    pause: @escaping (Int) -> Void,
    random: @escaping () -> UInt64,
    shouldStop: @escaping () -> Bool,
    say: @escaping (String) -> Void
  ) {
    self.now = now
    self.pause = pause
    self.random = random
    self.shouldStop = shouldStop
    self.say = say
  }
}

/// Sends chunks until a collector has them, over as many links as that takes.
///
///     let sender = Sender(source, subjects, surroundings) { try NATSLink(access) }
///     let isAll = try sender.run()
///
/// One thread; it wakes at each message and each 50 ms.
package final class Sender {
  /// How it ended.
  package enum Outcome: Hashable, Sendable {
    /// A collector has every chunk.
    case done
    /// A collector has every chunk but those that are more than the server takes.
    case tooLarge
    /// It was stopped, or its time was up.
    case stopped
  }

  /// How far the chunks are.
  package private(set) var shipment: Shipment
  /// Bytes that were sent, again ones included.
  package private(set) var bytesSent: UInt64 = 0

  private let source: any ChunkSource
  private let subjects: Subjects
  private let surroundings: Surroundings
  private let connect: () throws(LinkError) -> any Link
  /// The session of each chunk, and the writers of each session.
  private var sessionOf: [String] = []
  private var writers: [String: Set<WriterID>] = [:]
  private var inbox = ""
  /// The size of the largest chunk that was more than the server takes, in bytes; 0 for none.
  private var tooLargeBytes = 0
  /// What was said last, so that it is said once.
  private var said = ""
  private var askedAt: Int64
  /// What a collector has is not sent: its answer to the last question is waited for, a little.
  private var isAnswerAwaited = false
  /// So long, in milliseconds.
  private static let answerMax: Int64 = 500
  /// Sessions that were not listened to yet.
  private var newSessions: [String] = []

  /// While chunks wait for a collector, it is asked this often, in milliseconds.
  private let askEvery: Int64

  /// Sends what `source` has over links that `connect` makes.
  package init(
    _ source: any ChunkSource,
    _ subjects: Subjects,
    resendAfter: Int64,
    _ surroundings: Surroundings,
    connect: @escaping () throws(LinkError) -> any Link
  ) {
    self.source = source
    self.subjects = subjects
    self.surroundings = surroundings
    self.connect = connect
    shipment = Shipment(resendAfter: resendAfter)
    askEvery = resendAfter / 6
    askedAt = surroundings.now()
  }

  /// Why it cannot go on.
  package enum Failure: Error {
    /// The link will never do.
    case link(LinkError)
    /// The file cannot be read.
    case file(TraceFileError)
  }

  /// Sends until all is done or it should stop.
  package func run() throws(Failure) -> Outcome {
    var backoff = Backoff()
    while !surroundings.shouldStop() {
      do throws(Failure) {
        let link = try begin()
        backoff.reset()
        if try converse(link) { return shipment.isDone ? .done : .tooLarge }
      } catch .link(let error) where error.kind == .away {
        sayOnce("\(error); trying again")
        disconnect()
        surroundings.pause(backoff.next(surroundings.random()))
      }
    }
    return .stopped
  }

  /// Makes a link, listens to collectors and asks them what they have.
  package func begin() throws(Failure) -> any Link {
    try takeNew()
    return try taking { () throws(LinkError) in
      let link = try connect()
      inbox = subjects.newInbox(surroundings.random())
      try link.subscribe(to: inbox + ".>")
      newSessions = Array(writers.keys)
      try listen(link)
      return link
    }
  }

  /// The link is gone: what is under way over it may be lost.
  package func disconnect() { shipment.disconnect() }

  private func taking<Result>(
    _ body: () throws(LinkError) -> Result
  ) throws(Failure) -> Result {
    do throws(LinkError) { return try body() } catch { throw .link(error) }
  }

  /// Until nothing more can be done (true), or it should stop.
  private func converse(_ link: any Link) throws(Failure) -> Bool {
    while !surroundings.shouldStop() {
      if try step(link) { return true }
    }
    return false
  }

  /// Sends what is due and takes what has come, for at most 50 ms; whether nothing more can be done.
  package func step(_ link: any Link) throws(Failure) -> Bool {
    try takeNew()
    try taking { () throws(LinkError) in try listen(link) }
    if shipment.isSettled, source.hasEnded { return true }
    let now = surroundings.now()
    let isDue = shipment.tick(at: now)
    try taking { () throws(LinkError) in
      if isDue || shipment.acknowledged > 0, now - askedAt >= askEvery { try ask(link) }
    }
    if !isAnswerAwaited || now - askedAt >= Self.answerMax {
      while let order = shipment.next(at: surroundings.now()) { try send(order, link) }
    }
    try taking { () throws(LinkError) in
      var message = try link.next(within: 50)
      while let next = message {
        take(next)
        message = try link.next(within: 0)
      }
    }
    return false
  }

  /// Takes in what the source has that is new.
  private func takeNew() throws(Failure) {
    do throws(TraceFileError) {
      for chunk in try source.newChunks() {
        shipment.add(chunk.identity)
        sessionOf.append(chunk.session)
        if writers[chunk.session] == nil { newSessions.append(chunk.session) }
        writers[chunk.session, default: []].insert(chunk.identity.writer)
      }
    } catch {
      throw .file(error)
    }
  }

  /// Listens to what is said of sessions that were not listened to, and asks.
  private func listen(_ link: any Link) throws(LinkError) {
    guard !newSessions.isEmpty else { return }
    for session in newSessions { try link.subscribe(to: subjects.have(session)) }
    newSessions = []
    try ask(link)
  }

  /// Asks collectors what they have of the writers of whom something is open.
  private func ask(_ link: any Link) throws(LinkError) {
    askedAt = surroundings.now()
    isAnswerAwaited = true
    let open = shipment.openWriters
    for (session, all) in writers {
      let asked = all.filter(open.contains).sorted().map { JSON.string($0.text) }
      for start in stride(from: 0, to: asked.count, by: Question.writersMax) {
        let part = asked[start..<min(start + Question.writersMax, asked.count)]
        try link.publish(
          LinkMessage(subjects.question(session), Array(JSON.array(Array(part)).text.utf8))
        )
      }
    }
  }

  private func send(_ order: Shipment.Order, _ link: any Link) throws(Failure) {
    let body: [UInt8]
    do throws(TraceFileError) { body = try source.body(of: order.number) } catch {
      throw .file(error)
    }
    guard body.count + LinkMessage.headerBytesMax <= link.bodyBytesMax else {
      return setAside(order.number, body.count, link)
    }
    let identity = shipment.identity(of: order.number)
    try taking { () throws(LinkError) in
      try link.publish(
        LinkMessage(
          subjects.chunk(session: sessionOf[order.number], writer: identity.writer),
          body,
          reply: "\(inbox).\(order.number)",
          id: order.id
        )
      )
    }
    bytesSent += UInt64(body.count)
  }

  /// A chunk that the server of this link does not take holds none of the others up.
  private func setAside(_ number: Int, _ bytes: Int, _ link: any Link) {
    shipment.setAside(number)
    guard bytes > tooLargeBytes else { return }
    tooLargeBytes = bytes
    surroundings.say(
      "a chunk of \(Quantity.bytes(UInt64(bytes))) is more than the server takes "
        + "(\(Quantity.bytes(UInt64(link.bodyBytesMax)))); it is left here, and the others are sent\n"
        + "  Set max_payload in the server's configuration, and ship again: max_payload: "
        + "\(bytes + 65_536)"
    )
  }

  private func take(_ message: LinkMessage) {
    let now = surroundings.now()
    if let number = message.subject.split(separator: ".").last.flatMap({ Int($0) }),
      message.subject.hasPrefix(inbox + ".")
    {
      switch JetStream.answer(message) {
      case .taken: shipment.acknowledge(number, at: now)
      case .refused(let why):
        sayOnce("the server takes no chunk at the moment: \(Printable.line(why)); trying again")
        shipment.postpone(number, until: now + Self.refusedWait)
      case .nobody:
        sayOnce(
          "the server has no stream for chunks yet; `lifetrace collect` makes it; trying again"
        )
        shipment.postpone(number, until: now + Self.refusedWait)
      }
    } else {
      guard message.status == 0, let have = Have(message.body) else { return }
      isAnswerAwaited = false
      shipment.note(have, at: now)
      source.arrived(have)
      if have.isFull, !shipment.isDone {
        sayOnce(
          "the collector takes no more of this session: it has the size that is allowed there "
            + "(collect --max-session)"
        )
      }
    }
  }

  /// What a server refused is sent again after this time, in milliseconds.
  private static let refusedWait: Int64 = 1_000

  private func sayOnce(_ sentence: String) {
    if said != sentence { surroundings.say(sentence) }
    said = sentence
  }
}

/// What a sender asks collectors for.
enum Question {
  /// More writers are asked for in several questions.
  static let writersMax = 256

  /// The writers that a question names; those that are none are left out.
  static func writers(_ body: [UInt8]) -> [WriterID] {
    guard body.count <= Have.bytesMax, let json = try? JSON(parsing: body) else { return [] }
    return (json.array ?? []).prefix(writersMax).compactMap {
      $0.string.flatMap(WriterID.init(text:))
    }
  }
}
