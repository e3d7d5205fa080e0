// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// What is written on a slice or an instant: 8 bytes until somebody wants the words.
///
/// The same event has the same title in every format, so that what one of them counts by name
/// can be compared with what another does.
package struct Title: Hashable, Sendable, BitwiseCopyable {
  /// How the name becomes a text.
  package enum Form: UInt8, Sendable, BitwiseCopyable {
    /// A slice: the name, or the kind's first word where it has none.
    case slice
    /// An instant: the dotted name of the kind, and the name.
    case instant
    /// The state with the number `code`.
    case state
    /// The process; ``name`` is the number of its stream.
    case process
    /// What is not saved of an object.
    case unsaved
  }

  /// How many codes there are, for tables by form and code.
  package static let codesMax = 5 << 8

  /// How the name becomes a text.
  package let form: Form
  /// The raw value of a kind or of a state.
  package let code: UInt8
  /// What it is about.
  package let name: NameID

  /// Form and code in one number below ``codesMax``.
  @inline(__always)
  package var place: Int { Int(form.rawValue) << 8 | Int(code) }

  /// A title of an event's kind.
  @inline(__always)
  package init(_ form: Form, _ kind: EventKind, _ name: NameID) {
    self.form = form
    code = kind.rawValue
    self.name = name
  }

  /// That of a slice of a state.
  package init(state: AppState) {
    form = .state
    code = state.rawValue
    name = .empty
  }

  /// That of a process as a whole.
  package init(process: StreamID) {
    form = .process
    code = 0
    name = NameID(rawValue: process.rawValue)
  }

  /// The words; `labels` are those of the processes by stream.
  package func text(_ names: Names, labels: [String]) -> String {
    let text = names[name]
    switch form {
    case .state: return AppState(rawValue: code).map(Wording.state) ?? "state \(code)"
    case .process: return labels[Int(name.rawValue)]
    case .unsaved: return "unsaved \(text)"
    case .instant:
      let kind = EventText.kind(EventKind(rawValue: code), names)
      return text.isEmpty ? kind : "\(kind) \(text)"
    case .slice:
      let kind = EventKind(rawValue: code)
      let word = String(EventText.kind(kind, names).prefix { $0 != "." })
      guard !text.isEmpty else { return word }
      return kind == .waitBegin || kind == .wakeBegin ? "\(word): \(text)" : text
    }
  }
}
