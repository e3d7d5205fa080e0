// SPDX-License-Identifier: Apache-2.0

extension Checker {
  /// Whether some of its rules ask what became of messages in other processes, and do not know it yet.
  package var asksForMessages: Bool {
    !context.contents.pointee.knowsMessages && enabled.contains { context.table[$0].looksAcross }
  }

  /// Whether it was told of messages.
  package var knowsOfMessages: Bool { context.contents.pointee.messages != nil }

  /// Tells the rules of the messages of all streams, before the first of them begins; nil where there
  /// are none.
  package mutating func take(_ messages: RecordedMessages?) {
    let contents = ownContext().contents
    contents.pointee.messages = messages
    contents.pointee.knowsMessages = true
  }
}
