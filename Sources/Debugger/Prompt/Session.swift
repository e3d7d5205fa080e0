// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetracePlatform
import LifetraceLifecycle
import LifetraceQuery
package import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What commands work on: the player, the settings, and how to write things down.
package final class Session {
  package let player: Player
  /// The file, as its user named it.
  let title: String
  /// What is wrong with the file, a line each.
  let problems: [String]
  var settings: Settings
  /// What `set only` was given: of a recording that goes on, lives of that name may come.
  var onlyNamed: String?
  let sources: SourceFinder
  /// The request that `follow` goes along.
  var request: RequestPath?
  /// The kind that `next` without one looks for.
  var lastKind = "state"
  /// What `find` without text looks for.
  var lastText: String?
  /// Questions asked lately, the newest last, with what is known of their answers.
  var askings: [Asking] = []
  /// What is told after each move, and the writer about which that was asked first.
  var displays: [(question: Question, home: StreamID)] = []
  /// The fields and kinds of the recording, once they were asked for.
  var knownSchema: Schema?
  /// Where `list` goes on, if the last command was a list.
  var listedUpTo: Int?
  /// The first event that the last list showed.
  var listedFrom: Int?
  /// What is said beside the violations.
  var remarks: [String] = []
  /// How fast time ran.
  var timeScales = TimeScales()
  /// Whether a person waits for the answers.
  var isWatched = false
  /// Hears how far long work is, where the client is no terminal.
  package var hearsProgress: ((_ what: String, _ done: Int, _ total: Int) -> Void)?
  /// How wide a picture may be: as the terminal, or 80.
  var columns: () -> Int = { 80 }
  /// Plays the scenario of the recording again.
  var rerun: (@Sendable (_ words: [String]) -> ProgramAnswer)?
  /// Makes a part of the recording a recording of its own.
  var cut: (@Sendable (_ words: [String]) -> ProgramAnswer)?
  /// Commands that the person has made of others.
  var definitions = Definitions()
  /// What the person keeps of the recording.
  let notebook: Notebook
  /// What the rules said an earlier time; nil where nothing is kept.
  var verdicts: VerdictCache?
  /// What goes on while it is replayed; nil for a recording that is done.
  var follow: Follow?
  /// What is still to be said of it.
  var newsKept: [String] = []
  /// The check of a large recording that runs while the person types.
  var background: BackgroundCheck?

  init(
    player: Player,
    title: String,
    problems: [String],
    settings: Settings,
    notebook: Notebook = Notebook(file: nil)
  ) {
    self.player = player
    self.notebook = notebook
    self.title = title
    self.problems = problems
    self.settings = settings
    player.profile = settings.judgement.profile
    sources = SourceFinder()
  }

  /// A session over a player, as the options say.
  convenience init(_ player: Player, _ options: DebuggerOptions, hasColor: Bool) {
    var settings = Settings(
      judgement: options.judgement,
      hasColor: hasColor,
      isJSON: options.isJSON
    )
    settings.echoes = options.echoes
    settings.showTimes(as: player.timeline)
    self.init(
      player: player,
      title: options.title,
      problems: options.problems,
      settings: settings,
      notebook: Notebook(file: options.notes.map { NotesFile(path: $0) })
    )
    timeScales = TimeScales(player.timeline.streams.map(\.attributes))
    remarks = timeScales.sentences + options.remarks
    rerun = options.rerun
    cut = options.cut
    verdicts = options.verdicts
    if let directory = options.sourceDirectory { sources.directory = directory }
  }

  var paint: Paint { Paint(isOn: settings.hasColor) }

  /// The deadlines that tables show what is left of: those of the judgement, else of the recording.
  var profile: Profile { player.limits(of: player.focus).profile }

  /// The streams that an optional argument means: the one in focus, or those named.
  func stream(_ words: [String]) throws -> StreamID {
    guard let word = words.first else { return player.focus }
    let found = try streams(named: word)
    guard let last = found.last(where: { player.cursor(of: id($0)) > 0 }) ?? found.last else {
      throw noWriter(word)
    }
    return id(last)
  }

  /// The streams of a writer, or of all lives of an app; throws where several apps can be meant.
  func streams(named word: String) throws -> [Int] {
    switch player.labels.meaning(of: word) {
    case .streams(let found): return found
    case .ambiguous(let names):
      let more = names.count > 8 ? " and \(names.count - 8) more" : ""
      throw CommandError.usage(
        "\(word) can mean several writers: \(names.prefix(8).joined(separator: ", "))\(more)."
      )
    }
  }

  func noWriter(_ word: String) -> CommandError {
    let known = player.labels.labels.sorted()
    let more = known.count > 8 ? " and \(known.count - 8) more, which ps all lists" : ""
    return .usage(
      "No writer is called \(word). The writers are: "
        + "\(known.prefix(8).joined(separator: ", "))\(more)."
    )
  }

  /// A state of a process in a word: only apps have those of an app.
  ///
  /// A process of which something was recorded, and no end, runs, whatever state its app is in.
  func stateWord(_ state: LifeState, of stream: StreamID) -> String {
    guard player.cursor(of: stream) > 0 else { return isOfLog(stream) ? "unknown" : "not started" }
    return word(for: state, of: stream)
  }

  /// The same of a state that some event has brought about.
  func word(for state: LifeState, of stream: StreamID) -> String {
    let isApp = player.timeline.streams[Int(stream.rawValue)].attributes.role == .app
    guard isApp else { return state.process.ending == nil ? "running" : "ended" }
    if state.appState == .notRunning, state.process.ending == nil { return "running" }
    return Wording.state(state.appState)
  }

  /// The remark about a process without events up to here; nil where it has some.
  func notYet(_ stream: StreamID) -> String? {
    guard player.cursor(of: stream) == 0 else { return nil }
    return isOfLog(stream)
      ? "\(player.labels[stream]) is unknown: the log has said nothing of it yet."
      : "\(player.labels[stream]) has not started yet."
  }

  func isOfLog(_ stream: StreamID) -> Bool {
    player.timeline.streams[Int(stream.rawValue)].attributes.evidence == .log
  }

  func id(_ stream: Int) -> StreamID { StreamID(rawValue: UInt32(stream)) }

  /// A raw time of a stream, since the start of the recording.
  func time(_ time: HostTime, of stream: StreamID) -> TraceTime {
    player.timeline.alignment.traceTime(time, of: stream)
  }

  /// Now, by the stream's own clock: the latest time of its events so far.
  func now(of stream: StreamID) -> HostTime {
    player.timeline.alignment.hostTime(player.time, of: stream)
  }
}

