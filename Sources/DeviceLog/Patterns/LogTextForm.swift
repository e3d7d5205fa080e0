// SPDX-License-Identifier: Apache-2.0

/// A form of text that is known, holds no line of a device's log, and comes with one often enough to
/// be handed in for one.
///
///     lifetrace: phone.txt: is an Android log (logcat), not a log in text.
struct LogTextForm {
  var what: String
  var advice: String

  /// The form of a file that begins with `head`; nil for one that is not known.
  init?(_ head: LogText) {
    guard let form = Self.forms.first(where: { $0.fits(head) }) else { return nil }
    (what, advice) = (form.what, form.advice)
  }

  private init(_ what: String, _ advice: String) { (self.what, self.advice) = (what, advice) }

  private typealias Form = (what: String, advice: String, fits: @Sendable (LogText) -> Bool)

  private static let forms: [Form] = [
    (
      "a crash report", LogForeign.auto,
      {
        $0.find("Incident Identifier:") != nil && $0.find("Hardware Model:") != nil
          || $0.find("Exception Type:") != nil || $0.find("Termination Reason:") != nil
      }
    ),
    (
      "the body of a crash report (.ips)", LogForeign.auto,
      { $0.starts("{") && $0.find("\"procLaunch\"") != nil }
    ),
    (
      "the body of a report of low memory", LogForeign.auto,
      {
        $0.starts("{")
          && ($0.find("\"largestProcess\"") != nil
            || $0.find("\"rpages\"") != nil && $0.find("\"states\"") != nil)
      }
    ),
    (
      "a payload of MetricKit", LogForeign.auto,
      { ($0.starts("{") || $0.starts("[")) && $0.find("\"timeStampBegin\"") != nil }
    ),
    (
      "an Android log (logcat)",
      "Only logs of Apple's devices are read. Record the app with the SDK, or write its events as a story: lifetrace import story FILE.",
      isLogcat
    ),
    (
      "a trace for Chrome or Perfetto",
      "It has no life cycle of an app. lifetrace reads recordings, stories and logs of devices.",
      { $0.find("\"traceEvents\"") != nil || $0.starts("[") && $0.find("\"ph\"") != nil }
    ),
    (
      "telemetry (OTLP)",
      "It is not read here. The device's own log of that time is: lifetrace import auto LOG.",
      { $0.find("\"resourceLogs\"") != nil || $0.find("\"resourceSpans\"") != nil }
    ),
    (
      "a spindump, or a sample of stacks",
      "It shows where threads stood, and no life. Import the device's log, or the crash report, of that time.",
      {
        $0.find("Analysis of sampling ") != nil
          || $0.find("Steps:") != nil && $0.find("Hardware model:") != nil
      }
    ),
    ("a web page", "Save the log itself.", { $0.starts("<html") || $0.starts("<!doctype html") }),
    (
      "a table of values with commas",
      "Its columns are not known. Export the log as text, or write its events as a story: lifetrace import story FILE.",
      isTable
    ),
  ]

  /// `02-15 19:41:49.305  841  935 I Tag: …`, `02-26 10:16:01.686 I/am_kill ( 1097): …`,
  /// `I/am_kill ( 1097): …`, and the header of a buffer.
  @Sendable
  private static func isLogcat(_ head: LogText) -> Bool {
    var rest = head
    for _ in 0..<8 {
      let line = rest.until(0x0A)
      rest = rest.dropFirst(line.count + 1)
      if line.starts("--------- beginning of ") { return true }
      if line.count > 24, line[2] == 0x2D, line[5] == 0x20, line[8] == 0x3A, line[14] == 0x2E {
        return true
      }
      if line.count > 4, line[1] == 0x2F, line.prefix(48).find("): ") != nil { return true }
      if line.count > 40, line[4] == 0x2D, line.prefix(160).find(" pid-") != nil { return true }
    }
    return false
  }

  /// Two lines with the same number of commas, or of semicolons, and more than one.
  @Sendable
  private static func isTable(_ head: LogText) -> Bool {
    let first = head.until(0x0A)
    let second = head.dropFirst(first.count + 1).until(0x0A)
    func count(_ byte: UInt8, _ line: LogText) -> Int {
      (0..<line.count).count { line[$0] == byte }
    }
    return [UInt8(ascii: ","), UInt8(ascii: ";")].contains { byte in
      let commas = count(byte, first)
      return commas > 1 && commas == count(byte, second)
    }
  }
}
