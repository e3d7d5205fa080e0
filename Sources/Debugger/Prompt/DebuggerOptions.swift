// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJudging
package import LifetraceTimeline

/// What a look at a file that is followed has shown.
package enum FollowedFile: Equatable {
  /// Its recorder is at work.
  case live
  /// The recording has ended.
  case ended
  /// The recorder was killed: what it had read is here, and a recovery may bring in more.
  case abandoned
  /// Nothing more of this recording will come, for that reason.
  case lost(String)
}

/// How the console was asked to run.
package struct DebuggerOptions {
  /// When output is coloured.
  package enum Color: String, CaseIterable, Sendable {
    case auto, always, never
  }

  /// What the console does before it asks, in order.
  package enum Script: Sendable, Equatable {
    /// One line.
    case line(String)
    /// The lines of a file.
    case file(String)
  }

  /// The name of the recording, for messages.
  package var title: String
  /// What is wrong with the file, a sentence each.
  package var problems: [String] = []
  /// Commands to run first.
  package var scripts: [Script] = []
  /// Whether it leaves after the scripts.
  package var isBatch = false
  /// Whether answers are JSON, one object a line.
  package var isJSON = false
  /// Whether it goes without a greeting.
  package var isQuiet = false
  /// Whether commands are printed before their answers where no user types them.
  package var echoes = false
  /// Whether the init file is read.
  package var readsInit = true
  /// When output is coloured.
  package var color = Color.auto
  /// The profile whose deadlines hold, and which rules are judged.
  package var judgement: Judgement
  /// The remarks beside the violations: which rules are switched off, and why.
  package var remarks: [String] = []
  /// Opens the recording once more, so that a large one can be checked while the user types.
  package var reopen: (@Sendable () -> (any EventSource)?)?
  /// Runs `lifetrace rerun` on the recording, with these words behind it; nil where it is no trace.
  package var rerun: (@Sendable (_ words: [String]) -> ProgramAnswer)?
  /// Runs `lifetrace cut` on the recording, with these words behind it.
  package var cut: (@Sendable (_ words: [String]) -> ProgramAnswer)?
  /// The file of the notes; without one they live as long as the prompt.
  package var notes: String?
  /// Keeps what the rules said of a finished recording; nil where nothing is kept.
  package var verdicts: VerdictCache?
  /// Takes in what the recording has got since the last look; nil where it is not followed.
  package var follow: (() -> FollowedFile)?
  /// Where source files are looked for, instead of the current directory.
  package var sourceDirectory: String?

  /// Options for a recording.
  package init(title: String, judgement: Judgement = Judgement()) {
    self.title = title
    self.judgement = judgement
  }
}
