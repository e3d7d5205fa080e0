// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

extension Sentence: ExpressibleByStringInterpolation {
  /// A sentence of words alone.
  public init(stringLiteral text: String) { self.init(text) }

  /// Words with parts in between.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sentence }

  /// What may stand between the words.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sentence = Sentence()

    /// An interpolation without parts yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Words as they stand in the source.
    public mutating func appendLiteral(_ literal: String) { sentence.append(.text(literal)) }

    /// Words that were made elsewhere; text from a recording is a `name:` or an `object:`.
    public mutating func appendInterpolation(_ text: String) { sentence.append(.text(text)) }

    /// A number that counts nothing: a version, an id, a code.
    public mutating func appendInterpolation(_ number: some BinaryInteger) {
      sentence.append(.text(String(number)))
    }

    /// What an argument of an event says.
    package mutating func appendInterpolation(_ value: FieldValue) {
      switch value {
      case .name(let name): sentence.append(.name(name))
      case .duration(let length): sentence.append(.duration(length, error: 0))
      case .bytes(let count): sentence.append(.bytes(count))
      default: sentence.append(.text("\(value)"))
      }
    }

    /// A part of a sentence.
    public mutating func appendInterpolation(_ other: Sentence) { sentence += other }

    /// What something is called in the recording.
    public mutating func appendInterpolation(name: String) { sentence.append(.name(name)) }

    /// Adds the name of a data object.
    public mutating func appendInterpolation(object: String) { sentence.append(.object(object)) }

    /// Adds the name of an event.
    public mutating func appendInterpolation(event: EventName, of stream: StreamID) {
      sentence.append(.event(event, of: stream))
    }

    /// Where in the source.
    public mutating func appendInterpolation(_ place: SourcePlace) {
      sentence.append(.place(place))
    }

    /// Nanoseconds, right to ± `error`.
    public mutating func appendInterpolation(duration: Int64, error: Int64 = 0) {
      sentence.append(.duration(duration, error: error))
    }

    /// Adds a size in bytes.
    public mutating func appendInterpolation(bytes: UInt64) { sentence.append(.bytes(bytes)) }

    /// A number of things; the noun is a singular.
    public mutating func appendInterpolation(count: UInt64, of thing: String) {
      sentence.append(.count(count, of: thing))
    }
  }
}
