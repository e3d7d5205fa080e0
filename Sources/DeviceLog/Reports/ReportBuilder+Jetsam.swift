// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
internal import LifetraceTrace

/// Reports of low memory (JetsamEvent): all processes at one moment, and who was killed.
///
/// The killed one is the entry that carries a reason, not the largest. Daemons are counted only. Broken
/// bodies, as they are pasted into trackers, are read entry by entry.
extension ReportBuilder {
  /// Entries beyond these are not read.
  private static let processesMax = 4_096

  mutating func addJetsam(_ bytes: [UInt8]) throws(ReportProblem) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let objects = Self.objects(in: bytes)
    let body = objects.first { $0["processes"] != nil || $0["largestProcess"] != nil }
    let entries = body?["processes"]?.array ?? Self.entries(in: bytes)
    guard !entries.isEmpty else {
      throw ReportProblem(
        what: "a report of low memory without processes",
        advice: "Take it from the device again: Settings, Privacy, Analytics Data."
      )
    }
    let header = objects.first { $0["bug_type"] != nil }
    let stamp = (body?["date"] ?? header?["timestamp"])?.string ?? Self.value("date", in: text)
    let time = stamp.flatMap(ReportTime.init)
    if let time { setZone(time) }
    setSystem((body?["build"] ?? header?["os_version"])?.string ?? "")
    let pageSize =
      (body?["memoryStatus"]?["pageSize"] ?? body?["pageSize"])?.int
      ?? Self.value("pageSize", in: text).flatMap { Int64($0) } ?? 16_384
    var killed: [String] = []
    for entry in entries.prefix(Self.processesMax) {
      if let reason = entry["reason"]?.string {
        killed.append("\(entry["name"]?.string ?? "?") (\(reason))")
      }
      add(entry, at: time?.time ?? 0, pageSize)
    }
    notes.append(killed.isEmpty ? "nobody was killed" : "killed: \(killed.joined(separator: ", "))")
    if let largest = body?["largestProcess"]?.string { notes.append("the largest: \(largest)") }
    return "a report of low memory, \(Quantity.count(entries.count, "process"))"
  }

  private mutating func add(_ entry: JSON, at time: Int64, _ pageSize: Int64) {
    let states = Set(entry["states"]?.array?.compactMap(\.string) ?? [])
    let (reason, pages) = (entry["reason"]?.string, entry["rpages"]?.int ?? 0)
    guard let process = entry["name"]?.string, let pid = entry["pid"]?.int, pid > 0,
      !states.contains("daemon"), reason != nil || !states.isDisjoint(with: Self.ofApps),
      !LogApps.systemProcesses.contains(process), !process.hasPrefix("com.apple.")
    else { return }
    let writer = self.process(process, UInt32(clamping: pid))
    var fact = LogFact(.reportState)
    fact.pid = UInt32(clamping: pid)
    fact.line = 1
    let state =
      states.contains("frontmost")
      ? "Foreground" : states.contains("suspended") ? "Suspended" : "Background"
    if !states.isDisjoint(with: Self.ofApps) { fact.text = name(state) }
    add(fact, writer, at: time)
    fact.pattern = .reportMemory
    fact.a = max(0, pages).multipliedReportingOverflow(by: max(0, pageSize)).partialValue
    add(fact, writer, at: time)
    guard let reason else { return }
    fact.pattern = .memoryKill
    fact.text = name(reason)
    add(fact, writer, at: time)
  }

  /// States that apps have, and daemons have not.
  private static let ofApps: Set<String> = ["frontmost", "suspended", "background"]

  // MARK: Broken bodies

  /// The values of the file: one on all lines, or one on the first and one on the others.
  private static func objects(in bytes: [UInt8]) -> [JSON] {
    if let whole = try? JSON(parsing: bytes, bytesMax: DeviceReport.bytesMax) { return [whole] }
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    return [bytes[..<end], bytes[end...]].compactMap {
      try? JSON(parsing: $0, bytesMax: DeviceReport.bytesMax)
    }
  }

  /// The innermost objects with a pid, wherever they stand.
  private static func entries(in bytes: [UInt8]) -> [JSON] {
    var out: [JSON] = []
    var open: Int?
    for (index, byte) in bytes.enumerated() where out.count < processesMax {
      if byte == UInt8(ascii: "{") { open = index }
      guard byte == UInt8(ascii: "}"), let start = open else { continue }
      open = nil
      if let entry = try? JSON(parsing: bytes[start...index]), entry["pid"] != nil,
        entry["rpages"] != nil || entry["states"] != nil
      {
        out.append(entry)
      }
    }
    return out
  }

  /// The value of the first such key of a text that is no JSON.
  private static func value(_ key: String, in text: String) -> String? {
    guard let rest = text.cut(at: "\"\(key)\"")?.behind else { return nil }
    let value = rest.drop { $0 == " " || $0 == ":" || $0 == "\"" }
    return String(value.prefix { $0 != "\"" && $0 != "," && $0 != "\n" && $0 != "}" })
  }
}
