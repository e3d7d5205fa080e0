// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace

/// The lines that a launched process prints into one pipe, on their way into its stream.
struct PipeReading {
  private let recorder: Recorder
  private let pid: Int32
  private let isError: Bool
  private var lines = PrintedLines()
  private var report = CrashReport()

  init(_ recorder: Recorder, pid: Int32, isError: Bool) {
    self.recorder = recorder
    self.pid = pid
    self.isError = isError
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) {
    var whole: [RecordedValue] = []
    lines.take(bytes) { whole.append($0) }
    for line in whole { record(line) }
    // The report's first line ends when its stack is complete, and begins with the crash.
    look(at: lines.open)
  }

  /// Nothing more comes; `isWhole` where nothing else was to come.
  mutating func end(isWhole: Bool) {
    var last: [RecordedValue] = []
    lines.end(isWhole: isWhole) { last.append($0) }
    for line in last { record(line) }
  }

  private mutating func look(at bytes: [UInt8]) {
    // Behind what was recorded before.
    let now = recorder.now()
    guard isError, report.begins(with: bytes, at: now) else { return }
    recorder.noteCrash(ofPID: pid, at: now)
  }

  private mutating func record(_ value: RecordedValue) {
    guard case .name(let text) = value else { return put(value, isError ? .error : .info) }
    look(at: Array(text.utf8.prefix(CrashReport.headBytesMax)))
    switch report.take(text) {
    case .ordinary: put(value, isError ? .error : .info)
    case .headline: put(value, .fault)
    case .frame(let function, let file, let line):
      put(value, .fault, function, file, line)
    case .left: break
    }
  }

  private func put(
    _ text: RecordedValue,
    _ level: LogLevel,
    _ function: String = "",
    _ file: String = "",
    _ line: UInt32 = 0
  ) {
    var event = RecordedEvent(at: report.begun, name: function, observer: .recorder) {
      Payload.Log(text: $0.name(text), level: level)
    }
    event.file = file
    event.line = line
    recorder.recordOutput(event, ofPID: pid)
  }
}
