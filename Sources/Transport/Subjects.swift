// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Where messages go: one tenant's chunks, what is held of them, and the question for that.
///
///     lt.acme.3.5d…01.9e…77        a chunk: tenant, partition, session, writer
///     lthave.acme.5d…01            what a collector has of a writer of that session
///     ltask.acme.5d…01             asks for all of these
///
/// So a device needs three permissions, each with nothing but its own tenant in it.
package struct Subjects: Sendable, Hashable {
  /// Chunks are spread over this many partitions by their session.
  package static let partitions = 16
  /// The stream that keeps chunks, unless another is named.
  package static let streamDefault = "LIFETRACE"

  /// The tenant: letters, digits, `-` and `_`, at most 64.
  package let tenant: String

  /// The subjects of a tenant; nil where the name is none.
  package init?(tenant: String) {
    guard Self.isWord(tenant) else { return nil }
    self.tenant = tenant
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

  /// All chunks of all tenants: what the stream takes.
  package static let allChunks = "lt.*.*.*.*"
  /// All chunks of this one.
  package var chunks: String { "lt.\(tenant).*.*.*" }
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
    return Int(hash % UInt64(partitions))
  }
}
