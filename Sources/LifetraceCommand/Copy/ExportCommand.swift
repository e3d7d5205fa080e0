// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceExport
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceReports
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a recording for another program.",
    discussion: """
      \(ExportForm.purposes)

      Several recordings are written as one, with one axis of time, which begins at the first event. \
      Damage is reported, and the rest is written; then it leaves with 2.
      """
  )

  @Argument(help: "What to write: \(ExportForm.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: ExportForm

  @Argument(
    help: "Recordings, or folders of them; several are written as one.",
    completion: .file()
  )
  var files: [String]

  @Option(
    name: [.short, .long],
    help: "Write into this file, which is replaced; by default to standard output, which - names.",
    completion: .file()
  )
  var output: String?

  @OptionGroup var condition: WhereOption
  @OptionGroup var span: SpanOptions
  @OptionGroup var project: ProjectConfiguration
  @OptionGroup var order: OrderOption

  func run() throws {
    let judgement = try ProjectConfiguration.judgement(
      profile: nil,
      rules: nil,
      try project.load()
    )
    let opened = try OpenedFiles(RecordingNames.files(files))
    let doubts = try export(opened.recording, by: judgement)
    let damage = opened.damage
    for line in damage { Failure.say(line) }
    try order.say(doubts, of: Recording.title(opened.readers.map(\.path)))
    if let code = opened.code { throw code }
    if !damage.isEmpty { throw TraceOpening.damaged }
  }

  /// Writes it; what contradicts the order of its events.
  private func export(_ recording: JoinedTraces, by judgement: Judgement) throws -> [String] {
    let files = recording.readers.map(\.path)
    let timeline = Timeline(JoinedSource(recording))
    let writers = timeline.streams.map { (id: $0.writer, attributes: $0.attributes) }
    let labels = AppLife.labels(writers)
    let selection = try SpanSelection(span, timeline, labels: labels)
    let asking = try condition.asking(timeline)
    var filter = asking?.filter
    filter?.streams = Set(selection.streams.map(\.id))
    if let output { try NewTrace.keep(files, from: output) }
    var output = try ExportOutput(output, isStream: format != .sqlite)
    if format == .sqlite ? output.draft.isEmpty : format.isBinary && output.isTerminal {
      Failure.say("\(format.rawValue) is not text: name a file with -o")
      throw ExitCode(64)
    }
    let progress = ProgressBar(total: timeline.count)
    var findings: Findings?
    if format.wantsFindings {
      findings = try Findings(timeline, by: judgement, progress: progress.show)
    }
    let facts = ExportFacts(
      title: files.joined(separator: " "),
      version: Lifetrace.configuration.version,
      labels: labels,
      writers: writers,
      streams: Set(selection.streams.map(\.id)),
      alignment: timeline.alignment
    )
    let job = ExportJob(
      timeline: timeline,
      findings: findings,
      facts: facts,
      span: (selection.from?.rawValue ?? .min)...(selection.to?.rawValue ?? .max),
      filter: filter,
      damage: {
        files.enumerated().flatMap { file, path in
          recording.problems(of: file).filter(\.isDamage).map { (path, $0.text) }
        }
      }
    )
    defer { progress.clear() }
    let count: Int
    do {
      count = try job.write(format, path: output.draft, progress: progress.show) { bytes in
        try output.write(bytes)
      }
    } catch let failure as SQLiteFailure {
      progress.clear()
      Failure.say("\(Printable.line(self.output ?? "")): \(failure)")
      throw TraceOpening.io
    }
    progress.clear()
    try output.finish()
    guard let asking else { return timeline.doubts }
    let all = selection.streams.reduce(0) { $0 + $1.count }
    Failure.say("\(Quantity.grouped(UInt64(count))) of \(Quantity.count(all, "event")) exported")
    asking.sayUndecided(labels: labels)
    return timeline.doubts
  }
}

extension ExportForm: ExpressibleByArgument {}
