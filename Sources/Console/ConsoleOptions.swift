// SPDX-License-Identifier: GPL-3.0-or-later
public import LifetraceReplay
public import LifetraceTimeline

/// How the console was asked to run.
public struct ConsoleOptions: Sendable {
  /// When output is coloured.
  public enum Color: String, CaseIterable, Sendable {
    case auto, always, never
  }

  /// What the console does before it asks, in order.
  public enum Script: Sendable, Equatable {
    /// One line.
    case line(String)
    /// The lines of a file.
    case file(String)
  }

  /// The name of the recording, for messages.
  public var title: String
  /// What is wrong with the file, a sentence each.
  public var problems: [String] = []
  /// Commands to run first.
  public var scripts: [Script] = []
  /// Whether it leaves after the scripts.
  public var isBatch = false
  /// Whether answers are JSON, one object a line.
  public var isJSON = false
  /// Whether it goes without a greeting.
  public var isQuiet = false
  /// Whether commands are printed before their answers where nobody types them.
  public var echoes = false
  /// Whether the init file is read.
  public var readsInit = true
  /// When output is coloured.
  public var color = Color.auto
  /// Whose deadlines and which rules.
  public var judgement: Judgement
  /// What is said beside the violations: which rules are switched off, and why.
  public var remarks: [String] = []
  /// Opens the recording once more, so that a large one can be checked while somebody types.
  public var reopen: (@Sendable () -> (any EventSource)?)?
  /// Where source files are looked for, instead of the current directory.
  public var sourceDirectory: String?

  /// Options for a recording.
  public init(title: String, judgement: Judgement = Judgement()) {
    self.title = title
    self.judgement = judgement
  }
}
