// SPDX-License-Identifier: Apache-2.0
internal import CLifetraceYaml
internal import LifetracePlatform

/// A value of a YAML document and where it stands.
package struct YAMLNode: Sendable {
  package enum Content: Sendable {
    case scalar(String)
    case sequence([YAMLNode])
    case mapping([Pair])
  }

  package struct Pair: Sendable {
    package var key: YAMLNode
    package var value: YAMLNode
  }

  package var content: Content
  package var place: ScenarioPlace
  /// How many characters stand in front of a text of one line, a quotation mark; nil where lines or
  /// escapes make its columns others than those of the file.
  package var margin: Int?

  /// Documents with more values are refused.
  package static let nodesMax = 100_000
  /// Deeper documents are refused.
  package static let depthMax = 32

  package var scalar: String? { if case .scalar(let text) = content { text } else { nil } }
  package var mapping: [Pair]? { if case .mapping(let pairs) = content { pairs } else { nil } }
  package var sequence: [YAMLNode]? {
    if case .sequence(let nodes) = content { nodes } else { nil }
  }

  /// The one document in `text`, nil when there is none.
  package static func parse(_ text: String) throws(ScenarioProblem) -> YAMLNode? {
    let reader = YAMLReader(text)
    return try reader.document()
  }
}

/// Reads libyaml's events into nodes; aliases are refused, because they can blow up.
private final class YAMLReader {
  private var parser = yaml_parser_t()
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var nodes = 0

  init(_ text: String) {
    bytes = .allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    yaml_parser_initialize(&parser)
    yaml_parser_set_input_string(&parser, UnsafePointer(bytes.baseAddress), bytes.count)
  }

  deinit {
    yaml_parser_delete(&parser)
    bytes.deallocate()
  }

  func document() throws(ScenarioProblem) -> YAMLNode? {
    while true {
      let event = try next()
      switch event.kind {
      case YAML_STREAM_END_EVENT: return nil
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: continue
      default:
        let root = try node(event, depth: 0)
        try end()
        return root
      }
    }
  }

  /// What stands behind the document would be ignored: it is refused.
  private func end() throws(ScenarioProblem) {
    while true {
      let event = try next()
      switch event.kind {
      case YAML_STREAM_END_EVENT: return
      case YAML_DOCUMENT_START_EVENT:
        throw ScenarioProblem(
          place: event.place,
          message: "a second document begins here",
          advice: "a file has one: take the line `---` out"
        )
      default: continue
      }
    }
  }

  private struct Token {
    var kind: yaml_event_type_t
    var text = ""
    var place: ScenarioPlace
    var margin: Int?
  }

  private func next() throws(ScenarioProblem) -> Token {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else {
      let mark = parser.problem_mark
      let place = ScenarioPlace(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
      let problem = parser.problem.map { String(cString: $0) } ?? "not YAML"
      throw explained(problem, at: place)
    }
    defer { yaml_event_delete(&event) }
    var token = Token(
      kind: event.type,
      place: ScenarioPlace(
        line: Int(event.start_mark.line) + 1,
        column: Int(event.start_mark.column) + 1
      )
    )
    if event.type == YAML_SCALAR_EVENT {
      let scalar = event.data.scalar
      let content = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      token.text = String(decoding: content, as: UTF8.self)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      let width = Int(event.end_mark.column) - Int(event.start_mark.column)
      let margin = isPlain ? 0 : 1
      if event.start_mark.line == event.end_mark.line,
        width == token.text.unicodeScalars.count + 2 * margin
      {
        token.margin = margin
      }
    }
    return token
  }

  /// What libyaml says of a place, in the words of who has written the file, where they are known.
  private func explained(_ problem: String, at place: ScenarioPlace) -> ScenarioProblem {
    let line = String(
      decoding: bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .dropFirst(place.line - 1).first ?? bytes[0..<0],
      as: UTF8.self
    )
    let indent = line.prefix { $0 == " " || $0 == "\t" }
    if let tab = indent.firstIndex(of: "\t") {
      return ScenarioProblem(
        place: ScenarioPlace(
          line: place.line,
          column: line.distance(from: line.startIndex, to: tab) + 1
        ),
        message: "this is not YAML: the line is indented with a tab",
        advice: "put spaces in its place"
      )
    }
    let advice =
      problem.hasPrefix("mapping values are not allowed")
      ? "a text with a colon in it stands in quotes" : ""
    return ScenarioProblem(place: place, message: "this is not YAML: \(problem)", advice: advice)
  }

  private func node(_ token: Token, depth: Int) throws(ScenarioProblem) -> YAMLNode {
    nodes += 1
    guard nodes <= YAMLNode.nodesMax, depth <= YAMLNode.depthMax else {
      throw ScenarioProblem(place: token.place, message: "the document is too large")
    }
    switch token.kind {
    case YAML_SCALAR_EVENT:
      return YAMLNode(content: .scalar(token.text), place: token.place, margin: token.margin)
    case YAML_SEQUENCE_START_EVENT:
      var out: [YAMLNode] = []
      while true {
        let token = try next()
        if token.kind == YAML_SEQUENCE_END_EVENT { break }
        out.append(try node(token, depth: depth + 1))
      }
      return YAMLNode(content: .sequence(out), place: token.place)
    case YAML_MAPPING_START_EVENT:
      var out: [YAMLNode.Pair] = []
      var lines: [String: Int] = [:]
      while true {
        let token = try next()
        if token.kind == YAML_MAPPING_END_EVENT { break }
        let key = try node(token, depth: depth + 1)
        if let name = key.scalar, let line = lines.updateValue(key.place.line, forKey: name) {
          throw key.problem(
            "`\(name)` stands here a second time",
            advice: "it is in line \(line) already"
          )
        }
        out.append(YAMLNode.Pair(key: key, value: try node(try next(), depth: depth + 1)))
      }
      return YAMLNode(content: .mapping(out), place: token.place)
    default:
      throw ScenarioProblem(
        place: token.place,
        message: "aliases are not allowed",
        advice: "write it out; steps can stand below a `repeat`"
      )
    }
  }
}
