// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// Crash reports as JSON (`.ips`): a line about the report, and the report; or the report alone.
extension CrashReport {
  init(json bytes: [UInt8]) throws(ReportProblem) {
    let start = bytes.firstIndex { $0 > 0x20 } ?? 0
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    var body = bytes[start...]
    if let header = try? JSON(parsing: bytes[start..<end]), header["bug_type"] != nil {
      body = bytes[end...]
      bundle = header["bundleID"]?.string ?? ""
      version = header["app_version"]?.string ?? ""
      system = header["os_version"]?.string ?? ""
      line = 2
    }
    let report: JSON
    do throws(JSONError) {
      report = try JSON(parsing: body, bytesMax: DeviceReport.bytesMax)
    } catch {
      throw ReportProblem(
        what: "a crash report (.ips) that is broken at \(error)",
        advice: "Take it from the device again: Settings, Privacy, Analytics Data."
      )
    }
    process = report["procName"]?.string ?? ""
    pid = UInt32(clamping: report["pid"]?.int ?? 0)
    bundle = report["bundleInfo"]?["CFBundleIdentifier"]?.string ?? bundle
    version = report["bundleInfo"]?["CFBundleShortVersionString"]?.string ?? version
    system = report["osVersion"]?["train"]?.string ?? system
    launched = report["procLaunch"]?.string.flatMap(ReportTime.init)
    ended = report["captureTime"]?.string.flatMap(ReportTime.init)
    let raised = report["exception"]
    exception = raised?["type"]?.string ?? ""
    if let signal = raised?["signal"]?.string { exception += " (\(signal))" }
    if let more = (raised?["subtype"] ?? raised?["message"])?.string { exception += ", \(more)" }
    let termination = report["termination"]
    namespace = termination?["namespace"]?.string ?? ""
    code = termination?["code"]?.int.map { UInt64(bitPattern: $0) }
    let reasons = termination?["reasons"]?.array?.compactMap(\.string) ?? []
    explanation = (reasons + [termination?["indicator"]?.string].compactMap(\.self))
      .joined(separator: " | ")
    readFrames(report)
    try checkHead()
  }

  private mutating func readFrames(_ report: JSON) {
    guard let threads = report["threads"]?.array else { return }
    let index =
      report["faultingThread"]?.int.map { Int($0) }
      ?? threads.firstIndex { $0["triggered"]?.bool == true } ?? 0
    guard threads.indices.contains(index) else { return }
    thread = "\(index)"
    let images = report["usedImages"]?.array ?? []
    for frame in threads[index]["frames"]?.array?.prefix(Self.framesMax) ?? [] {
      let image = frame["imageIndex"]?.int.flatMap { number -> String? in
        guard images.indices.contains(Int(clamping: number)) else { return nil }
        return images[Int(number)]["name"]?.string
      }
      var place = frame["symbol"]?.string ?? "+ \(frame["imageOffset"]?.int ?? 0)"
      if let file = frame["sourceFile"]?.string {
        place += " (\(file):\(frame["sourceLine"]?.int ?? 0))"
      }
      frames.append("\(image ?? "?"): \(place)")
    }
  }
}
