// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace

/// The other process of the mail app, a daemon; this is the app's end of it.
///
/// A line each way: the flow and the clock of the message's stamp, and its text.
public final class MailHelper: Sendable {
  private let process: pid_t
  private let channel: Int32

  init(program: String) {
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    let words = [strdup(program), strdup("mail-helper"), nil]
    var child: pid_t = 0
    if posix_spawn(&child, program, &actions, nil, words, environ) != 0 { child = 0 }
    for word in words { free(word) }
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    (process, channel) = (child, ends[0])
  }

  /// The helper ends when nobody can ask it any more.
  deinit {
    close(channel)
    if process > 0 { waitpid(process, nil, 0) }
  }

  /// What it answers; nil when it is not there.
  func ask(_ text: String) -> String? {
    Self.send(text, over: channel, to: "mail-helper")
    return Self.receive(over: channel, from: "mail-helper")
  }

  /// The helper itself: answers until there is nobody to ask.
  public static func serve() -> Never {
    Lifetrace.configure(app: "mail-helper", role: .daemon)
    while let question = receive(over: 0, from: "mailer") {
      Lifetrace.work("fetch", kind: .network) {
        send("mail for \(question)", over: 0, to: "mailer")
      }
    }
    exit(0)
  }

  private static func send(_ text: String, over channel: Int32, to peer: Lifetrace.Name) {
    let context = Lifetrace.send(to: peer, bytes: text.utf8.count)
    let line = Array("\(context.traceparent) \(context.tracestate) \(text)\n".utf8)
    _ = Glibc.send(channel, line, line.count, Int32(MSG_NOSIGNAL))
  }

  /// The next line; nil when there is none any more.
  private static func receive(over channel: Int32, from peer: Lifetrace.Name) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(channel, &byte, 1) == 1, byte != 0x0a { line.append(byte) }
    let parts = String(decoding: line, as: UTF8.self).split(
      separator: " ",
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    guard parts.count == 3 else { return nil }
    let text = String(parts[2])
    let context = try? Lifetrace.MessageContext(
      traceparent: String(parts[0]),
      tracestate: String(parts[1])
    )
    Lifetrace.receive(context, from: peer, bytes: text.utf8.count)
    return text
  }
}
