// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace
package import LifetraceTraceFile

/// Takes chunks from a server into a ``Collection``, and says what it has.
///
/// A batch is written, made safe with one `fdatasync`, told to senders, and only then acknowledged:
/// whatever it is killed between, the server delivers again, and what is there already is known.
package final class Collector {
  /// How chunks are fetched.
  package struct Options: Sendable {
    /// The stream on the server; nil for the one that is named after tenant and partitions.
    package var stream: String?
    /// So many servers of a cluster keep what waits, where it is this collector that makes the stream.
    package var replicas = 1
    /// So many bytes may wait on the server, where it is this collector that makes the stream.
    package var streamBytesMax: Int64 = 1 << 30
    /// The server drops a chunk that it got within this time before, in milliseconds.
    package var duplicateWindow: Int64 = 120_000
    /// At this size of the folder no more is fetched; nil for none.
    package var bytesMax: UInt64?

    /// Of a session no more bytes than these are taken; nil for no limit.
    package var sessionBytesMax: UInt64?

    /// The defaults.
    package init() {}
  }

  /// A batch has at most this many chunks.
  package static let batchMax = 64
  /// A batch is closed after this time, in milliseconds.
  package static let batchTime: Int64 = 100
  /// So many chunks are asked for at once.
  private static let pullMax = 256
  /// A question for chunks is open for this time, in milliseconds.
  private static let pullTime = 2_000

  /// Chunks that were damaged on their way.
  package private(set) var damaged = 0
  /// Chunks that were there already.
  package private(set) var known = 0
  /// Chunks that were refused, as their session had its size; one may be counted again.
  package private(set) var refused = 0
  /// Chunks that were stored.
  package private(set) var stored = 0

  private let collection: Collection
  private let subjects: Subjects
  private let options: Options
  private let surroundings: Surroundings
  private let connect: () throws(LinkError) -> any Link
  private var inbox = ""
  private var said = ""
  /// Sessions of which chunks were refused.
  private var full: Set<String> = []
  /// Chunks that were asked for and have not come.
  private var outstanding = 0
  private var pulledAt: Int64 = 0
  private var pulls = 0

  /// Collects a tenant's chunks over links that `connect` makes.
  package init(
    _ collection: Collection,
    _ subjects: Subjects,
    _ options: Options,
    _ surroundings: Surroundings,
    connect: @escaping () throws(LinkError) -> any Link
  ) {
    self.collection = collection
    self.subjects = subjects
    self.options = options
    self.surroundings = surroundings
    self.connect = connect
  }

  /// Collects until it should stop; then the open segment has its index.
  package func run() throws(Sender.Failure) {
    var backoff = Backoff()
    while !surroundings.shouldStop() {
      var problem: TraceFileError?
      do throws(LinkError) {
        let link = try begin()
        sayOnce(
          "collecting lt.\(subjects.tenant).\(subjects.isWhole ? "*" : subjects.partitionText).*.* into "
            + Printable.line(collection.folder)
        )
        backoff.reset()
        while problem == nil, !surroundings.shouldStop() { problem = try step(link) }
      } catch {
        guard error.kind == .away else { throw .link(error) }
        sayOnce("\(error); trying again")
        surroundings.pause(backoff.next(surroundings.random()))
      }
      if let problem { throw .file(problem) }
    }
    do throws(TraceFileError) { try collection.close() } catch { throw .file(error) }
  }

  private var consumer: String { "lt-\(subjects.tenant)" }
  private var stream: String { options.stream ?? subjects.stream }

  /// Makes a link, sees to the stream on the server, and listens to questions.
  package func begin() throws(LinkError) -> any Link {
    let link = try connect()
    inbox = subjects.newInbox(surroundings.random())
    try link.subscribe(to: inbox + ".>")
    try JetStream(link: link, inbox: inbox).prepare(
      stream: stream,
      consumer: consumer,
      subjects,
      JetStream.Limits(
        replicas: options.replicas,
        bytesMax: options.streamBytesMax,
        duplicateWindow: options.duplicateWindow * 1_000_000
      )
    )
    try link.subscribe(to: subjects.questions)
    outstanding = 0
    return link
  }

  /// Takes one batch, or waits for one for at most 100 ms; what its own disk refuses is handed back.
  package func step(_ link: any Link) throws(LinkError) -> TraceFileError? {
    try pull(link)
    var batch: [LinkMessage] = []
    let deadline = surroundings.now() + Self.batchTime
    var wait = Int(Self.batchTime)
    while batch.count < Self.batchMax, let message = try link.next(within: wait) {
      if let session = Subjects.session(ofQuestion: message.subject) {
        try answer(message, session, link)
      } else if message.status != 0 {
        if message.status == 409 || message.status == 503 {
          throw LinkError(.away, "the server has given up the consumer (\(message.status))")
        }
        outstanding = 0
      } else {
        batch.append(message)
        outstanding -= 1
      }
      wait = Int(max(0, deadline - surroundings.now()))
    }
    return batch.isEmpty ? nil : try take(batch, link)
  }

  /// Asks for chunks, unless enough were asked for, or the folder is full.
  private func pull(_ link: any Link) throws(LinkError) {
    let now = surroundings.now()
    guard !isFull else {
      sayOnce("\(Printable.line(collection.folder)) has the size that --max-size allows")
      return
    }
    guard outstanding < Self.batchMax || now - pulledAt > Int64(Self.pullTime) else { return }
    pulls += 1
    try JetStream(link: link, inbox: inbox).pull(
      Self.pullMax,
      stream: stream,
      consumer: consumer,
      within: Self.pullTime,
      reply: "\(inbox).pull\(pulls)"
    )
    outstanding = Self.pullMax
    pulledAt = now
  }

  private var isFull: Bool { options.bytesMax.map { collection.bytes >= $0 } ?? false }

  /// Stores a batch, makes it safe, tells of it and acknowledges it.
  private func take(
    _ batch: [LinkMessage],
    _ link: any Link
  ) throws(LinkError) -> TraceFileError? {
    var told: [String: Set<WriterID>] = [:]
    var answers: [(to: String, word: String)] = []
    do throws(TraceFileError) {
      for message in batch {
        guard let chunk = try? TravellingChunk(checking: message.body) else {
          // It is the sender's to send it again: this copy is of no use to anybody.
          damaged += 1
          answers.append((message.reply, "+TERM"))
          continue
        }
        let session = Session.name(of: chunk.header)
        told[session, default: []].insert(chunk.identity.writer)
        if let most = options.sessionBytesMax, collection.isOver(most, with: chunk) {
          refuse(session, most)
          answers.append((message.reply, "+TERM"))
          continue
        }
        switch try collection.take(chunk) {
        case .stored: stored += 1
        case .known: known += 1
        case .conflict:
          surroundings.say(
            "other bytes under the numbers of a chunk that is there, kept in "
              + "\(Printable.line(collection.folder))/conflicts: \(chunk.identity.text)"
          )
        }
        answers.append((message.reply, "+ACK"))
      }
      try collection.synchronize()
    } catch {
      return error
    }
    for (session, writers) in told {
      for writer in writers {
        try link.publish(LinkMessage(subjects.have(session), have(writer, session).body))
      }
    }
    for (reply, word) in answers { try link.publish(LinkMessage(reply, Array(word.utf8))) }
    return nil
  }

  /// Says what is there, where all who send that session listen.
  ///
  /// Never where the question wants it: with this collector's rights that might be the server's own
  /// interface, and the answer an order to throw away what waits.
  private func answer(_ question: LinkMessage, _ session: String, _ link: any Link)
    throws(LinkError)
  {
    guard Subjects.isWord(session), subjects.takes(session) else { return }
    for writer in Question.writers(question.body) {
      try link.publish(LinkMessage(subjects.have(session), have(writer, session).body))
    }
  }

  private func have(_ writer: WriterID, _ session: String) -> Have {
    Have(writer, collection.held(of: writer), isFull: full.contains(session))
  }

  private func refuse(_ session: String, _ bytesMax: UInt64) {
    refused += 1
    guard full.insert(session).inserted else { return }
    surroundings.say(
      "session \(Printable.line(session)) has the \(Quantity.bytes(bytesMax)) that --max-session allows; "
        + "no more of it is taken"
    )
  }

  private func sayOnce(_ sentence: String) {
    if said != sentence { surroundings.say(sentence) }
    said = sentence
  }
}
