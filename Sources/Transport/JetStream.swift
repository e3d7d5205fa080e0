// SPDX-License-Identifier: Apache-2.0
internal import LifetraceJSON
internal import LifetraceTrace

/// The words of JetStream, as far as they are used here: each of them is a message like any other.
///
/// Nothing needs a server later than 2.9.
struct JetStream {
  /// How a server that keeps chunks is set up, where nobody has done so.
  struct Limits {
    /// So many servers of a cluster have each chunk before it is acknowledged.
    var replicas: Int
    /// Bytes of chunks that no collector has taken yet; then senders wait.
    var bytesMax: Int64
    /// A second message of one id is dropped within this time, in nanoseconds.
    var duplicateWindow: Int64
  }

  /// A collector that has taken chunks and says nothing is not waited for longer, in nanoseconds.
  static let acknowledgementWait: Int64 = 5_000_000_000
  /// So many chunks may be with collectors and not acknowledged.
  static let pendingMax = 1_024
  /// An answer to a request comes within this time, in milliseconds, or the link is given up.
  static let answerMax = 5_000

  let link: any Link
  let inbox: String

  /// Sees to it that there is a stream with this name that takes these chunks, and one consumer of
  /// them; throws where one is there that takes others.
  func prepare(
    stream: String,
    consumer: String,
    _ subjects: Subjects,
    _ limits: Limits
  ) throws(LinkError) {
    let info = try request("STREAM.INFO.\(stream)", .object([(String, JSON)]()))
    if info["error"]?["code"]?.int == 404 {
      let made = try request(
        "STREAM.CREATE.\(stream)",
        .object([
          ("name", .string(stream)), ("subjects", .array(subjects.chunks.map { .string($0) })),
          // What a collector has is in its files: the server gives it up.
          ("retention", .string("workqueue")), ("storage", .string("file")),
          // A full server refuses rather than forgets: the sender has it still.
          ("discard", .string("new")), ("max_bytes", .int(limits.bytesMax)),
          ("duplicate_window", .int(limits.duplicateWindow)),
          ("num_replicas", JSON(limits.replicas)),
          ("max_consumers", .int(-1)), ("max_msgs", .int(-1)), ("max_age", .int(0)),
          ("max_msg_size", .int(-1)),
        ])
      )
      try Self.check(made, "make the stream \(stream)")
    } else {
      try Self.check(info, "see the stream \(stream)")
      try Self.check(info, stream, takes: subjects)
    }
    let made = try request(
      "CONSUMER.DURABLE.CREATE.\(stream).\(consumer)",
      .object([
        ("stream_name", .string(stream)),
        (
          "config",
          .object([
            ("durable_name", .string(consumer)), ("ack_policy", .string("explicit")),
            ("ack_wait", .int(Self.acknowledgementWait)), ("deliver_policy", .string("all")),
            ("replay_policy", .string("instant")),
            // One consumer has one filter; a stream of some partitions has no other chunks.
            ("filter_subject", .string(subjects.isWhole ? subjects.chunks[0] : "")),
            ("max_ack_pending", JSON(Self.pendingMax)), ("max_deliver", .int(-1)),
          ])
        ),
      ])
    )
    try Self.check(made, "make the consumer \(consumer) of the stream \(stream)")
  }

  /// Asks for up to `count` chunks, which come to `reply` within so many milliseconds.
  func pull(
    _ count: Int,
    stream: String,
    consumer: String,
    within milliseconds: Int,
    reply: String
  ) throws(LinkError) {
    var body: [UInt8] = []
    JSON.write(
      [("batch", JSON(count)), ("expires", .int(Int64(milliseconds) * 1_000_000))],
      to: &body
    )
    try link.publish(
      LinkMessage("$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", body, reply: reply)
    )
  }

  private func request(_ what: String, _ body: JSON) throws(LinkError) -> JSON {
    let reply = "\(inbox).api"
    try link.publish(LinkMessage("$JS.API.\(what)", Array(body.text.utf8), reply: reply))
    // Nothing else is under way on a link that was just made; what comes all the same is asked again.
    while let message = try link.next(within: Self.answerMax) {
      guard message.subject == reply else { continue }
      guard message.status != 503 else {
        throw LinkError(
          .refused,
          "the server has no JetStream for this account\n"
            + "  Start it with: nats-server -js -sd FOLDER"
        )
      }
      guard let json = try? JSON(parsing: message.body) else { break }
      return json
    }
    throw LinkError(.away, "the server does not answer ($JS.API.\(what))")
  }

  /// The server's number for: no servers that could keep so many replicas.
  private static let noPeers: Int64 = 10_005

  private static func check(_ answer: JSON, _ what: String) throws(LinkError) {
    guard let error = answer["error"] else { return }
    let code = error["code"]?.int ?? 0
    let text = error["description"]?.string ?? "no reason is given"
    // Of a cluster that begins not all servers are there yet.
    let isEarly = code == 503 || error["err_code"]?.int == noPeers
    throw LinkError(isEarly ? .away : .refused, "cannot \(what): \(text) (\(code))")
  }

  /// A stream of some partitions must take these and no others: its consumer has no filter.
  private static func check(
    _ info: JSON,
    _ stream: String,
    takes subjects: Subjects
  ) throws(LinkError) {
    let taken = info["config"]?["subjects"]?.array?.compactMap(\.string) ?? []
    guard !subjects.isWhole, Set(taken) != Set(subjects.chunks) else { return }
    throw LinkError(
      .refused,
      "the stream \(stream) takes \(Printable.line(taken.joined(separator: ", "))), and not the "
        + "partitions \(subjects.partitionText) of \(subjects.tenant) alone\n"
        + "  Give this collector another one: --stream NAME"
    )
  }

  /// What a server says to a chunk.
  enum Answer: Hashable {
    /// It has it, as far as it knows.
    case taken
    /// It cannot take it; why.
    case refused(String)
    /// Nobody takes such subjects.
    case nobody
  }

  /// Reads what a server says to a chunk.
  static func answer(_ message: LinkMessage) -> Answer {
    if message.status == 503 { return .nobody }
    guard message.status == 0, let json = try? JSON(parsing: message.body) else {
      return .refused("status \(message.status)")
    }
    guard let error = json["error"] else {
      return json["stream"]?.string == nil ? .refused("no word of a stream") : .taken
    }
    return .refused(error["description"]?.string ?? "no reason is given")
  }
}
