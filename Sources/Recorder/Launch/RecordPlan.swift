// SPDX-License-Identifier: Apache-2.0

/// What a recording of a command, or of a scenario, is to do.
package struct RecordPlan {
  package var options: RecorderOptions
  /// The output as the user wrote it.
  package var path: String
  package var command: [String]
  /// What the command prints is recorded too.
  package var capturesOutput = false
  /// Plays the system around the apps, which the command starts, instead of starting it once.
  package var play: ((Recorder, _ command: [String]) -> PlayedScenario)?
  /// Reports to the user what goes wrong, from any thread of either process.
  package var say: @Sendable (String) -> Void

  package init(
    options: RecorderOptions,
    path: String,
    command: [String],
    say: @escaping @Sendable (String) -> Void
  ) {
    self.options = options
    self.path = path
    self.command = command
    self.say = say
  }
}

/// What came of a scenario before its recording was closed.
package struct PlayedScenario {
  /// The exit code so far; 125 where it could not be played.
  package var code: Int32
  /// Judges the trace, once all of it is in its file: the exit code then.
  package var judge: () -> Int32

  package init(code: Int32, judge: @escaping () -> Int32) {
    self.code = code
    self.judge = judge
  }
}
