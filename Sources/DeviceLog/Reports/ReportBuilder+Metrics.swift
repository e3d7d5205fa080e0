// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
internal import LifetraceTrace

/// Payloads of MetricKit: how often something happened in a day, and never when.
///
/// So nothing becomes an event of a life: each count is a line at the end of its span, with the rules
/// that find such a thing in a log or a recording.
extension ReportBuilder {
  mutating func addMetrics(_ bytes: [UInt8]) throws(ReportProblem) -> String {
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: bytes, bytesMax: DeviceReport.bytesMax)
    } catch {
      throw ReportProblem(
        what: "a payload of MetricKit that is broken at \(error)",
        advice: "Write what jsonRepresentation() returns into a file, and nothing else."
      )
    }
    let payloads = value.array ?? [value]
    var count = 0
    for payload in payloads {
      guard let end = payload["timeStampEnd"]?.string.flatMap(ReportTime.init) else { continue }
      setZone(end)
      let lines = Self.lines(of: payload)
      let app = Self.app(of: payload) ?? "an app of MetricKit"
      let writer = process(app, 0)
      if let system = payload["metaData"]?["osVersion"]?.string { setSystem(system) }
      for line in lines.isEmpty ? ["no exit, crash or hang is counted"] : lines {
        var fact = LogFact(.reportFact)
        fact.bundle = name(app)
        fact.line = 1
        fact.text = name(line)
        add(fact, writer, at: end.time)
        notes.append(line)
      }
      count += 1
    }
    guard count > 0 else {
      throw ReportProblem(
        what: "a payload of MetricKit without timeStampEnd",
        advice: "Write what jsonRepresentation() returns into a file."
      )
    }
    return
      "MetricKit, \(Quantity.count(UInt64(count), "payload")): counts without times, which no rule judges"
  }

  private static func app(of payload: JSON) -> String? {
    if let id = payload["metaData"]?["bundleIdentifier"]?.string { return id }
    for kind in diagnostics.map(\.key) {
      for entry in payload[kind]?.array ?? [] {
        if let id = entry["diagnosticMetaData"]?["bundleIdentifier"]?.string { return id }
      }
    }
    return nil
  }

  private static func lines(of payload: JSON) -> [String] {
    let begin = payload["timeStampBegin"]?.string ?? "?"
    let span = "from \(begin) to \(payload["timeStampEnd"]?.string ?? "?")"
    var out: [String] = []
    for (place, words) in [
      ("foregroundExitData", "in the foreground"), ("backgroundExitData", "in the background"),
    ] {
      for exit in exits {
        let data = payload["applicationExitMetrics"]?[place]
        guard let count = data?[exit.key]?.int, count > 0 else { continue }
        let rules = exit.rules.isEmpty ? "" : " (\(exit.rules))"
        out.append(
          "\(Quantity.count(UInt64(count), "exit")) \(words): \(exit.words)\(rules), \(span)"
        )
      }
    }
    for kind in diagnostics {
      for entry in payload[kind.key]?.array ?? [] {
        let about = entry["diagnosticMetaData"]
        let more = kind.fields.compactMap { field in
          about?[field]?.scalarText.map { "\(field) \($0)" }
        }
        out.append("\(kind.words): \(more.joined(separator: ", ")) (\(kind.rules)), \(span)")
      }
    }
    return out
  }

  /// The counters of exits, and the rules that find such an exit where its events are known.
  private static let exits: [(key: String, words: String, rules: String)] = [
    ("cumulativeNormalAppExitCount", "normal", ""),
    ("cumulativeAbnormalExitCount", "abnormal", "SY02"),
    ("cumulativeAppWatchdogExitCount", "watchdog", "DL01, DL02, DL03, DL11"),
    (
      "cumulativeBackgroundTaskAssertionTimeoutExitCount", "a background task held for too long",
      "BT01, DL05"
    ),
    (
      "cumulativeBackgroundFetchCompletionTimeoutExitCount", "a fetch that was not completed",
      "DL09"
    ),
    (
      "cumulativeBackgroundURLSessionCompletionTimeoutExitCount",
      "a URL session that was not completed", "DL09"
    ),
    ("cumulativeSuspendedWithLockedFileExitCount", "suspended with a locked file", "RS06"),
    ("cumulativeMemoryResourceLimitExitCount", "over its memory limit", "SY01"),
    ("cumulativeMemoryPressureExitCount", "purged for memory", "DS02"),
    ("cumulativeCPUResourceLimitExitCount", "over its CPU limit", "SY01"),
    ("cumulativeBadAccessExitCount", "a bad access", "SY02"),
    ("cumulativeIllegalInstructionExitCount", "an illegal instruction", "SY02"),
  ]

  private static let diagnostics: [(key: String, words: String, fields: [String], rules: String)] =
    [
      (
        "crashDiagnostics", "a crash",
        ["terminationReason", "exceptionType", "signal", "exceptionCode"], "SY01, SY02"
      ),
      ("hangDiagnostics", "a hang", ["hangDuration"], "DL11"),
      (
        "cpuExceptionDiagnostics", "CPU over its limit", ["totalCPUTime", "totalSampledTime"],
        "SY01"
      ),
      ("appLaunchDiagnostics", "a slow launch", ["launchDuration"], "DL01"),
    ]
}
