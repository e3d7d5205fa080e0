// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Crash reports in text (`.crash`), from iOS 4 to today's translations of `.ips`.
///
///     Process:             Notes [280]
///     Identifier:          org.example.notes
///     Date/Time:           2018-04-19 15:58:17.6849 -0400
///     Termination Reason:  Namespace SPRINGBOARD, Code 0x8badf00d
extension CrashReport {
  init(text bytes: [UInt8]) throws(ReportProblem) {
    var frames = FrameReader()
    var isExplaining = false
    var number: UInt32 = 0
    for piece in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      let line = String(decoding: piece.last == 0x0D ? piece.dropLast() : piece, as: UTF8.self)
      if frames.take(line) { continue }
      guard let colon = line.firstIndex(of: ":") else {
        if isExplaining, !line.isEmpty { explanation += " | \(line)" }
        if line.isEmpty { isExplaining = false }
        continue
      }
      let key = line[..<colon]
      let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
      switch key {
      case "Process": readProcess(value)
      case "Identifier": bundle = value
      case "Version": version = value
      case "OS Version": system = value
      case "Date/Time": ended = ReportTime(value)
      case "Launch Time": launched = ReportTime(value)
      case "Exception Type": exception = value
      case "Exception Subtype", "Exception Message": exception += ", \(value)"
      case "Termination Reason":
        readReason(value)
        self.line = number
        isExplaining = true
        continue
      case "Termination Description": explanation += " | \(value)"
      case "Triggered by Thread", "Crashed Thread":
        frames.wanted = String(value.prefix { $0.isNumber })
      case "Highlighted Thread":
        frames.wanted = frames.wanted ?? String(value.prefix { $0.isNumber })
      default:
        // The words of the termination go on in lines of their own.
        if isExplaining { explanation += " | \(line)" }
        continue
      }
      isExplaining = false
    }
    (self.frames, thread) = (frames.frames, frames.wanted ?? "")
    try checkHead()
  }

  /// Without a process and a time there is nothing that could join a log, or stand alone.
  func checkHead() throws(ReportProblem) {
    guard !process.isEmpty || !bundle.isEmpty, ended != nil else {
      throw ReportProblem(
        what: "a crash report without its head",
        advice:
          "Import it whole: the lines Process and Date/Time say which process ended, and when."
      )
    }
  }

  /// Reads `Notes [280]`.
  private mutating func readProcess(_ value: String) {
    guard let open = value.lastIndex(of: "[") else { return process = value }
    process = String(value[..<open]).trimmed
    pid = UInt32(value[value.index(after: open)...].prefix { $0.isNumber }) ?? 0
  }

  /// Reads `Namespace SPRINGBOARD, Code 0x8badf00d`, `FRONTBOARD 2343432205`, `SIGNAL 6 Abort trap: 6`.
  mutating func readReason(_ value: String) {
    let words = value.split { $0 == " " || $0 == "," }.filter { $0 != "Namespace" && $0 != "Code" }
    guard let first = words.first else { return }
    namespace = String(first)
    if words.count > 1 {
      let digits = words[1]
      code =
        digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
    }
    explanation = words.dropFirst(2).joined(separator: " ")
  }
}

/// The top frames of the thread that is wanted, as a report in text prints them.
private struct FrameReader {
  /// The number of the thread; nil until a line has named it.
  var wanted: String?
  private(set) var frames: [String] = []
  private var isIn = false

  /// Whether `line` is of a stack.
  mutating func take(_ line: String) -> Bool {
    if line.hasPrefix("Thread ") {
      let number = String(line.dropFirst(7).prefix { $0.isNumber })
      isIn = number == wanted || wanted == nil && line.hasSuffix("Crashed:")
      return true
    }
    guard isIn, frames.count < CrashReport.framesMax, line.first?.isNumber == true else {
      if line.isEmpty { isIn = false }
      return false
    }
    // `0   libsystem_kernel.dylib   0x0000000182f9f568 mach_msg_trap + 8`
    let words = line.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count > 3 else { return true }
    frames.append("\(words[1]): \(words[3...].joined(separator: " "))")
    return true
  }
}

extension String {
  /// Without blanks and tabs on either side.
  fileprivate var trimmed: String {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
