// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

// An event of host or recorder as bytes, strings in full: the record of ``SubmissionJournal``.
extension Submission {
  private enum Tag {
    static let writer: UInt8 = 0
    static let process: UInt8 = 1
    static let printer: UInt8 = 2
    static let number: UInt8 = 0
    static let name: UInt8 = 1
    static let part: UInt8 = 2
  }

  private static var stringBytesMax: Int { 16 << 20 }

  var encoded: [UInt8] {
    var out = ByteWriter()
    switch subject {
    case .writer(let id):
      out.byte(Tag.writer)
      out.word(id.high)
      out.word(id.low)
    case .process(let pid):
      out.byte(Tag.process)
      out.word(UInt32(bitPattern: pid))
    case .printer(let pid):
      out.byte(Tag.printer)
      out.word(UInt32(bitPattern: pid))
    }
    out.signed(time.rawValue)
    out.byte(event.kind.rawValue)
    out.byte(event.observer.rawValue)
    out.byte(event.flags.rawValue)
    out.varint(UInt64(event.thread.rawValue))
    out.varint(UInt64(event.line))
    out.string(event.name)
    out.string(event.file)
    out.varint(event.arguments.count)
    for value in [event.identity] + event.arguments {
      switch value {
      case .number(let bits):
        out.byte(Tag.number)
        out.varint(bits)
      case .name(let text):
        out.byte(Tag.name)
        out.string(text)
      case .part(let text):
        out.byte(Tag.part)
        out.string(text)
      }
    }
    return out.bytes
  }

  init(decoding bytes: [UInt8]) throws(ChunkDamage) {
    var input = ByteReader(bytes)
    switch try input.byte("subject") {
    case Tag.writer:
      subject = .writer(WriterID(high: try input.word("high"), low: try input.word("low")))
    case Tag.process: subject = .process(Int32(bitPattern: try input.word("process")))
    default: subject = .printer(Int32(bitPattern: try input.word("process")))
    }
    time = HostTime(rawValue: try input.signed("time"))
    event = RecordedEvent(EventKind(rawValue: try input.byte("kind")), at: time)
    event.observer = Observer(rawValue: try input.byte("observer")) ?? .recorder
    event.flags = EventFlags(rawValue: try input.byte("flags"))
    event.thread = ThreadID(rawValue: UInt32(truncatingIfNeeded: try input.varint("thread")))
    event.line = UInt32(truncatingIfNeeded: try input.varint("line"))
    event.name = try input.string("name", max: Self.stringBytesMax)
    event.file = try input.string("file", max: Self.stringBytesMax)
    let count = try input.count("arguments", max: 255)
    event.identity = try Self.value(&input)
    for _ in 0..<count { event.arguments.append(try Self.value(&input)) }
  }

  private static func value(_ input: inout ByteReader) throws(ChunkDamage) -> RecordedValue {
    switch try input.byte("value") {
    case Tag.number: .number(try input.varint("number"))
    case Tag.part: .part(try input.string("part", max: stringBytesMax))
    default: .name(try input.string("name", max: stringBytesMax))
    }
  }

  /// The same, with its record already written.
  func kept(at place: SubmissionJournal.Place?) -> Submission {
    var post = self
    post.place = place
    return post
  }
}
