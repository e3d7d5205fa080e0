// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceDeviceLog
import Support
import Testing

/// The one table of patterns: each row is recognised by its own example, and the page is its text.
@Suite struct LogPatternPageTests {
  @Test(arguments: LogPattern.allCases)
  func anExampleIsRecognised(pattern: LogPattern) {
    let example = pattern.info.example
    guard !example.isEmpty else {
      // Any line of the process is one, those of a map are the user's, and reports have no lines.
      #expect(pattern == .activity || pattern == .mapped || pattern.isReported)
      return
    }
    var recognizer = LogRecognizer()
    let found = Array(example.utf8).withUnsafeBufferPointer { bytes -> LogPattern? in
      guard let base = bytes.baseAddress else { return nil }
      let text = LogText(base, bytes.count)
      if let fact = recognizer.recognize(text) { return fact.pattern }
      var callbacks = LogCallbacks(text)
      return callbacks.callback(from: 0, to: text.count)
    }
    #expect(found == pattern, "\(example)")
  }

  @Test func rowsStandWhereTheirNumbersSay() {
    #expect(LogPattern.table.count == LogPattern.allCases.count)
    for pattern in LogPattern.allCases { #expect(pattern.info.words == pattern.words) }
    #expect(Set(LogPattern.table.map(\.words)).count == LogPattern.allCases.count)
  }

  @Test func thePageIsTheTable() {
    #expect(Golden.difference(LogPattern.markdown, "Sources/DeviceLog/PATTERNS.md") == nil)
  }
}
