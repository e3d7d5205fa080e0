// SPDX-License-Identifier: GPL-3.0-or-later
public import ArgumentParser
public import Console
import Glibc
import Interop
import Lifecycle
import Replay
import Timeline
import TraceFile

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Walks a recording forward and backward.",
    discussion: """
      Opens at the first violation. Type help for the commands; they are also the words of -e and \
      of the files of -x. Without a terminal, or with --batch, it stops at the first error: with \
      64 where a command was not understood, with 1 where its answer is no.

      The file is a trace, or a story: the text that dump prints.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Option(name: [.customShort("x"), .long], help: "Run the commands of FILE first (repeatable).")
  var script: [String] = []

  @Option(
    name: [.customShort("e"), .long],
    parsing: .unconditionalSingleValue,
    help: "Run a command, after the files of -x (repeatable)."
  )
  var execute: [String] = []

  @Flag(help: "Leave after the commands, and stop at the first error.")
  var batch = false

  @Flag(help: "Answer in JSON, one object a line.")
  var json = false

  @Flag(help: "Print each command before its answer where nobody types it.")
  var echo = false

  @Flag(name: [.short, .long], help: "Do not greet.")
  var quiet = false

  @Flag(help: "Do not read the init file.")
  var noInit = false

  @Option(help: "When to colour: auto, always or never.")
  var color = ConsoleOptions.Color.auto

  @Option(help: "The profile that rules use; by default the recording's own.")
  var profile: String?

  @Option(help: "Where source files are looked for.", completion: .directory)
  var sourceDir: String?

  func validate() throws {
    if let profile, Profile.named(profile) == nil {
      let known = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no profile \(profile); there are \(known).")
    }
  }

  func run() throws {
    let recording = try Recording(opening: file)
    let timeline = Timeline(recording.source)
    let made = timeline.streams.map(\.attributes.profile).first { !$0.isEmpty }
    let named = (profile ?? made).flatMap(Profile.named) ?? .standard
    var options = ConsoleOptions(title: file, profile: named)
    options.problems = recording.problems
    options.scripts = script.map { .file($0) } + execute.map { .line($0) }
    options.isBatch = batch
    options.isJSON = json
    options.isQuiet = quiet
    options.echoes = echo
    options.readsInit = !noInit
    options.color = color
    options.sourceDirectory = sourceDir
    let code = Console(Player(timeline), options: options).run()
    if code != 0 { throw ExitCode(code) }
  }
}

extension ConsoleOptions.Color: ExpressibleByArgument {}
