// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A sentence about a recording, in parts: the view decides, last of all, how each of them looks.
///
///     let title: Sentence = "\(object: "draft.txt") lost version 3 (\(bytes: 1_204))"
///     "\(title)"           // "draft.txt lost version 3 (1,204 bytes)"
///     title.subject        // "draft.txt"
///
/// Rules and explanations hand such sentences out, and parts of sentences: `\(…)` takes another
/// one. Text is never parsed back; each fact of a sentence that may be asked for is a part of it.
public struct Sentence: Hashable, Sendable {
  /// In order; two texts never follow each other.
  public private(set) var parts: [Part] = []

  /// One of the things that sentences are made of.
  public enum Part: Hashable, Sendable {
    /// Words of the tool's own.
    case text(String)
    /// What something is called in the recording: a callback, a task, a notification, a writer.
    case name(String)
    /// The name of a data object.
    case object(String)
    /// An event of a stream.
    case event(EventName, of: StreamID)
    /// Where in the source something was said.
    case place(SourcePlace)
    /// A length of time in nanoseconds, right to ± `error`, and 0 where that is not at issue.
    case duration(Int64, error: Int64)
    /// A size in bytes.
    case bytes(UInt64)
    /// A number of things; the noun is a singular.
    case count(UInt64, of: String)
  }

  init() {}

  /// Words that are there already.
  public init(_ text: String) { append(.text(text)) }

  /// The name with which it begins, if it begins with one.
  public var subject: String? {
    switch parts.first {
    case .name(let name), .object(let name): name
    default: nil
    }
  }

  /// It as a whole sentence begins: with a capital, but where a name comes first, which keeps its case.
  public var capitalised: Sentence {
    guard case .text(let text) = parts.first else { return self }
    var result = self
    result.parts[0] = .text(text.prefix(1).uppercased() + text.dropFirst())
    return result
  }

  mutating func append(_ part: Part) {
    guard case .text(let text) = part else { return parts.append(part) }
    guard !text.isEmpty else { return }
    guard case .text(let before) = parts.last else { return parts.append(part) }
    parts[parts.count - 1] = .text(before + text)
  }

  /// Two parts of a sentence, one behind the other.
  package static func + (left: Sentence, right: Sentence) -> Sentence {
    var sum = left
    for part in right.parts { sum.append(part) }
    return sum
  }

  /// The same, in place.
  package static func += (left: inout Sentence, right: Sentence) { left = left + right }
}

extension Collection<Sentence> {
  /// One behind the other, with `separator` in between.
  package func joined(separator: Sentence) -> Sentence {
    guard let first else { return "" }
    return dropFirst().reduce(into: first) { $0 += separator + $1 }
  }
}

extension Sentence: CustomStringConvertible {
  /// Plain text, without a period; what the recording spells may be hostile to a terminal.
  public var description: String { parts.map(\.description).joined() }

  /// It as one line for a terminal, whatever the recording spells.
  package var line: String { Printable.line(description) }
}

extension Sentence.Part: CustomStringConvertible {
  /// It in plain text.
  public var description: String {
    switch self {
    case .text(let text), .name(let text), .object(let text): text
    case .event(let name, of: _): "\(name)"
    case .place(let place): "\(place)"
    case .duration(let length, error: 0): Quantity.duration(length)
    case .duration(let length, let error):
      "\(Quantity.duration(length)) ± \(Quantity.duration(error))"
    case .bytes(let count): Quantity.bytes(count)
    case .count(let count, let thing): Quantity.count(count, thing)
    }
  }
}
