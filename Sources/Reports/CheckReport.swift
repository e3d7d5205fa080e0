// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// What came of one recording, or of several that are one.
package enum Checked {
  /// It was judged.
  case judged(CheckFacts)
  /// It could not be read; the reason names the file.
  case unreadable(file: String, reason: String)
}

/// What all checks of one run of `check` have in common.
package struct CheckReport {
  /// Asks for more words, where a form has any.
  package var verbose = false
  /// From what on a verdict fails the check.
  package var failOn = FailOn.error
  /// Where the sources are.
  package var tree = SourceTree(around: ".")
  /// The version of the tool.
  package var version = ""
  /// When it runs, as `2026-11-22T21:40:00`, in UTC; a file of JUnit has to say so.
  package var now = "1970-01-01T00:00:00"
  /// How many checks were written before this one.
  package var number = 0
  /// Whether there is more than one.
  package var isOneOfMany = false

  package init() {}
}

/// From what on `check` exits with 1.
package enum FailOn: String, CaseIterable, Sendable {
  case error, warning, info, undecidable, never

  /// Whether a violation of that severity is enough.
  package func isMet(by severity: Severity) -> Bool {
    switch self {
    case .never: false
    case .undecidable, .info: true
    case .warning: severity >= .warning
    case .error: severity == .error
    }
  }

  /// Whether what was found is enough.
  package func isMet(by facts: CheckFacts) -> Bool {
    if self != .never, !facts.unmet.isEmpty { return true }
    if self == .undecidable, facts.undecidable > 0 { return true }
    return facts.worst.map(isMet) ?? false
  }
}

extension CheckReport {
  /// Where somebody who reads `verdict` should look, as a file of the working tree.
  struct Place {
    /// From the root of the tree; nil where no file is certain.
    var file: String?
    var line: UInt32?
    /// Why there is no file, or no line; nil where there are both, or nothing to look for.
    var remark: String?
  }

  /// The place of the edit that is lost or of the save that wrote wrong bytes, else the first event of the
  /// story that is found in the working tree.
  func place(of verdict: Verdict) -> Place {
    let order = [verdict.site].compactMap(\.self) + verdict.witnesses
    let places = order.compactMap { $0.source.map(place) }
    return places.first { $0.file != nil } ?? places.first ?? Place()
  }

  /// The same for one place of the recording.
  func place(_ site: SourcePlace) -> Place {
    switch tree.find(site) {
    case .found(let file, let line):
      let remark = line == nil && site.line > 0 ? "\(site): the file here has fewer lines" : nil
      return Place(file: file, line: line, remark: remark)
    case .ambiguous(let files):
      let some = files.prefix(3).joined(separator: ", ") + (files.count > 3 ? ", ..." : "")
      return Place(remark: "\(site) may be any of \(files.count) files here: \(some)")
    case .missing: return Place(remark: "\(site) is not in this working tree")
    }
  }
}
