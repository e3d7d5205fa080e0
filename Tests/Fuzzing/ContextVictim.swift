// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace

/// What strangers send with a message, read as an app reads it.
enum ContextVictim {
  static let corpus = [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nlt=00000000000f4240,rojo=00f067aa0ba902b7",
    "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes\n1a-2@vendor=x y,b= c",
    "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-00\n,,lt=1, ,z=~",
  ]

  static let words = [
    "-", "=", ",", "@", " ", "\t", "\n", "lt=", "00-", "ff-", "0000000000000000", "F", "\u{0}", "é",
  ]

  /// What is taken must be written and read again as the same, and keep to the rules itself.
  static func read(_ input: [UInt8]) -> String? {
    typealias Context = Lifetrace.MessageContext
    _ = try? Context(bytes: input)
    let lines = input.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let state = lines.count > 1 ? lines[1] : ""
    guard let context = try? Context(traceparent: lines[0], tracestate: state) else { return nil }
    guard !context.isNone else { return "a context of zeros was taken" }
    let (parent, others) = (context.traceparent, context.tracestate)
    guard parent.utf8.count == 55, others.utf8.count <= 512 else { return "a text is too long" }
    guard let again = try? Context(traceparent: parent, tracestate: others) else {
      return "what is written cannot be read: \(parent)"
    }
    var expected = context
    expected.state = others
    guard again == expected else { return "it changes when it is written and read: \(parent)" }
    guard again.tracestate == others else { return "its tracestate changes: \(others)" }
    guard let packed = try? Context(bytes: context.bytes), packed.flow == context.flow,
      packed.clock == context.clock, packed.traceLow == context.traceLow
    else { return "its bytes say something else: \(parent)" }
    return nil
  }
}
