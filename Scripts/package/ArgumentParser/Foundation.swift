// SPDX-License-Identifier: Apache-2.0
// Stands in the place of Sources/ArgumentParser/Utilities/Foundation.swift of swift-argument-parser where
// a release is built: that file takes the JSON of `--experimental-dump-help` from Foundation, and is the
// only one of the program that does. Linked statically, Foundation is a quarter of the program.

extension Error {
  /// Foundation's `LocalizedError` aside, as nothing in the program is one.
  func describe() -> String { String(describing: self) }
}

/// As JSON with sorted keys on one line.
enum JSONEncoder {
  static func encode<T: Encodable>(_ value: T) -> String {
    let node = JSONNode()
    do { try value.encode(to: JSONNodeEncoder(node: node)) } catch { return "" }
    return node.text
  }
}

/// A value that is being encoded, filled in by whoever was handed it.
private final class JSONNode {
  enum Content {
    case scalar(String)
    case array([JSONNode])
    case object([String: JSONNode])
  }
  var content = Content.scalar("null")

  var text: String {
    switch content {
    case .scalar(let text): text
    case .array(let nodes): "[" + nodes.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.text }
        .joined(separator: ",") + "}"
    }
  }

  func set(_ value: some Encodable) throws {
    switch value {
    case let text as String: content = .scalar(Self.quoted(text))
    case let flag as Bool: content = .scalar(flag ? "true" : "false")
    case let number as any BinaryInteger: content = .scalar(String(describing: number))
    case let number as Double:
      content = .scalar(number.isFinite ? String(describing: number) : "null")
    default: try value.encode(to: JSONNodeEncoder(node: self))
    }
  }

  func member(_ name: String) -> JSONNode {
    var members: [String: JSONNode] = [:]
    if case .object(let before) = content { members = before }
    let node = JSONNode()
    members[name] = node
    content = .object(members)
    return node
  }

  func element() -> JSONNode {
    var nodes: [JSONNode] = []
    if case .array(let before) = content { nodes = before }
    let node = JSONNode()
    content = .array(nodes + [node])
    return node
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct JSONNodeEncoder: Encoder, SingleValueEncodingContainer {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.content = .object([:])
    return KeyedEncodingContainer(Members(node: node))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .array([])
    return Elements(node: node)
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {}
  func encode<T: Encodable>(_ value: T) throws { try node.set(value) }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { _ = node.member(key.stringValue) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try node.member(key.stringValue).set(value)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
      -> KeyedEncodingContainer<Nested>
    {
      JSONNodeEncoder(node: node.member(key.stringValue)).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      JSONNodeEncoder(node: node.member(key.stringValue)).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder {
      JSONNodeEncoder(node: node.member(key.stringValue))
    }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { if case .array(let nodes) = node.content { nodes.count } else { 0 } }

    func encodeNil() { _ = node.element() }
    func encode<T: Encodable>(_ value: T) throws { try node.element().set(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<
      Nested
    > {
      JSONNodeEncoder(node: node.element()).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      JSONNodeEncoder(node: node.element()).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.element()) }
  }
}
