// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceLifecycle
import LifetracePage
import LifetracePlatform
import LifetraceReplay
import LifetraceReports
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

/// Makes a page of a recording, for those who have only a browser.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes a page of a recording: violations, a timeline, all events.",
    discussion: """
      The page is one file that loads nothing. It opens at the gravest violation, or at what a link \
      names: report.html#event=notes#1:22, report.html#violation=2.

      Several files are one recording, as for check. No page is larger than \
      \(Quantity.count(Page.bytesMax, "byte")): of more than about a million events it lists what is no \
      span of work and what is around violations, and says what it leaves out.
      """
  )

  @Argument(help: "Recordings, or a story; several are one.", completion: .file())
  var files: [String]

  @Option(name: [.short, .long], help: "Write the page into this file; it is replaced.")
  var output: String

  @Option(help: "What the page is called; by default as the files.")
  var title: String?

  @OptionGroup var judging: JudgementOptions
  @OptionGroup var order: OrderOption

  func validate() throws {
    guard !files.isEmpty else {
      throw ValidationError("Which recording? lifetrace report FILE... -o report.html")
    }
  }

  func run() throws {
    let configuration = try judging.project.load()
    let (source, problems, isDamaged, tree) = try open()
    var page = Page(
      title: title ?? Self.title(files.map(Self.name)),
      replay: replay,
      judgement: try judging.judgement(configuration)
    )
    page.tree = tree
    page.version = Lifetrace.configuration.version
    let timeline = Timeline(source)
    page.clocks = [timeline.alignment.axisSentence].compactMap { $0 }
    page.remarks =
      problems + timeline.doubts.map { "Clocks: \($0)." }
      + (configuration?.off.map(\.sentence) ?? [])
    guard timeline.count > 0 else {
      Failure.say("\(Printable.line(page.title)): holds no events: there is nothing to report")
      throw TraceOpening.damaged
    }
    try keepInputs()
    var file = try ExportOutput(output, isStream: false)
    let progress = ProgressBar(total: timeline.count * Page.passes)
    var bytes = 0
    try page.write(of: Player(timeline), progress: { progress.show($0) }) { text in
      var text = text
      bytes += text.utf8.count
      try text.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
    }
    try file.finish()
    progress.clear()
    if output != "-" { print("\(Printable.line(output)): \(Quantity.bytes(UInt64(bytes)))") }
    try tell(problems + Page.damage(timeline), isDamaged || !timeline.damage.isEmpty)
    try order.say(timeline.doubts, of: files.joined(separator: " "))
  }

  /// What the page says of the recording itself; the page is of what could be read.
  private func tell(_ problems: [String], _ isDamaged: Bool) throws {
    for problem in problems { Failure.say(problem) }
    if isDamaged { throw TraceOpening.damaged }
  }

  /// A recording is not replaced by its page.
  private func keepInputs() throws {
    guard SameFile.isOne(output, of: files) else { return }
    Failure.say("\(Printable.line(output)): is the recording itself; -o names the page")
    throw ExitCode(EX_USAGE)
  }

  /// The recording, what is wrong with it, and which process has started which.
  private func open() throws -> (
    any EventSource, problems: [String], isDamaged: Bool, tree: [String]
  ) {
    if files.count == 1 {
      let recording = try Recording(opening: files[0])
      let facts = (recording.source as? FileSource).flatMap { try? RecordingFacts($0.reader) }
      return (recording.source, recording.problems, recording.isDamaged, facts.map(tree) ?? [])
    }
    let readers = try files.map { try TraceOpening.open($0) }
    do throws(TraceFileError) {
      let joined = try JoinedTraces(readers)
      let lost = joined.census.lost
      let problems = lost.isNone ? [] : ["\(lost.text): what they held is not judged."]
      let trees = readers.compactMap { try? RecordingFacts($0) }.flatMap(tree)
      let isDamaged = readers.contains { $0.problems.contains(where: \.isDamage) }
      return (JoinedSource(joined), problems, isDamaged, trees)
    } catch {
      throw TraceOpening.leave(error)
    }
  }

  private func tree(_ facts: RecordingFacts) -> [String] {
    facts.tree.seen > 0 ? facts.tree.lines(linesMax: 200) : []
  }

  /// The command that walks what the page shows.
  private var replay: String {
    let names = files.map(CommandText.file)
    guard files.count > 1 else { return "lifetrace replay \(names[0])" }
    return "lifetrace merge \(names.joined(separator: " ")) -o merged.lifetrace && "
      + "lifetrace replay merged.lifetrace"
  }

  /// The first three, and how many more there are.
  private static func title(_ names: [String]) -> String {
    let more = names.count - 3
    return names.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
