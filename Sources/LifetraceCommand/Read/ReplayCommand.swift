// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugAdapter
public import LifetraceDebugger
import LifetracePlatform
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceScenario
import LifetraceTimeline
import LifetraceTraceFile

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Walks a recording forward and backward.",
    discussion: """
      Opens at the first violation. Type help for the commands; they are also the words of -e and \
      of the files of -x. Without a terminal, or with --batch, it stops at the first error: with \
      64 where a command was not understood, with 1 where its answer is no.

      A file is a trace, or a story: the text that dump prints. Several are one recording, in the \
      order of cause, and a folder stands for those in it. With --dap an editor is the prompt; it may \
      name the file itself.
      """
  )

  @Argument(help: "Recordings, folders of them, or stories; several are one.", completion: .file())
  var files: [String] = []

  @Option(
    name: [.customShort("x"), .long],
    help: "Run the commands of FILE first, in the order of -x and -e (repeatable)."
  )
  var script: [String] = []

  @Option(
    name: [.customShort("e"), .long],
    parsing: .unconditionalSingleValue,
    help: "Run a command first, in the order of -x and -e (repeatable)."
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

  @Flag(help: "Do not read the init file, ~/.config/lifetrace/replayrc.")
  var noInit = false

  @Flag(help: "Serve an editor on standard input and output: the Debug Adapter Protocol.")
  var dap = false

  @Flag(help: "Go on with what is being recorded (record --follow) while it is replayed.")
  var follow = false

  @Option(help: "When to colour: auto, always or never.")
  var color = DebuggerOptions.Color.auto

  @Option(
    help: "The profile that rules use; by default each recording's own.",
    completion: .list(Profile.all.map(\.name))
  )
  var profile: String?

  @Option(help: "Where source files are looked for.", completion: .directory)
  var sourceDir: String?

  @OptionGroup var project: ProjectConfiguration
  @OptionGroup var order: OrderOption

  func validate() throws {
    _ = try ProjectConfiguration.judgement(profile: profile, rules: nil, nil)
    if dap {
      guard script.isEmpty, execute.isEmpty, !batch, !json, !echo else {
        throw ValidationError(
          "with --dap the editor says what to do: no -x, -e, --batch, --json, --echo"
        )
      }
    } else if files.isEmpty {
      throw ValidationError("which recording? lifetrace replay FILE...")
    }
    guard !follow || files.count == 1 else {
      throw ValidationError("--follow goes on with one recording: name one file.")
    }
  }

  func run() throws {
    let configuration = try project.load()
    guard !dap else { return try serve(configuration) }
    let files = follow ? files : RecordingNames.files(files)
    let followed = follow ? try Following.open(files[0]) : nil
    let recording = try followed.map { Recording(following: $0) } ?? Recording(opening: files)
    var options = try options(for: recording, files, profile, configuration)
    if let followed {
      options.follow = { Following.look(followed) }
      (options.reopen, options.verdicts) = (nil, nil)
    }
    options.scripts = scripts(CommandLine.arguments)
    options.isBatch = batch
    options.isJSON = json
    options.isQuiet = quiet
    options.echoes = echo
    options.readsInit = !noInit
    options.color = color
    let timeline = Timeline(recording.source)
    let doubts = timeline.doubts
    let code = Debugger(Player(timeline), options: options).run()
    if code != 0 { throw ExitCode(code) }
    try order.say(doubts, of: options.title)
    if let code = recording.unread { throw code }
  }

  /// What prompt and editor have in common.
  private func options(
    for recording: Recording,
    _ files: [String],
    _ profile: String?,
    _ configuration: Configuration?
  ) throws -> DebuggerOptions {
    var options = DebuggerOptions(
      title: files.count > 1 ? Recording.title(files) : files[0],
      judgement: try ProjectConfiguration.judgement(profile: profile, rules: nil, configuration)
    )
    options.remarks = configuration?.off.map(\.sentence) ?? []
    options.problems = recording.problems
    options.sourceDirectory = sourceDir
    let paths = recording.readers.map(\.path)
    options.reopen = {
      let readers = paths.compactMap { try? TraceReader(path: $0, comparesPayloads: false) }
      guard readers.count == paths.count, !readers.isEmpty else { return nil }
      return readers.count == 1
        ? FileSource(readers[0]) : (try? JoinedTraces(readers)).map { JoinedSource($0) }
    }
    options.cut = { [files, project] words in
      SelfRun.answer(to: ["cut"] + files + words + (project.config.map { ["--config", $0] } ?? []))
    }
    // Notes name events as one file does, and a file is what is played again.
    guard files.count == 1 else { return options }
    let file = files[0]
    options.notes = file + ".notes"
    if !recording.readers.isEmpty {
      options.verdicts = recording.verdictCache(of: file, configuration: project.path)
      options.rerun = { words in SelfRun.answer(to: ["rerun", file] + words) }
    }
    return options
  }

  /// Serves an editor, which may name another file than the command line.
  private func serve(_ configuration: Configuration?) throws {
    guard isatty(STDIN_FILENO) == 0 else {
      throw ValidationError(
        "with --dap an editor talks on standard input, and this is a terminal; to replay here: "
          + "lifetrace replay \(files.first ?? "FILE"). The editor starts this itself: its configuration "
          + "has the command \"lifetrace\" with the arguments \"replay\", \"--dap\""
      )
    }
    let code = AdapterServer.run { launch in
      guard let path = launch.program ?? files.first else {
        throw Refusal("Which recording? The configuration names it: \"program\": \"FILE\".")
      }
      let recording: Recording
      do throws(Recording.Unreadable) {
        recording = try Recording(reading: path)
      } catch {
        throw Refusal(error.sentences.joined(separator: "\n"))
      }
      var options: DebuggerOptions
      do {
        options = try self.options(for: recording, [path], launch.profile ?? profile, configuration)
      } catch let error as ValidationError {
        throw Refusal(error.message)
      }
      if let directory = launch.sourceDirectory { options.sourceDirectory = directory }
      return (Player(Timeline(recording.source)), options)
    }
    if code != 0 { throw ExitCode(code) }
  }

  /// The scripts in the order in which `arguments` give them.
  ///
  /// The parser keeps the order within -x and within -e only; here the two are put together. Where
  /// they are written in a way that only the parser understands, the files come first.
  private func scripts(_ arguments: [String]) -> [DebuggerOptions.Script] {
    var files = script.map { DebuggerOptions.Script.file($0) }[...]
    var lines = execute.map { DebuggerOptions.Script.line($0) }[...]
    var ordered: [DebuggerOptions.Script] = []
    var isValue = false
    for argument in arguments {
      if isValue {
        isValue = false
        continue
      }
      if argument == "--" { break }
      let name = argument.prefix { $0 != "=" }
      let isLine = name == "-e" || name == "--execute"
      guard isLine || name == "-x" || name == "--script" else { continue }
      isValue = name == argument
      if let next = isLine ? lines.popFirst() : files.popFirst() { ordered.append(next) }
    }
    return files.isEmpty && lines.isEmpty
      ? ordered : script.map { .file($0) } + execute.map { .line($0) }
  }
}

extension Recording {
  /// Where the debugger keeps what the rules said of `file`, of which this is all; nil where it keeps
  /// nothing.
  ///
  /// What is still being written, or was cut off, has other verdicts the next time.
  func verdictCache(of file: String, configuration path: String?) -> VerdictCache? {
    guard let reader = readers.first, reader.hasEnd, !reader.isBeingWritten else { return nil }
    let text = path.flatMap { SmallFile.bytesIfReadable($0) } ?? []
    return VerdictCache(of: file, configuration: text)
  }
}

extension DebuggerOptions.Color: ExpressibleByArgument {}
