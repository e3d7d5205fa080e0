// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A message leaves for another process; call it just before sending.
  ///
  /// `parent` is what came in and led to this message: it is of the same trace. One whose flow is 0 is a trace
  /// alone: several messages that nothing has led to are of one then.
  ///
  /// - Returns: What to put into the message. Where no recorder listens that is `parent`, so that what came in
  ///   goes on to those behind, or ``MessageContext/none``.
  public static func send(
    to peer: Name,
    bytes: Int,
    within parent: MessageContext? = nil,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> MessageContext {
    guard isEnabled else { return parent ?? .none }
    var context = (parent ?? .none).inC
    let site = Site("", file: file, line: line).id
    let sent = lt_context_send(site, peer.id, UInt64(truncatingIfNeeded: bytes), &context)
    return MessageContext(sent, state: parent?.state ?? "")
  }

  /// A message that was sent before leaves once more, with the context that it has.
  public static func resend(
    _ sent: MessageContext,
    to peer: Name,
    bytes: Int,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    var context = sent.inC
    let site = Site("", file: file, line: line).id
    lt_context_resend(site, peer.id, UInt64(truncatingIfNeeded: bytes), &context)
  }

  /// A message arrived from another process; call it just after receiving.
  ///
  /// `context` is what came with it; nil where nothing did, and it is tied to no send.
  public static func receive(
    _ context: MessageContext?,
    from peer: Name,
    bytes: Int,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    var context = (context ?? .none).inC
    let site = Site("", file: file, line: line).id
    lt_context_receive(site, peer.id, UInt64(truncatingIfNeeded: bytes), &context)
  }
}
