// SPDX-License-Identifier: Apache-2.0

/// What travels over a link.
package struct LinkMessage: Sendable, Hashable {
  /// What a server counts beside the body, the id above all, is less.
  package static let headerBytesMax = 512

  /// To whom.
  package var subject: String
  /// To whom an answer goes; empty where none is wanted.
  package var reply = ""
  /// What a server drops a second message by; empty for none.
  package var id = ""
  /// A server's own word instead of a message: 404, 408, 409, 503; 0 for a message.
  package var status = 0
  /// What it holds.
  package var body: [UInt8] = []

  /// A message of `body` to `subject`.
  package init(_ subject: String, _ body: [UInt8] = [], reply: String = "", id: String = "") {
    self.subject = subject
    self.body = body
    self.reply = reply
    self.id = id
  }
}

/// Why a link is of no use, or was not made.
package struct LinkError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of wrong it is.
  package enum Kind: Sendable {
    /// The other side is not there, or not any more: it is worth trying again.
    case away
    /// What was asked for will not be given however often it is asked.
    case refused
  }

  /// What kind of wrong it is.
  package var kind: Kind
  /// One sentence, with what helps on a second line where something does.
  package var description: String

  /// An error in words.
  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// One connection to a server: what goes out, and what comes in for all subscriptions in its order.
///
/// It is never mended. Where it breaks, each call throws, and whoever uses it makes another one and
/// asks what has arrived; so there is one way to go on after whatever has happened.
package protocol Link: AnyObject {
  /// The largest body that the server takes, in bytes.
  var bodyBytesMax: Int { get }
  /// Messages to `subject`, in which `*` stands for one word and a last `>` for all, come in.
  func subscribe(to subject: String) throws(LinkError)
  /// Sends; returns before the server has it.
  func publish(_ message: LinkMessage) throws(LinkError)
  /// The next message, or nil when none comes within `milliseconds`.
  func next(within milliseconds: Int) throws(LinkError) -> LinkMessage?
}
