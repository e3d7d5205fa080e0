// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

struct CutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Makes a small recording of a part of one.",
    discussion: """
      The part begins with the state of each process there, so what is unfinished stays so. Events \
      keep their names, and a rule that was broken within says the same: with --violation the part \
      grows until it does. Times count from the first event of the part.
      """
  )

  @Argument(help: "Recordings, folders of them, or stories; several are one.", completion: .file())
  var files: [String]

  @Option(
    help: "From this time since the first event, 2.5s, of the day, 18:38:07, or event, notes#1:22."
  )
  var from: String?

  @Option(help: "Up to this time or event; by default the end.")
  var to: String?

  @Option(help: "What shows violation N, as replay numbers them, instead of a span.")
  var violation: Int?

  @Option(
    help: "The profile that rules use; by default each recording's own.",
    completion: .list(Profile.all.map(\.name))
  )
  var profile: String?

  @OptionGroup var project: ProjectConfiguration

  @OptionGroup var output: NewTrace

  func validate() throws {
    _ = try ProjectConfiguration.judgement(profile: profile, rules: nil, nil)
    guard (violation == nil) != (from == nil && to == nil) else {
      throw ValidationError("cut takes a span, --from and --to, or a violation, --violation 1.")
    }
    try SpanOptions.validate([from, to])
  }

  func run() throws {
    let judgement = try ProjectConfiguration.judgement(
      profile: profile,
      rules: nil,
      try project.load()
    )
    let files = RecordingNames.files(files)
    let recording = try Recording(opening: files)
    let name = Recording.title(files)
    let player = Player(Timeline(recording.source))
    guard player.timeline.count > 0 else { throw TraceOpening.leave(TraceFileError(name, .empty)) }
    let cut: TraceCut
    if let violation {
      // What the debugger has kept need not be judged again.
      let cache =
        files.count == 1 ? recording.verdictCache(of: files[0], configuration: project.path) : nil
      if let kept = cache?.findings(judgement, player.timeline) {
        player.adopt(kept, by: judgement)
      }
      let verdict = try verdict(violation, player, judgement)
      cut = try output.make(keeping: files) { path throws(TraceFileError) in
        try TraceCut.write(verdict, of: player, by: judgement, to: path) { unlink(path) }
      }
    } else {
      let span = try span(player)
      cut = TraceCut(of: player, from: span.lowerBound, to: span.upperBound)
      try output.make(keeping: files) { path throws(TraceFileError) in try cut.write(to: path) }
    }
    report(cut, player, of: name)
    for problem in recording.problems { Failure.say("\(Printable.line(name)): \(problem)") }
    if let code = recording.unread { throw code }
    if recording.isDamaged { throw TraceOpening.damaged }
  }

  /// How many events come before the part, and with its end.
  private func span(_ player: Player) throws -> Range<Int> {
    let timeline = player.timeline
    func number(_ text: String, isEnd: Bool) throws -> Int {
      switch try SpanSelection.place(text, timeline, labels: player.labels.labels) {
      case .event(let place): return timeline.number(of: place) - (isEnd ? 0 : 1)
      case .time(let time):
        let bound = isEnd ? time : TraceTime(rawValue: time.rawValue - 1)
        return time.rawValue <= 0 && !isEnd ? 0 : timeline.position(at: bound).ordinal
      }
    }
    let first = try from.map { try number($0, isEnd: false) } ?? 0
    let last = try to.map { try number($0, isEnd: true) } ?? timeline.count
    guard first < last else {
      Failure.say("no event lies from \(from ?? "the start") to \(to ?? "the end")")
      throw ExitCode(64)
    }
    return first..<last
  }

  private func verdict(_ number: Int, _ player: Player, _ judgement: Judgement) throws -> Verdict {
    let found = try player.findings(judgement).violations
    guard found.indices.contains(number - 1) else {
      Failure.say(
        found.isEmpty
          ? "no rule is broken in it"
          : "there is no violation \(number): they are 1 to \(found.count)"
      )
      throw ExitCode(64)
    }
    return try player.verdict(of: found[number - 1], by: judgement)
  }

  private func report(_ cut: TraceCut, _ player: Player, of name: String) {
    let total = Quantity.count(player.timeline.count, "event")
    print(
      "\(Printable.line(output.path)): \(Quantity.grouped(cut.count)) of \(total), "
        + "#\(Quantity.grouped(cut.before + 1)) to #\(Quantity.grouped(cut.last)) of "
        + Printable.line(name)
    )
    for writer in cut.writers where writer.label != writer.labelInPart {
      print("\(writer.label) is \(writer.labelInPart) in it, as no life before it is there")
    }
    if !cut.silent.isEmpty {
      print("left out, as nothing happened in them: \(cut.silent.joined(separator: ", "))")
    }
    print("to look at it: lifetrace replay \(CommandText.file(output.path))")
  }
}
