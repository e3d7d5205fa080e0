// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceWords

/// A command of the prompt: its words, its manual and what it does.
///
/// Help, completion and the manual page are made from these values, so a new
/// command is one value in one of the lists of ``CommandTable``.
struct Command: Sendable {
  /// Its name, as help lists it.
  var name: String
  /// Other names; gdb's among them.
  var aliases: [String] = []
  /// Its arguments, `[COUNT]`; empty for none.
  var synopsis = ""
  /// One line, without a period.
  var summary: String
  /// The chapter of the manual.
  var group: Group
  /// More, a paragraph each.
  var details: [String] = []
  /// Examples, as lines to type.
  var examples: [String] = []
  /// What its arguments complete to.
  var completes = Completion.nothing
  /// Whether it takes the rest of its line as it is typed, quotes and all.
  var takesText = false
  /// Whether an empty line does it again.
  var repeats = false
  /// What an empty line runs instead of the same line again.
  var repeatsAs: String?
  /// Runs the command.
  var run: @Sendable (Session, [String]) throws -> Answer

  /// How it is typed: `next [KIND [TEXT]]`.
  var usage: String { synopsis.isEmpty ? name : "\(name) \(synopsis)" }

  /// A chapter of the manual.
  enum Group: String, CaseIterable, Sendable {
    case moving = "Moving"
    case stops = "Stopping"
    case looking = "Looking"
    case searching = "Searching"
    case explaining = "Explaining"
    case keeping = "Keeping"
    case console = "The console"

    /// What `help` takes for it.
    var word: String { self == .console ? "console" : rawValue.lowercased() }
  }

  /// A kind of argument.
  enum Completion: Sendable {
    case nothing, kinds, expressions, places, names, commands, settings, writers, topics,
      explanations, rules, hypotheses, profiles, thresholds, flows
  }
}
