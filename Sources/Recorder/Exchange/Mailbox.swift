// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// What other threads have handed over and the recorder's thread has not taken yet.
struct Mailbox: Sendable {
  private(set) var submissions: [Submission] = []
  private var commands: [RecorderCommand] = []
  /// Launches that have begun and not come to their end: whose children some forks are is not
  /// known before.
  private var launching = 0
  /// Processes that were launched, until the recorder's thread knows of them.
  private var launches: [Int32] = []
  /// Whether any process was started.
  private(set) var hasLaunched = false
  /// How the recording has ended; no command is taken any more.
  private(set) var result: Result<RecordingSummary, RecorderError>?

  mutating func put(_ submission: Submission) { submissions.append(submission) }

  mutating func takeSubmissions() -> [Submission] {
    let taken = submissions
    submissions.removeAll(keepingCapacity: true)
    return taken
  }

  /// After the end commands are not read: then the end is returned, and is the answer.
  mutating func put(_ command: RecorderCommand) -> Result<RecordingSummary, RecorderError>? {
    if result == nil { commands.append(command) }
    return result
  }

  mutating func takeCommands() -> [RecorderCommand] {
    defer { commands = [] }
    return commands
  }

  mutating func beginLaunch() { launching += 1 }

  /// It runs under that number; nil where it could not be started.
  mutating func endLaunch(_ pid: Int32?) {
    precondition(launching > 0, "a launch ends once")
    launching -= 1
    guard let pid else { return }
    hasLaunched = true
    launches.append(pid)
  }

  /// Launches that have come to their end, and whether others are under way.
  mutating func takeLaunches() -> (ended: [Int32], areUnderWay: Bool) {
    defer { launches = [] }
    return (launches, launching > 0)
  }

  /// The end; and the commands that came too late to be answered with it.
  mutating func end(_ result: Result<RecordingSummary, RecorderError>)
    -> [RecorderCommand.Answer]
  {
    self.result = result
    return takeCommands().compactMap(\.answer)
  }
}
