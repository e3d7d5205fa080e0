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
    var settings = Settings(
      judgement: options.judgement,
      hasColor: hasColor,
      isJSON: options.isJSON
    )
    settings.echoes = options.echoes
    settings.showTimes(as: player.timeline)
    session = Session(
      player: player,
      title: options.title,
      problems: options.problems,
      settings: settings
    )
    session.timeScales = TimeScales(player.timeline.streams.map(\.attributes))
    session.remarks = session.timeScales.sentences + options.remarks
    session.isWatched = isInteractive
    session.rerun = options.rerun
    if let look = options.follow {
      session.follow = Follow(look)
      player.awaitMore = { [unowned session] () throws(SearchInterrupted) in
        try session.awaitMore()
      }
    }
    if output.isTerminal { session.columns = { output.size.columns } }
    if let directory = options.sourceDirectory { session.sources.directory = directory }
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
        _ = run(text, named: Printable.line(path), stopsAtError: false)
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
      case .line(let line): end = run(line, named: nil, stopsAtError: !isInteractive)
      case .file(let path):
        do throws(SmallFile.Failure) {
          let text = try SmallFile.text(of: path, bytesMax: Self.scriptBytesMax)
          end = run(text, named: Printable.line(path), stopsAtError: !isInteractive)
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
    return readsInput ? readInput() : 0
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

  private func run(_ text: String, named name: String?, stopsAtError: Bool) -> End {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      // In a file an empty line is just that.
      guard !line.allSatisfy({ $0 == " " || $0 == "\t" || $0 == "\r" }) else { continue }
      let place = name.map { "\($0):\(number + 1): " } ?? ""
      switch run(String(line), place: place) {
      case .done: continue
      case .left: return .left
      case .failed(let code):
        if stopsAtError { return .failed(code) }
      }
    }
    return .done
  }

  /// Shows a person how far a search is, wherever the command searches.
  private func withProgress(_ body: () throws -> Answer) rethrows -> Answer {
    let progress = session.progress("Searching", session.player.timeline.count, "event")
    session.player.progress = progress.show
    defer { progress.clear() }
    return try body()
  }

  /// Runs a line; `place` says where it stands, for one of a script.
  private func run(_ line: String, place: String? = nil, isTyped: Bool = false) -> End {
    let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
    if session.settings.echoes, !session.settings.isJSON, !isTyped {
      output.write(["(replay) \(line)"], paging: false)
    }
    do {
      guard let (command, words) = try CommandTable.read(line) else { return .done }
      if command.name != "list" { session.listedUpTo = nil }
      if let news = session.lookForMore() { session.newsKept.append(news) }
      defer { session.newsKept = [] }
      var answer = try withProgress { try command.run(session, words) }
      if answer.leaves { return .left }
      if !session.newsKept.isEmpty { answer.say("following", session.newsKept) }
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
      case .interrupted: break
      case .end:
        if !Prompt.endsItsLine { output.write([""], paging: false) }
        return 0
      case .text(let typed):
        let line = String(typed.drop { $0 == " " || $0 == "\t" })
        if line.isEmpty {
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
