// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
import LifetraceJSON
import LifetracePlatform
internal import LifetraceTrace

/// A report that a device writes of one moment or of one day, as the facts that a log would have told.
///
///     if let report = try DeviceReport.read("Notes.ips", Names()) { report.what }     // "a crash report"
///
/// Crash reports as text and as JSON, reports of low memory (JetsamEvent) and payloads of MetricKit.
/// Their facts join those of logs of the same processes.
struct DeviceReport {
  /// Larger files are no reports.
  static let bytesMax = 64 << 20
  /// What is looked at to find out what a file is.
  private static let headBytes = 64 << 10

  enum Form {
    case crashText, crashJSON, jetsam, metrics
  }

  /// The report in the file at `path`; nil for a file that has to be read as a log.
  static func read(_ path: String, _ names: Names) throws(LogImportError) -> LogInput? {
    guard path != "-", let bytes = contents(path), !bytes.isEmpty else { return nil }
    return try read(bytes, path, names)
  }

  /// The report that `bytes` are; nil for those that have to be read as a log.
  static func read(_ bytes: [UInt8], _ path: String, _ names: Names) throws(LogImportError)
    -> LogInput?
  {
    var bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let form = form(of: bytes) else { return nil }
    var builder = ReportBuilder(names: names, file: LogImport.fileName(path))
    let what: String
    do throws(ReportProblem) {
      switch form {
      case .crashText: what = try builder.add(CrashReport(text: bytes))
      case .crashJSON: what = try builder.add(CrashReport(json: bytes))
      case .jetsam: what = try builder.addJetsam(bytes)
      case .metrics: what = try builder.addMetrics(bytes)
      }
    } catch {
      throw .foreign(path: path, what: error.what, advice: error.advice)
    }
    var input = LogInput(report: path, what: what, facts: builder.read, bytes: bytes)
    input.systemVersion = builder.systemVersion
    input.notes = builder.notes
    return input
  }

  /// The whole file, if it begins like a report; nil else.
  private static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var limit = headBytes
    while bytes.count < bytesMax {
      let room = min(1 << 20, limit - bytes.count)
      if room == 0 {
        guard form(of: bytes) != nil else { return nil }
        limit = bytesMax
        continue
      }
      let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        count = max(0, LifetracePlatform.read(file, buffer.baseAddress, room))
      }
      if part.isEmpty { return bytes }
      bytes += part
    }
    return nil
  }

  // MARK: What it is

  /// What the beginning of a file is; nil for no report.
  static func form(of bytes: [UInt8]) -> Form? {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let head = LogText(base, min(buffer.count, headBytes))
      let text = head.trimmedLines
      return text.starts("{") || text.starts("[") ? json(text) : crash(head)
    }
  }

  private static func json(_ text: LogText) -> Form? {
    let first = text.until(0x0A)
    if let type = first.jsonString("\"bug_type\"") {
      let body = text.dropFirst(first.count).trimmedLines
      switch type.string(limit: 8) {
      case "298": return .jetsam
      case "309", "109", "308", "327", "385": return body.starts("{") ? .crashJSON : .crashText
      default: return nil
      }
    }
    if text.find("\"procLaunch\"") != nil { return .crashJSON }
    if text.find("\"timeStampBegin\"") != nil { return .metrics }
    let isJetsam =
      text.find("\"largestProcess\"") != nil
      || text.find("\"rpages\"") != nil && text.find("\"states\"") != nil
    return isJetsam ? .jetsam : nil
  }

  /// A crash report in text, perhaps with a word of the person who sends it before.
  private static func crash(_ head: LogText) -> Form? {
    guard
      head.line(behind: "Exception Type:") != nil
        || head.line(behind: "Termination Reason:") != nil
        || head.line(behind: "Incident Identifier:") != nil
    else { return nil }
    // A log may quote one.
    var rest = head
    for _ in 0..<20 where !rest.isEmpty {
      let line = rest.until(0x0A)
      rest = rest.dropFirst(line.count + 1)
      var prefix = LogPrefix(line)
      if prefix.readUsual(line) { return nil }
    }
    return .crashText
  }
}

/// Why a report is of no use, and what would be.
struct ReportProblem: Error {
  var what: String
  var advice: String
}

extension LogText {
  /// Without blanks, tabs and newlines before it.
  var trimmedLines: LogText {
    var text = self
    while text.count > 0, text[0] <= 0x20 { text = text.dropFirst(1) }
    return text
  }

  /// What stands behind `key` at the beginning of a line, to the end of that line; nil where no line
  /// begins so.
  func line(behind key: StaticString) -> LogText? {
    var from = 0
    while let step = dropFirst(from).find(key) {
      let at = from + step
      from = at + key.utf8CodeUnitCount
      if at == 0 || self[at - 1] == 0x0A { return dropFirst(from).until(0x0A).trimmed }
    }
    return nil
  }
}
