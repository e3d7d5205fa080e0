// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetracePlatform
import LifetraceTrace
package import LifetraceWords

/// What this machine can do for lifetrace, found by trying it.
///
///     let diagnosis = Diagnosis.make(version: "0.1.0", app: [path, "notes"])
///     for line in diagnosis.lines(Paint(isOn: false)) { print(line) }
///
/// Each finding is the outcome of doing the thing, never of a version number: a container may refuse
/// what its kernel could. About a second.
package struct Diagnosis: Sendable {
  package var version: String
  /// The kernel, the processor and the user, in words.
  package var system: String
  package var findings: [Finding]

  /// Tries everything; `app` starts an app that edits where a scenario tells it to.
  ///
  /// For a process with a single thread, which is forked.
  package static func make(version: String, app: [String]) -> Diagnosis {
    // Those that fork come first: the trial of a recording starts threads.
    let seen = ProcessTrials.run() + [DeskTrials.clock()]
    let played = RecordingTrial.run(app: app)
    let desk = [
      DeskTrials.observer(), DeskTrials.limits(), DeskTrials.terminal(), DeskTrials.browser(),
    ]
    return Diagnosis(version: version, system: systemWords, findings: played + seen + desk)
  }

  /// Whether apps can be recorded here, with however little.
  package var canRecord: Bool {
    findings.contains { $0.name == RecordingTrial.name && $0.standing != .missing }
  }

  /// As it is shown to a person.
  package func lines(_ paint: Paint) -> [String] {
    let width = findings.map(\.name.count).max() ?? 0
    var lines = ["lifetrace \(version) on \(system)", ""]
    for finding in findings {
      let word = finding.standing.rawValue
      let padding = String(repeating: " ", count: 6 - word.count)
      let name = finding.name + String(repeating: " ", count: width - finding.name.count)
      lines.append(
        paint(word, style(finding)) + padding + name + "  " + Printable.line(finding.seen)
      )
      let indent = String(repeating: " ", count: 6 + width + 2)
      if !finding.without.isEmpty { lines.append(indent + "without it: " + finding.without) }
      if !finding.mend.isEmpty { lines.append(indent + "to mend it: " + finding.mend) }
    }
    let less = findings.count { $0.standing != .good }
    let verdict = canRecord ? "Recording works here" : "Recording does not work here"
    let rest = canRecord ? less == 0 ? "." : ", with less of \(less) of \(findings.count)." : "."
    return lines + ["", verdict + rest]
  }

  private func style(_ finding: Finding) -> Style {
    switch finding.standing {
    case .good: .good
    case .limited: .warning
    case .missing: finding.name == RecordingTrial.name ? .bad : .warning
    }
  }

  /// One object; `without` and `mend` are null where there is nothing to say.
  package var json: JSON {
    func text(_ text: String) -> JSON { text.isEmpty ? .null : .string(text) }
    let checks = findings.map { finding in
      JSON.object([
        ("name", .string(finding.name)), ("standing", .string(finding.standing.rawValue)),
        ("seen", .string(finding.seen)), ("without", text(finding.without)),
        ("mend", text(finding.mend)),
      ])
    }
    return .object([
      ("version", .string(version)), ("system", .string(system)), ("records", .bool(canRecord)),
      ("findings", .array(checks)),
    ])
  }

  private static var systemWords: String {
    var names = utsname()
    uname(&names)
    func text<T>(_ field: T) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let user = geteuid() == 0 ? "root" : "user \(geteuid())"
    // The number of the first namespace of processes is part of the kernel's interface.
    var first = stat()
    let isFirst = stat("/proc/self/ns/pid", &first) == 0 && first.st_ino == 0xefff_fffc
    let place = isFirst ? "" : ", in a container (its own numbers of processes)"
    return
      "\(text(names.sysname)) \(text(names.release)) \(text(names.machine)), as \(user)\(place)"
  }
}
