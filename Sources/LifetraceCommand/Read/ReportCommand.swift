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
      The page is one file that loads nothing. It opens at the gravest violation, one that lost data \
      before others, or at what a link names: report.html#event=notes#1:22, report.html#violation=2.

      Several files are one recording, and a folder stands for those in it. No page is larger than \
      \(Quantity.count(Page.bytesMax, "byte")): of more than about a million events it lists what is \
      around violations and, as far as there is room, what is no span of work; it says what it leaves out.
      """
  )

  @Argument(help: "Recordings, folders of them, or stories; several are one.", completion: .file())
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
    let files = RecordingNames.files(files)
    let recording = try Recording(opening: files)
    let problems = recording.problems
    var page = Page(
      title: title ?? Recording.title(files.map(Self.name)),
      replay: (["lifetrace replay"] + files.map(CommandText.file)).joined(separator: " "),
      judgement: try judging.judgement(configuration)
    )
    page.tree = recording.readers.compactMap { try? RecordingFacts($0) }.flatMap(tree)
    page.version = Lifetrace.configuration.version
    let timeline = Timeline(recording.source)
    page.clocks = [timeline.alignment.axisSentence].compactMap { $0 }
    page.remarks =
      problems + timeline.doubts.map { "Clocks: \($0)." }
      + (configuration?.off.map(\.sentence) ?? [])
    guard timeline.count > 0 else {
      Failure.say("\(Printable.line(page.title)): holds no events: there is nothing to report")
      throw TraceOpening.damaged
    }
    try keepInputs(files)
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
    try tell(
      problems + Page.damage(timeline),
      recording.isDamaged || !timeline.damage.isEmpty
    )
    if let code = recording.unread { throw code }
    try order.say(timeline.doubts, of: files.joined(separator: " "))
  }

  /// What the page says of the recording itself; the page is of what could be read.
  private func tell(_ problems: [String], _ isDamaged: Bool) throws {
    for problem in problems { Failure.say(problem) }
    if isDamaged { throw TraceOpening.damaged }
  }

  /// A recording is not replaced by its page.
  private func keepInputs(_ files: [String]) throws {
    guard SameFile.isOne(output, of: files) else { return }
    Failure.say("\(Printable.line(output)): is the recording itself; -o names the page")
    throw ExitCode(EX_USAGE)
  }

  private func tree(_ facts: RecordingFacts) -> [String] {
    facts.tree.seen > 0 ? facts.tree.lines(linesMax: 200) : []
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
