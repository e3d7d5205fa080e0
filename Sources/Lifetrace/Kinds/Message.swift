// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// What travels with a message so that its receive can be tied to its send: 16 bytes.
  public struct MessageStamp: Hashable, Sendable {
    /// A random number of this message.
    public var flow: UInt64
    /// The sender's hybrid logical clock.
    public var clock: UInt64

    /// A stamp that came with a message.
    public init(flow: UInt64, clock: UInt64) {
      self.flow = flow
      self.clock = clock
    }
  }

  /// A message leaves for another process; call it just before sending.
  ///
  /// - Returns: What to put into the message.
  public static func send(
    to peer: Name,
    bytes: Int,
    count: Int = 1,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> MessageStamp {
    guard isEnabled else { return MessageStamp(flow: 0, clock: 0) }
    let stamp = MessageStamp(flow: lt_flow(), clock: lt_hlc_send())
    emitOrdered(
      .messageSend,
      Site("", file: file, line: line).id,
      stamp.flow,
      4,
      UInt64(peer.id),
      UInt64(truncatingIfNeeded: bytes),
      stamp.clock,
      UInt64(truncatingIfNeeded: count)
    )
    return stamp
  }

  /// A message arrived from another process; call it just after receiving.
  public static func receive(
    _ stamp: MessageStamp,
    from peer: Name,
    bytes: Int,
    count: Int = 1,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emitOrdered(
      .messageReceive,
      Site("", file: file, line: line).id,
      stamp.flow,
      4,
      UInt64(peer.id),
      UInt64(truncatingIfNeeded: bytes),
      lt_hlc_receive(stamp.clock),
      UInt64(truncatingIfNeeded: count)
    )
  }
}
