// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// `what-if`: what would be if one thing were otherwise, as far as the recording decides that.
enum WhatIfCommand {
  static let all: [Command] = [
    Command(
      name: "what-if",
      aliases: ["whatif"],
      synopsis: "purge | kill | power-cut [PLACE] | profile NAME | deadline NAME TIME",
      summary: "tell what an end here would lose, or what another system would call broken",
      group: .explaining,
      details: [
        "purge: the system takes the memory of the app; kill: its user throws it out; power-cut: "
          + "the device loses its power, which ends every process and takes what was not synced. "
          + "It is told of each object whether its newest version would be lost, and what the next "
          + "launch would find.",
        "profile: the deadlines and habits of another generation of the system; deadline: one limit, "
          + "by its name in lifetrace.yml, from which on it is too slow and is killed. It is told what would be broken, and what would not, up to "
          + "where that system would have ended an app that lived on, or let one live that was ended: "
          + "verdicts behind that are struck out and counted.",
        "It follows from what the app has said of its data up to there; nothing behind that place is "
          + "claimed. What the app would do if an event came later, or not at all, no recording "
          + "says: rerun plays it.",
      ],
      examples: [
        "what-if purge", "what-if purge notes#1:22", "what-if power-cut #1",
        "what-if profile ios7", "what-if deadline enter-background 3s",
      ],
      completes: .hypotheses
    ) { session, words in
      guard let word = words.first else {
        throw CommandError.usage("what-if takes one of \(Wording.list(Self.words)).")
      }
      let rest = Array(words.dropFirst())
      if let end = SupposedEnd(rawValue: word) {
        return try EndForecastLines.answer(session, end, rest)
      }
      switch word {
      case "profile": return try RejudgementLines.profile(session, rest)
      case "deadline": return try RejudgementLines.deadline(session, rest)
      default: throw refusal(word)
      }
    }
  ]

  /// What can be supposed.
  static let words = SupposedEnd.allCases.map(\.rawValue) + ["profile", "deadline"]

  /// What completes the word behind `word`.
  static func completion(of word: String) -> Command.Completion {
    switch word {
    case "profile": .profiles
    case "deadline": .thresholds
    default: .places
    }
  }

  /// What would change how the app goes on, by what people call it.
  private static let changes = ["drop", "delay", "move", "add", "insert", "remove", "skip", "swap"]

  private static func refusal(_ word: String) -> CommandError {
    guard changes.contains(word) else {
      return .usage("\(word) is nothing to suppose: what-if takes one of \(Wording.list(words)).")
    }
    return .no(
      "What the app would have done then is not in the recording: it would have gone on otherwise "
        + "from there. To see it, play it: rerun --with CHANGE (help rerun has the changes). By how "
        + "much a time would have to be another for a rule to say something else: slack"
    )
  }
}

/// An end that did not come.
enum SupposedEnd: String, CaseIterable {
  case purge, kill
  case powerCut = "power-cut"

  /// What data had to reach to outlive it.
  var level: DurabilityLevel { self == .powerCut ? .disk : .kernel }

  /// As the subject of a sentence.
  var subject: String {
    switch self {
    case .purge: "A purge"
    case .kill: "A kill by the user"
    case .powerCut: "A power cut"
    }
  }
}
