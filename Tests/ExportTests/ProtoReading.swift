// SPDX-License-Identifier: Apache-2.0

/// A message of protocol buffers, read without knowing what it is about: fields by number.
struct ProtoMessage {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private(set) var fields: [(number: Int, value: Value)] = []

  /// Nil where the bytes are no message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var at = bytes.startIndex
    func varint() -> UInt64? {
      var result: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 70, by: 7) {
        guard at < bytes.endIndex else { return nil }
        let byte = bytes[at]
        at += 1
        result |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return result }
      }
      return nil
    }
    while at < bytes.endIndex {
      guard let tag = varint() else { return nil }
      switch tag & 7 {
      case 0:
        guard let number = varint() else { return nil }
        fields.append((Int(tag >> 3), .number(number)))
      case 1:
        guard at + 8 <= bytes.endIndex else { return nil }
        let number = bytes[at..<at + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        at += 8
        fields.append((Int(tag >> 3), .number(number)))
      case 2:
        guard let count = varint(), at + Int(count) <= bytes.endIndex else { return nil }
        fields.append((Int(tag >> 3), .bytes(bytes[at..<at + Int(count)])))
        at += Int(count)
      default: return nil
      }
    }
  }

  func numbers(_ number: Int) -> [UInt64] {
    fields.compactMap { field in
      guard field.number == number, case .number(let value) = field.value else { return nil }
      return value
    }
  }

  func number(_ number: Int) -> UInt64? { numbers(number).first }

  func messages(_ number: Int) -> [ProtoMessage] {
    fields.compactMap { field in
      guard field.number == number, case .bytes(let value) = field.value else { return nil }
      return ProtoMessage(value)
    }
  }

  func message(_ number: Int) -> ProtoMessage? { messages(number).first }

  func text(_ number: Int) -> String? {
    for field in fields where field.number == number {
      if case .bytes(let value) = field.value { return String(decoding: value, as: UTF8.self) }
    }
    return nil
  }
}
