// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceScenario
import LifetraceWords

/// What a program said and how it left.
package struct ProgramAnswer: Sendable {
  /// What it printed.
  package var output: String
  /// What it complained of.
  package var complaint: String
  package var code: Int32

  /// An answer.
  package init(output: String, complaint: String, code: Int32) {
    (self.output, self.complaint, self.code) = (output, complaint, code)
  }
}

/// The command that plays the recorded scenario again.
enum RerunCommand {
  static let all: [Command] = [
    Command(
      name: "rerun",
      synopsis: "[--with CHANGE] [--times N]",
      summary: "play the scenario of the recording again, with a change",
      group: .explaining,
      details: [
        "The program is started anew: what is told is what really happens then. It is told of each "
          + "rule whether it is broken again, and in how many plays; the new recording is beside the old.",
        "A change is one of: "
          + ScenarioChange.forms.map { "`\($0.0)` (\($0.1))" }.joined(separator: ", ")
          + ". STEP is a name (home), the second of that name (tell 2), or a number (step 4).",
      ],
      examples: [
        "rerun", "rerun --times 10", "rerun --with \"suspend +300ms\"", "rerun -- ./fixed",
      ]
    ) { session, words in
      guard let rerun = session.rerun else {
        throw CommandError.no(
          "What is played again is one recording with a scenario: no story, and not several files."
        )
      }
      let isJSON = session.settings.isJSON
      let answer = rerun(isJSON ? ["--json"] + words : words)
      // 1 is the answer that something was found.
      guard answer.code <= 1, !answer.output.isEmpty else {
        let why = answer.complaint.replacing("lifetrace: ", with: "")
        let text = why.split(separator: "\n").joined(separator: "\n")
        throw answer.code == 64 ? CommandError.usage(text) : CommandError.no(text)
      }
      var out = Answer()
      if isJSON, let json = try? JSON(parsing: Array(answer.output.utf8)[...]) {
        out.note(Fact(data: "rerun", .json(json)))
        return out
      }
      for line in (answer.complaint + answer.output).split(
        separator: "\n",
        omittingEmptySubsequences: false
      ).dropLast() {
        out.say(Line(String(line)))
      }
      return out
    }
  ]
}
