// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
package import LifetraceReplay
import LifetraceRules
import LifetracePlatform
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The debugger's prompt.
///
///     let debugger = Debugger(player, options: DebuggerOptions(title: path))
///     exit(debugger.run())
///
/// It opens at the first violation, runs the scripts it was given, and then asks, unless there is
/// no user to answer: without a terminal it reads lines from standard input and stops at the first
/// error.
package final class Debugger {
  let session: Session
  let options: DebuggerOptions
  let output: Output
  private var repeatable: String?
  /// How many lines were run since one was typed.
  private var linesRun = 0
  /// While the init file is run.
  private var isStarting = false
  private let isInteractive: Bool

  /// Exit codes beside 0.
  enum Code {
    /// A command's answer was no: there is no such event, or nothing more to undo.
    static let no: Int32 = 1
    /// Whether what was expected holds cannot be decided: events are missing.
    static let unknown: Int32 = 2
    /// The recording holds no events.
    static let empty: Int32 = 2
    /// A command was not understood.
    static let usage: Int32 = 64
    /// A script could not be read.
    static let input: Int32 = 74
  }

  /// Opens a console over a player.
  package convenience init(_ player: Player, options: DebuggerOptions) {
    self.init(player, options: options, output: Output())
  }

  /// A console whose answers go to `sink`, for tests.
  package convenience init(
    _ player: Player,
    options: DebuggerOptions,
    sink: @escaping (String) -> Void
  ) {
    self.init(player, options: options, output: Output(to: sink))
  }

  /// Runs every line, whatever comes of the one before.
  package func runAll(_ lines: [String]) {
    for line in lines { _ = run(line) }
  }

  init(_ player: Player, options: DebuggerOptions, output: Output) {
    self.options = options
    self.output = output
    isInteractive = !options.isBatch && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let hasColor =
      switch options.color {
      case .always: true
      case .never: false
      case .auto:
        output.isTerminal && environment("NO_COLOR") == nil
          && environment("TERM") != "dumb"
      }
    session = Session(player, options, hasColor: hasColor)
    session.isWatched = isInteractive
    if let look = options.follow {
      session.follow = Follow(look)
      player.awaitMore = { [unowned session] () throws(SearchInterrupted) in
        try session.awaitMore()
      }
    }
    if output.isTerminal { session.columns = { output.size.columns } }
  }

  /// Greets, runs the scripts, asks; returns the exit code.
  package func run() -> Int32 {
    guard !session.player.timeline.streams.isEmpty else {
      complain("\(Printable.line(options.title)) holds no events: there is nothing to replay")
      return Code.empty
    }
    Interrupt.install()
    session.player.isInterrupted = { Interrupt.isPending }
    if options.readsInit, let path = Paths.initFile {
      do throws(SmallFile.Failure) {
        let text = try SmallFile.text(of: path, bytesMax: Self.scriptBytesMax)
        // A mistake in it is reported, and the rest is run.
        isStarting = true
        _ = run(ScriptCommands.lines(of: text, named: path), stopsAtError: false)
        isStarting = false
      } catch {
        // The file is optional.
        if error.code != ENOENT, error.code != ENOTDIR { complain("\(error)") }
      }
    }
    let opening = Opening(session, reopen: isInteractive ? options.reopen : nil)
    defer { session.background?.stop() }
    if !options.isQuiet {
      show(opening.answer, of: "open")
    }
    for (index, script) in options.scripts.enumerated() {
      let end: End
      switch script {
      case .line(let line):
        let lines = line.split(separator: "\n").map { ScriptLine(text: String($0), place: "") }
        end = run(lines, stopsAtError: !isInteractive)
      case .file(let path):
        do throws(SmallFile.Failure) {
          let text = try SmallFile.text(of: path, bytesMax: Self.scriptBytesMax)
          end = run(
            ScriptCommands.lines(of: text, named: path),
            stopsAtError: !isInteractive
          )
        } catch {
          complain("\(Printable.line(path)) cannot be read: \(error.reason)")
          if isInteractive { continue }
          return Code.input
        }
      }
      switch end {
      case .done: continue
      case .left: return 0
      case .failed(let code):
        tellNotRun(options.scripts.dropFirst(index + 1))
        return code
      }
    }
    if isInteractive { return ask() }
    let readsInput = !options.isBatch && options.scripts.isEmpty
    let code = readsInput ? readInput() : 0
    guard code == 0, let error = session.definitions.giveUp() else { return code }
    complain(error.message, isUsage: true)
    return Code.usage
  }

  // MARK: - Lines

  static let scriptBytesMax = 16 << 20

  private enum End {
    case done
    case left
    case failed(Int32)
  }

  /// Says which scripts were not run behind the one that failed.
  private func tellNotRun(_ scripts: ArraySlice<DebuggerOptions.Script>) {
    guard !scripts.isEmpty else { return }
    let names = scripts.map { script in
      switch script {
      case .line(let line): line
      case .file(let path): path
      }
    }
    complain("not run after this: \(names.joined(separator: ", "))")
  }

  /// Runs the lines of a file, or of a command of one's own, which others have called `depth` deep.
  private func run(_ lines: [ScriptLine], stopsAtError: Bool, depth: Int = 0) -> End {
    let wasOpen = session.definitions.open != nil
    // In a file an empty line is just that, unless it documents.
    for line in lines where !line.isEmpty || session.definitions.open != nil {
      switch run(line.text, place: line.place, depth: depth) {
      case .done: continue
      case .left: return .left
      case .failed(let code):
        if stopsAtError { return .failed(code) }
      }
    }
    // Lines of -e may open a block that others of them close.
    guard !wasOpen, let last = lines.last?.place, !last.isEmpty,
      let error = session.definitions.giveUp()
    else { return .done }
    complain(last + error.message, isUsage: true)
    return .failed(Code.usage)
  }

  /// Runs what a command asks for, or what a command of one's own is made of.
  private func run(_ lines: [ScriptLine], calledFrom depth: Int) throws -> End {
    guard depth < Definitions.depthMax else {
      throw CommandError.usage(
        "Commands and files call each other more than \(Definitions.depthMax) deep."
      )
    }
    return run(lines, stopsAtError: true, depth: depth + 1)
  }

  /// Counts a line that is run for another; throws where there are too many, or at Ctrl-C.
  private func count(depth: Int) throws {
    linesRun = depth == 0 ? 0 : linesRun + 1
    if depth > 0, session.player.isInterrupted() { throw SearchInterrupted() }
    guard linesRun <= Definitions.runLinesMax else {
      throw CommandError.no(
        "More than \(Quantity.grouped(Definitions.runLinesMax)) lines were run for one."
      )
    }
  }

  /// Shows a person how far a search is, wherever the command searches.
  private func withProgress(_ body: () throws -> Answer) rethrows -> Answer {
    let progress = session.progress("Searching", session.player.timeline.count, "event")
    session.player.progress = progress.show
    defer { progress.clear() }
    return try body()
  }

  /// Runs a line; `place` says where it stands, for one of a script.
  private func run(
    _ line: String,
    place: String? = nil,
    isTyped: Bool = false,
    depth: Int = 0
  ) -> End {
    let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
    if session.settings.echoes, !session.settings.isJSON, !isTyped {
      output.write(["(replay) \(line)"], paging: false)
    }
    do {
      try count(depth: depth)
      if session.definitions.open != nil {
        _ = try session.definitions.take(ScriptLine(text: line, place: place))
        return .done
      }
      if let lines = try session.definitions.call(line) { return try run(lines, calledFrom: depth) }
      guard let (command, words) = try CommandTable.read(line) else { return .done }
      if command.name != "list" { session.listedUpTo = nil }
      if let news = session.lookForMore() { session.newsKept.append(news) }
      defer { session.newsKept = [] }
      var answer = try withProgress { try command.run(session, words) }
      if answer.leaves { return .left }
      if !answer.runs.isEmpty { return try run(answer.runs, calledFrom: depth) }
      if !session.newsKept.isEmpty { answer.say("following", session.newsKept) }
      session.tellVerdictNews(in: &answer)
      // The init file arranges things: that it did is no news.
      if !isStarting || command.name != "set" {
        show(answer, of: command.name, paging: isInteractive && session.settings.hasPager)
      }
      repeatable = command.repeats ? command.repeatsAs ?? line : nil
      return .done
    } catch let error as CommandError {
      let quoted = place != nil && error.isUsage ? "`\(Printable.line(line))`: " : ""
      complain((place ?? "") + quoted + error.message, isUsage: error.isUsage, line: line)
      return .failed(error.isUsage ? Code.usage : error.isUnknown ? Code.unknown : Code.no)
    } catch is SearchInterrupted {
      _ = Interrupt.take()
      complain((place ?? "") + "Interrupted; nothing moved.", line: line)
      return .failed(Code.no)
    } catch {
      complain((place ?? "") + "\(error)", line: line)
      return .failed(Code.no)
    }
  }

  private func show(_ answer: Answer, of command: String, paging: Bool = false) {
    guard session.settings.isJSON else {
      return output.write(answer.lines(session), paging: paging)
    }
    let object = JSON.object([("command", .string(command))] + answer.members(session))
    output.write([object.text], paging: false, wrapping: false)
  }

  private func complain(_ message: String, isUsage: Bool = false, line: String? = nil) {
    if session.settings.isJSON {
      var pairs: [(String, JSON)] = [("error", .string(message)), ("usage", .bool(isUsage))]
      if let line { pairs.append(("line", .string(line))) }
      output.write([JSON.object(pairs).text], paging: false, wrapping: false)
    } else if isInteractive || session.settings.echoes && !output.isTerminal {
      output.write([session.paint(message, .bad)], paging: false)
    }
    if !isInteractive { output.complain("lifetrace: replay: \(message)\n") }
  }

  // MARK: - Asking

  private func ask() -> Int32 {
    Prompt.prepare()
    Completer.session = session
    Prompt.idle = { [self] in
      let news = session.newsOfFollowing() ?? session.newsOfCheck()
      return (news, session.follow == nil ? nil : prompt)
    }
    defer { Prompt.idle = nil }
    let history = Paths.history
    if let history { Prompt.readHistory(history) }
    defer {
      if let history { Prompt.writeHistory(history) }
    }
    while true {
      switch Prompt.read(prompt, style: .strong, paint: session.paint) {
      case .interrupted:
        if let given = session.definitions.giveUp() { complain(given.message) }
      case .end:
        if !Prompt.endsItsLine { output.write([""], paging: false) }
        return 0
      case .text(let typed):
        let line = String(typed.drop { $0 == " " || $0 == "\t" })
        if line.isEmpty, session.definitions.open == nil {
          guard let again = repeatable else { continue }
          _ = run(again, isTyped: true)
          continue
        }
        Prompt.remember(line)
        repeatable = nil
        if case .left = run(line, isTyped: true) { return 0 }
      }
      _ = Interrupt.take()
    }
  }

  private var prompt: String {
    if let block = session.definitions.open { return "\(block.name)> " }
    let player = session.player
    let all =
      session.follow.map { _ in " of \(Quantity.grouped(player.timeline.count))" } ?? ""
    guard player.here.ordinal > 0 else { return "#0\(all) start> " }
    let state = session.stateWord(player.state(of: player.focus), of: player.focus)
    return "#\(player.here.ordinal)\(all) \(player.labels[player.focus]) \(state)> "
  }

  private func readInput() -> Int32 {
    var number = 0
    while let line = readLine() {
      number += 1
      guard !line.isEmpty else { continue }
      switch run(line, place: "line \(number): ") {
      case .done: continue
      case .left: return 0
      case .failed(let code): return code
      }
    }
    return 0
  }
}
