// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

extension Scene {
  /// `message 0x2a`.
  func message(_ flow: UInt64) -> Sentence { "message \(FieldValue.hexadecimal(flow))" }

  /// ` from server`, or empty where its peer has no name.
  func from(_ peer: NameID) -> Sentence {
    let name = names[peer]
    return name.isEmpty ? "" : " from \(name: name)"
  }

  /// How long a message was on its way that arrived here at `time`; nil where its send is not
  /// recorded, or nothing bounds it.
  func way(_ flow: UInt64, until time: HostTime) -> Sentence? {
    guard let messages = context.messages, let send = messages.firstSend(of: flow),
      send.stream != context.stream
    else { return nil }
    let sent = messages.clocks.bounds(send.time, of: send.stream, on: context.stream)
    guard let before = sent.since(time) else { return nil }
    let length: Sentence = "\(duration: -before.length, error: before.error)"
    return "\(messages.words(send)) sent it \(length) before."
  }
}
