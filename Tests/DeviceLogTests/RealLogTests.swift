// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDeviceLog
import LifetraceInterop
import Testing
import LifetraceTrace

/// Logs that nobody here wrote: set LIFETRACE_REAL_LOGS to a folder of them.
@Suite struct RealLogTests {
  static let folder = getenv("LIFETRACE_REAL_LOGS").map { String(cString: $0) }

  static func files() -> [String] {
    guard let folder, let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".log") || name.hasSuffix(".txt") { files.append("\(folder)/\(name)") }
    }
    return files.sorted()
  }

  @Test(arguments: files())
  func importsWithLegalStates(path: String) {
    do {
      let log = try LogImport(path: path)
      print("\(path): \(log.summary)")
      for stream in log.streams {
        if getenv("LIFETRACE_REAL_LOGS_PRINT") != nil {
          print("---- \(stream.attributes.app) \(stream.attributes.pid) \(stream.attributes.role)")
          for line in log.printed(stream) { print(line) }
        }
        expectLegal(stream, log)
      }
    } catch {
      print("\(path): \(error)")
    }
  }
}

/// Every edge is one that the system takes.
func expectLegal(_ stream: LogImport.Stream, _ log: LogImport) {
  var state = AppState.unknown
  for (index, event) in stream.events.enumerated() {
    #expect(event.sequence == UInt64(index))
    let next: AppState
    switch event.kind {
    case .processStart:
      if state == .unknown { state = .notRunning }
      continue
    case .transition:
      #expect(event[0] == UInt64(state.rawValue))
      next = AppState(rawValue: UInt8(clamping: event[1])) ?? .unknown
    case .suspend: next = .suspended
    case .resume: next = .background
    case .purge, .processExit:
      state = .notRunning
      continue
    default: continue
    }
    let line = log.names[event.site].line
    #expect(isLegal(state, next), "\(stream.attributes.app) line \(line): \(state) to \(next)")
    state = next
  }
}

/// The edges of the life cycle; a lost state can be found again anywhere.
func isLegal(_ from: AppState, _ to: AppState) -> Bool {
  switch (from, to) {
  case (.unknown, _): true
  case (.notRunning, .inactive), (.notRunning, .background): true
  case (.inactive, .active), (.active, .inactive): true
  case (.inactive, .background), (.background, .inactive): true
  case (.background, .suspended), (.suspended, .background): true
  default: false
  }
}
