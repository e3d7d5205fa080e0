// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceLayout
import LifetracePlatform
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `timeline`: a span of the recording as a picture, or as a list.
enum TimelineCommand {
  static let all: [Command] = [
    Command(
      name: "timeline",
      aliases: ["draw"],
      synopsis: "[SPAN | #N | OBJECT …] [--list] [--ascii] [--width N]",
      summary: "draw states, threads, data and tasks over time",
      group: .looking,
      details: [
        "Without an argument: what a violation here is about, else all of a short recording, else "
          + "the events around this place. SPAN is two places, `+1s..+3s` or `notes#1:4 notes#1:9`, "
          + "one place for the events around it, or all. #N is what that violation is about: from "
          + "the last save to the next launch. OBJECT is all that happened to that data; of several "
          + "it is all that happened to any of them.",
        "Gaps in which nothing happens are cut and labelled. Where several things fall into one "
          + "column the gravest is shown: lost data, then the end of the process, an expiry, an "
          + "edit or a save; how many are hidden stands behind the line, `+3`.",
        "--list tells the same a line an interval. --ascii draws without other characters, which is "
          + "the habit where the locale is not of UTF-8. --width is that of the terminal, or 80.",
      ],
      examples: [
        "timeline", "timeline #1", "timeline draft.txt", "timeline draft.txt index.db",
        "timeline +1s..+3s --width 100",
      ],
      completes: .explanations
    ) { session, words in try run(session, words) }
  ]

  /// What stands behind the words of the command.
  private struct Options {
    var isList = false
    var isASCII = !Self.isUTF8
    var width: Int?
    var words: [String] = []

    /// Whether the terminal shows more than ASCII, as far as the locale says.
    private static var isUTF8: Bool {
      let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
      guard let locale = locale?.lowercased() else { return true }
      return locale.contains("utf-8") || locale.contains("utf8")
    }

    init(_ words: [String]) throws {
      var rest = words[...]
      while let word = rest.popFirst() {
        switch word {
        case "--list", "-l": isList = true
        case "--ascii": isASCII = true
        case "--unicode": isASCII = false
        case "--width", "-w":
          guard let text = rest.popFirst(), let number = Int(text), widths.contains(number) else {
            throw CommandError.usage(
              "--width takes a number of columns, \(widths.lowerBound) to \(widths.upperBound)."
            )
          }
          width = number
        default:
          guard !word.hasPrefix("--") else {
            throw CommandError.usage("timeline knows --list, --ascii, --unicode and --width N.")
          }
          self.words.append(word)
        }
      }
    }

    private let widths = Drawing.widthMin...500
  }

  private static func run(_ session: Session, _ words: [String]) throws -> Answer {
    var options = try Options(words)
    let name = try session.plainName(options.words.joined(separator: " "))
    if options.words.count == 1 { options.words = [name] }
    let player = session.player
    guard player.timeline.count > 0 else { throw CommandError.no("The recording holds no events.") }
    let span = try TimelineSpan.find(options.words, session)
    let findings = try session.findingsAtHand()?.violations
    let progress = session.progress("Drawing", player.timeline.count, "event")
    defer { progress.clear() }
    let layout = try Layout(
      of: player,
      span,
      findings,
      streams: player.only,
      itemsMax: options.isList || session.settings.isJSON ? Lane.itemsMax : Lane.drawnMax,
      progress: progress.show
    )
    var answer = Answer()
    if findings == nil {
      answer.say("The rules are still at work: violations are not marked yet.")
    }
    answer.note(
      Fact("fromNs", .time(TraceTime(rawValue: span.lowerBound))),
      Fact("toNs", .time(TraceTime(rawValue: span.upperBound)))
    )
    // Facts of each interval take twenty times its room: for programs alone.
    if session.settings.isJSON {
      answer.list("lanes", LaneFacts.rows(layout, session).map(Listing.Row.facts))
    }
    if options.isList {
      for line in TimelineList.lines(layout, session) { answer.say(Line(line)) }
      return answer
    }
    let width = options.width ?? session.columns()
    let glyphs = Glyphs(isASCII: options.isASCII)
    let drawing = Drawing(
      layout,
      width: width,
      glyphs: glyphs,
      here: player.time.rawValue,
      about: try TimelineSpan.objects(options.words, session),
      isAlone: options.words.first.map { !$0.hasPrefix("#") } ?? false
    )
    for line in drawing.lines { answer.say(line) }
    for sentence in axis(session) {
      let text = glyphs.isASCII ? sentence.ascii : sentence
      for line in Columns.wrap(text, to: width) { answer.say(Line(line, .faint)) }
    }
    for line in try violations(findings, layout, session, width, glyphs) { answer.say(line) }
    return answer
  }

  /// What is to be known of the axis: what the wall showed where listings show that, how well several
  /// clocks lie on it, and how fast time ran.
  private static func axis(_ session: Session) -> [String] {
    let alignment = session.player.timeline.alignment
    var sentences: [String] = []
    if session.settings.showsClock, let wall = alignment.wall {
      sentences.append("It began at \(wall.text(HostTime(rawValue: 0))), by the clock of listings.")
    }
    return sentences + [alignment.axisSentence].compactMap { $0 } + session.timeScales.sentences
  }

  /// More violations are counted.
  private static let violationsMax = 6

  /// The violations of the picture in words.
  private static func violations(
    _ findings: FindingList?,
    _ layout: Layout,
    _ session: Session,
    _ width: Int,
    _ glyphs: Glyphs
  ) throws -> [Line] {
    guard let findings else { return [] }
    var lines: [Line] = []
    for sign in layout.violations.prefix(violationsMax) {
      let finding = findings[sign.number - 1]
      let title = session.sentence(try session.verdict(of: finding).title)
      let text =
        "#\(sign.number) \(sign.rule) at \(session.timeText(TraceTime(rawValue: sign.place.time), digits: 3)), "
        + "\(session.name(of: finding)): \(title)"
      let style: Style = sign.severity == .error ? .bad : .warning
      lines += Columns.wrap(glyphs.isASCII ? text.ascii : text, to: width).map { Line($0, style) }
    }
    let more = layout.violations.count - violationsMax
    if more > 0 {
      lines.append(Line("\(Quantity.count(more, "violation")) more: violations", .bad))
    }
    return lines
  }
}
