// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTrace

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Does the main job before your eyes: records an app that loses an edit, and finds it.",
    discussion: """
      The sample app is in this program, and needs no right that a user has not. Each command is shown \
      as one would type it, and run. What was recorded stays in the folder.
      """
  )

  @Option(
    name: [.short, .long],
    help: "The folder for the recordings, which is made; by default a new one in $TMPDIR or /tmp.",
    completion: .directory
  )
  var output: String?

  @Flag(help: "End in the debugger, at the loss.")
  var interactive = false

  func run() throws {
    let stage = try DemoStage(folder: output)
    try stage.play(Demo.acts(program: stage.program))
    stage.say(
      "The loss was found and explained, and the fix holds. All of it is in \(stage.folder)."
    )
    stage.say("The picture, for any browser:\n  file://\(stage.folder)/\(Demo.page)")
    let replay = ["replay", Demo.lost]
    guard !interactive else {
      stage.say("== The debugger, at the loss: try why, prev dirty, help; quit leaves.")
      stage.become(replay)
    }
    stage.say("To walk through it yourself:\n  " + stage.line(toType: replay))
  }
}

/// What the demo shows, in order.
enum Demo {
  /// Something that is shown: a sentence, or a command with the exit code that it must have.
  enum Act {
    case title(String)
    case command([String], exits: Int32 = 0, orElse: String)
  }

  static let lost = "lost.lifetrace"
  static let page = "lost.html"
  private static let fixed = "fixed.lifetrace"
  private static let scenario = "lost-edit.yml"

  /// The files of the sample app that it takes: what is played, and what lost the edit.
  static let files: [(name: String, bytes: [UInt8])] = [
    (scenario, PackageResources.lost_edit_yml),
    ("Editor.swift", PackageResources.Editor_swift_txt),
  ]

  /// `program` is what this one is called: it is told to be the sample app.
  static func acts(program: String) -> [Act] {
    let app = [program, "notes"]
    return [
      .title(
        "The app, with the mistake: its last edit waits for the autosave while it is suspended."
      ),
      .command(
        ["record", "--scenario", scenario, "-o", lost, "--"] + app,
        orElse: "lifetrace doctor says what is missing on this machine"
      ),
      .command(["check", lost], exits: 1, orElse: "it should have found the loss"),
      .title(
        "Backward, from the purge to the edit, and to the callback that should have saved it."
      ),
      .command(
        [
          "replay", "--batch", "--echo", lost, "-e", "goto 100%", "-e", "prev purge", "-e", "dirty",
          "-e", "prev callback didEnterBackground", "-e", "prev dirty", "-e", "why",
        ],
        orElse: "it should have come to the edit"
      ),
      .title("A picture of it, for those who have only a browser."),
      .command(["report", lost, "-o", page], orElse: "it should have drawn the recording"),
      .title("The same scenario, with the app fixed: it saves when it enters the background."),
      .command(
        ["record", "--scenario", scenario, "-o", fixed, "--"] + app + ["--fixed"],
        orElse: "lifetrace doctor says what is missing on this machine"
      ),
      .command(["check", fixed], orElse: "it should have found nothing"),
    ]
  }
}
