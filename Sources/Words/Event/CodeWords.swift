// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// The words of one vocabulary by their codes, made once: to ask a case for its name takes longer than
/// to write the event around it.
///
///     CodeWords.work[2]                   // "network"
///     Observer.recorder.word              // "recorder"
package struct CodeWords: Sendable {
  package static let work = CodeWords(WorkKind.self)
  package static let level = CodeWords(DurabilityLevel.self)
  package static let resource = CodeWords(ResourceClass.self)
  package static let log = CodeWords(LogLevel.self)
  fileprivate static let observer = CodeWords(Observer.self)
  fileprivate static let family = CodeWords(EventFamily.self)

  private var words: [String?] = []

  private init<Code: RawRepresentable & CaseIterable>(_ type: Code.Type)
  where Code.RawValue == UInt8 {
    for code in type.allCases {
      while words.count <= Int(code.rawValue) { words.append(nil) }
      words[Int(code.rawValue)] = "\(code)"
    }
  }

  /// The word of a code; nil for one that this version does not know.
  package subscript(code: UInt64) -> String? {
    code < UInt64(words.count) ? words[Int(code)] : nil
  }
}

extension Observer {
  /// Its name, as exports and stories have it.
  package var word: String { CodeWords.observer[UInt64(rawValue)] ?? "\(self)" }
}

extension EventFamily {
  /// Its name, as exports have it.
  package var word: String { CodeWords.family[UInt64(rawValue)] ?? "\(self)" }
}
