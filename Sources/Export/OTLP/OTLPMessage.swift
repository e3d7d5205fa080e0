// SPDX-License-Identifier: Apache-2.0
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

  var json: JSON {
    .object(fields.map { ($0.key, Self.json($0.value)) })
  }

  private static func json(_ value: Value) -> JSON {
    switch value {
    case .text(let text): .string(text)
    case .id(let bytes):
      .string(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    case .time(let time): .string("\(time)")
    case .integer(let number): .string("\(number)")
    case .code(let code): .int(Int64(clamping: code))
    case .truth(let truth): .bool(truth)
    case .number(let number): .double(number)
    case .message(let message): message.json
    case .messages(let messages): .array(messages.map(\.json))
    }
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
