// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceWords

/// A line for people: pieces of text, each with its style.
///
///     let line: Line = "Try: \("why", .strong)"
///     line.text                                 // "Try: why"
struct Line: ExpressibleByStringInterpolation {
  private var pieces: [(text: String, style: Style)] = []

  init(_ text: String, _ style: Style = .plain) { pieces = [(text, style)] }
  init(stringLiteral text: String) { self.init(text) }
  init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// The text without styles.
  var text: String { pieces.map(\.text).joined() }

  /// With the terminal's escapes, where they are wanted.
  func painted(_ paint: Paint) -> String {
    pieces.map { paint($0.text, $0.style) }.joined()
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [(text: String, style: Style)] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) { pieces.append((text, .plain)) }

    mutating func appendInterpolation(
      _ value: some CustomStringConvertible,
      _ style: Style = .plain
    ) {
      pieces.append((value.description, style))
    }

    mutating func appendInterpolation(_ line: Line) { pieces += line.pieces }
  }
}
