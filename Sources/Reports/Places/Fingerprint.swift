// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
import LifetraceWords

/// By what a violation is known again in another recording, and after unrelated changes.
///
/// Made of the rule, the app, the names that its sentence is about (object, callback, task), and of
/// the place of the edit its file and the text of that line; never of numbers of events, times,
/// sizes or line numbers, which change from run to run.
package struct Fingerprint: Hashable {
  var rule: String
  var app: String
  /// What is named in the sentence, in order.
  var names: [String]
  /// The file of the place, as the recording names it; empty for none.
  var file: String
  /// The line's text, blanks evened out; empty where the working tree does not have it.
  var text: String

  /// That of a violation or a doubt.
  package init(_ verdict: Verdict, _ report: CheckReport) {
    rule = verdict.rule
    app = verdict.app
    names = verdict.title.names.map(Self.withoutIncarnation)
    let site = verdict.site?.source
    file = site?.file ?? ""
    let place = site.map(report.place)
    text =
      place?.file.flatMap { file in place?.line.flatMap { report.tree.text($0, of: file) } } ?? ""
  }

  init(rule: String, app: String, names: [String], file: String, text: String) {
    (self.rule, self.app, self.names, self.file, self.text) = (rule, app, names, file, text)
  }

  /// Whether both are of one violation: a text that is not known on one side says nothing.
  func isLike(_ other: Fingerprint) -> Bool {
    rule == other.rule && app == other.app && names == other.names && file == other.file
      && (text == other.text || text.isEmpty || other.text.isEmpty)
  }

  /// 16 digits for programs that keep one value (FNV-1a, 64 bits).
  var digest: String {
    let all = ([rule, app] + names + [file, text]).joined(separator: "\u{0}")
    let hash = all.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A writer is called `notes#3`: which launch it was changes from run to run.
  private static func withoutIncarnation(_ name: String) -> String {
    guard let mark = name.lastIndex(of: "#"), mark > name.startIndex,
      name[name.index(after: mark)...].allSatisfy(\.isNumber)
    else { return name }
    return String(name[..<mark])
  }
}
