// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON

/// A message of OpenTelemetry's protocol, written as protobuf or as JSON.
///
/// In its JSON ids are hexadecimal, 64-bit numbers are strings, enumerations are numbers, and keys are
/// in lowerCamelCase: a plain protobuf decoder expects base64 of ids.
struct OTLPMessage {
  /// How a field is written.
  enum Value {
    case text(String)
    /// An id, of 8 or 16 bytes.
    case id([UInt8])
    /// A time: eight bytes, and a string in JSON.
    case time(UInt64)
    /// A signed number: a varint, and a string in JSON.
    case integer(Int64)
    /// A number of an enumeration.
    case code(UInt64)
    case truth(Bool)
    case number(Double)
    case message(OTLPMessage)
    case messages([OTLPMessage])
  }

  private var fields: [(number: UInt64, key: String, value: Value)] = []

  init() {}

  /// A message of those fields.
  init(_ fields: (UInt64, String, Value)...) { self.fields = fields.map { ($0.0, $0.1, $0.2) } }

  /// Adds a field.
  mutating func add(_ number: UInt64, _ key: String, _ value: Value) {
    fields.append((number, key, value))
  }

  /// Appends it as JSON.
  func writeJSON(to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    for (index, field) in fields.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      JSON.quote(field.key, to: &out)
      out.append(UInt8(ascii: ":"))
      Self.writeJSON(field.value, to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func writeJSON(_ value: Value, to out: inout [UInt8]) {
    switch value {
    case .text(let text): JSON.quote(text, to: &out)
    case .id(let bytes):
      out.append(UInt8(ascii: "\""))
      for byte in bytes {
        out.append(hexDigit(byte >> 4))
        out.append(hexDigit(byte & 15))
      }
      out.append(UInt8(ascii: "\""))
    case .time(let time): JSON.quote("\(time)", to: &out)
    case .integer(let number): JSON.quote("\(number)", to: &out)
    case .code(let code): JSON.put(Int64(clamping: code), to: &out)
    case .truth(let truth): JSON.bool(truth).write(to: &out)
    case .number(let number): JSON.double(number).write(to: &out)
    case .message(let message): message.writeJSON(to: &out)
    case .messages(let messages):
      out.append(UInt8(ascii: "["))
      for (index, message) in messages.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        message.writeJSON(to: &out)
      }
      out.append(UInt8(ascii: "]"))
    }
  }

  private static func hexDigit(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  func write(to bytes: inout OutputBytes) {
    for (number, _, value) in fields {
      switch value {
      case .text(let text): bytes.putField(number, text)
      case .id(let id):
        bytes.makeRoom(64)
        bytes.putTag(number, .bytes)
        bytes.putVarint(UInt64(id.count))
        id.withUnsafeBufferPointer { bytes.put($0) }
        bytes.makeRoom(64)
      case .time(let time): bytes.putField(number, fixed: time)
      case .integer(let integer): bytes.putField(number, signed: integer)
      case .code(let code): bytes.putField(number, code)
      case .truth(let truth): bytes.putField(number, truth ? 1 : 0)
      case .number(let double): bytes.putField(number, fixed: double.bitPattern)
      case .message(let message): bytes.putMessage(number) { message.write(to: &$0) }
      case .messages(let messages):
        for message in messages { bytes.putMessage(number) { message.write(to: &$0) } }
      }
      bytes.makeRoom(64)
    }
  }

  // MARK: Attributes

  /// A `KeyValue`.
  static func attribute(_ key: String, _ value: JSON) -> OTLPMessage {
    OTLPMessage((1, "key", .text(key)), (2, "value", .message(any(value))))
  }

  /// An `AnyValue`.
  static func any(_ value: JSON) -> OTLPMessage {
    switch value {
    case .string(let text): OTLPMessage((1, "stringValue", .text(text)))
    case .bool(let truth): OTLPMessage((2, "boolValue", .truth(truth)))
    case .int(let number): OTLPMessage((3, "intValue", .integer(number)))
    case .double(let number): OTLPMessage((4, "doubleValue", .number(number)))
    case .null, .array, .members: OTLPMessage((1, "stringValue", .text(value.text)))
    }
  }
}
