// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `cut`: a part of the recording as a recording of its own, made by `lifetrace cut`.
enum CutCommand {
  static let all: [Command] = [
    Command(
      name: "cut",
      synopsis: "#N | PLACE PLACE -o FILE [--force]",
      summary: "write a part of the recording, or what shows a violation, as a small one",
      group: .keeping,
      details: [
        "The part begins with the state of each process there, so what is unfinished stays so; events "
          + "keep their names. Of violation #N the part is grown until the rule says the same of it."
      ],
      examples: ["cut #1 -o lost.lifetrace", "cut notes#1:7 end -o end.lifetrace"],
      completes: .places
    ) { session, words in try run(session, words) }
  ]

  private static func run(_ session: Session, _ words: [String]) throws -> Answer {
    guard let cut = session.cut else {
      throw CommandError.no("There is no file to cut a part of.")
    }
    let isForced = words.contains("--force") || words.contains("-f")
    var rest = words.filter { $0 != "--force" && $0 != "-f" }
    guard let option = rest.firstIndex(of: "-o"), option + 1 < rest.count else {
      throw CommandError.usage("cut takes -o and the file of the new recording.")
    }
    let file = Paths.expand(rest[option + 1])
    rest.removeSubrange(option...option + 1)
    var arguments = try span(rest, session) + ["-o", file]
    if isForced { arguments.append("--force") }
    if let profile = session.settings.judgement.profile {
      arguments += ["--profile", profile.name]
    }
    let answer = cut(arguments)
    // It is in the same group of processes: Ctrl-C has ended it, and no part was left.
    if answer.code != 0, session.player.isInterrupted() { throw SearchInterrupted() }
    let said = answer.code == 0 ? answer.complaint + answer.output : answer.complaint
    let lines = said.split(separator: "\n").map { line in
      line.hasPrefix("lifetrace: ") ? String(line.dropFirst("lifetrace: ".count)) : String(line)
    }
    guard answer.code == 0 else {
      let text = lines.joined(separator: "\n")
      throw answer.code == 64 ? CommandError.usage(text) : CommandError.no(text)
    }
    var out = Answer()
    out.say("cut", lines)
    out.note(Fact("file", .text(file)))
    return out
  }

  /// The words of the span, as the command of the shell takes them.
  private static func span(_ words: [String], _ session: Session) throws -> [String] {
    if words.count == 1, let word = words.first, word.hasPrefix("#") {
      return ["--violation", "\(try session.violation(word).number)"]
    }
    guard words.count == 2 else {
      throw CommandError.usage("cut takes a violation, #1, or two places.")
    }
    let (first, last) = (try name(words[0], session), try name(words[1], session))
    return ["--from", first, "--to", last]
  }

  /// The name of the event at a place; of the start that of the first event.
  private static func name(_ word: String, _ session: Session) throws -> String {
    let position = try Places.position(word, session)
    let timeline = session.player.timeline
    guard let place = timeline.place(ofEvent: max(1, position.ordinal)) else {
      throw CommandError.no("The recording holds no events.")
    }
    return "\(session.player.name(of: place))"
  }
}
