// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Where messages go: one tenant's chunks, what is held of them, and the question for that.
///
///     lt.acme.3.5d…01.9e…77        a chunk: tenant, partition, session, writer
///     lthave.acme.5d…01            what a collector has of a writer of that session
///     ltask.acme.5d…01             asks for all of these
///
/// So a device needs three permissions, each with nothing but its own tenant in it, and one for the
/// inbox of its own, below which the server answers it.
package struct Subjects: Sendable, Hashable {
  /// Chunks are spread over these partitions by their session.
  package static let allPartitions = 0...15
  /// Where answers come, unless another prefix is named.
  package static let inboxDefault = "_INBOX"

  /// The tenant: letters, digits, `-` and `_`, at most 64.
  package let tenant: String
  /// Answers come below this prefix; who may listen there sees what is delivered to its owner.
  package let inbox: String
  /// The partitions that a collector takes.
  package let partitions: ClosedRange<Int>

  /// The subjects of a tenant; nil where the name is none, or the inbox, or the partitions.
  package init?(
    tenant: String,
    inbox: String = Self.inboxDefault,
    partitions: ClosedRange<Int> = Self.allPartitions
  ) {
    guard Self.isWord(tenant), Self.isPrefix(inbox),
      Self.allPartitions.contains(partitions.lowerBound),
      Self.allPartitions.contains(partitions.upperBound)
    else { return nil }
    self.tenant = tenant
    self.inbox = inbox
    self.partitions = partitions
  }

  /// The inbox that is a user's own; that of all where the name is none that fits a subject.
  package static func inbox(ofUser user: String?) -> String {
    user.flatMap { isWord($0) ? "\(inboxDefault)_\($0)" : nil } ?? inboxDefault
  }

  /// Whether subjects may begin with it: one to eight words with points between them.
  package static func isPrefix(_ text: String) -> Bool {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    return words.count <= 8 && words.allSatisfy { isWord(String($0)) }
  }

  /// Whether it can stand in a subject, and in the name of a stream.
  package static func isWord(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
          || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
  }

  /// The stream that keeps the chunks, unless another is named.
  package var stream: String {
    isWhole ? "LIFETRACE-\(tenant)" : "LIFETRACE-\(tenant)-\(partitionText)"
  }
  /// All chunks of the tenant in these partitions: what the stream takes.
  package var chunks: [String] {
    isWhole ? ["lt.\(tenant).*.*.*"] : partitions.map { "lt.\(tenant).\($0).*.*" }
  }
  /// Whether all partitions are taken.
  package var isWhole: Bool { partitions == Self.allPartitions }
  /// The partitions in words: `0-7`, or `3`.
  package var partitionText: String {
    partitions.count == 1
      ? "\(partitions.lowerBound)" : "\(partitions.lowerBound)-\(partitions.upperBound)"
  }
  /// An inbox for one link: `random` keeps it apart from the one before.
  package func newInbox(_ random: UInt64) -> String {
    "\(inbox).lt\(String(random, radix: 36))"
  }
  /// Whether chunks of this session are taken.
  package func takes(_ session: String) -> Bool {
    partitions.contains(Self.partition(of: session))
  }
  /// All questions to this one's collectors.
  package var questions: String { "ltask.\(tenant).*" }

  /// Where a chunk of `writer` in `session` goes.
  package func chunk(session: String, writer: WriterID) -> String {
    "lt.\(tenant).\(Self.partition(of: session)).\(session).\(writer.text)"
  }

  /// Where is said what is held of `session`.
  package func have(_ session: String) -> String { "lthave.\(tenant).\(session)" }

  /// Where is asked what is held of `session`.
  package func question(_ session: String) -> String { "ltask.\(tenant).\(session)" }

  /// The session that a subject of a question names.
  package static func session(ofQuestion subject: String) -> String? {
    let words = subject.split(separator: ".", omittingEmptySubsequences: false)
    return words.count == 3 && words[0] == "ltask" ? String(words[2]) : nil
  }

  /// The same for a session on whatever machine.
  static func partition(of session: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in session.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(allPartitions.count))
  }
}