extension Settings {
  /// Events that show how exact the times of a log are.
  private static let sampleMax = 1_000

  /// Times of a log are shown as the log has them: the time of day, with as many decimals.
  mutating func showTimes(as timeline: Timeline) {
    guard timeline.alignment.wall != nil,
      timeline.streams.allSatisfy({ $0.attributes.evidence == .log })
    else { return }
    showsClock = true
    digits = 0
    var position = timeline.start
    for _ in 0..<Self.sampleMax {
      guard digits < 6, let place = timeline.stepForward(&position) else { return }
      let event = timeline.event(at: place)
      // What is inferred was written nowhere.
      guard !event.flags.contains(.inferred) else { continue }
      let time = event.time.rawValue
      if time % 1_000_000 != 0 {
        digits = 6
      } else if time % 1_000_000_000 != 0 {
        digits = 3
      }
    }
  }
}

/// What `set` changes and `show` shows.
struct Settings {
  var judgement = Judgement()
  var hasColor: Bool
  var isJSON: Bool
  /// How many events `list` shows.
  var listSize = 10
  /// Decimals of a second in listings.
  var digits = 6
  /// Whether listings show the time of day, instead of the time since the start.
  var showsClock = false
  /// Whether long output goes through a pager on a terminal.
  var hasPager = true
  /// Whether commands are printed before their output, where no user types them.
  var echoes = false
}
