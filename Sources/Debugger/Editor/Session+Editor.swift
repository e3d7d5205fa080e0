// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJudging
import LifetraceInterop
package import LifetraceLifecycle
import LifetracePlatform
package import LifetraceQuery
package import LifetraceReplay
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// What a client that is no prompt asks of a session: an editor, by the Debug Adapter Protocol.
extension Session {
  /// A session that nobody types into; its answers are plain text.
  package convenience init(_ player: Player, _ options: DebuggerOptions) {
    self.init(player, options, hasColor: false)
  }

  /// Goes to where a recording is opened, and greets: the problems of the file, the first violation.
  ///
  /// `reopen` lets a large recording be checked meanwhile; see ``DebuggerOptions/reopen``.
  package func open(_ options: DebuggerOptions) -> [String] {
    Opening(self, reopen: options.reopen).greeting.lines(self)
  }

  /// Ends what runs beside it.
  package func close() { background?.stop() }

  // MARK: - Lines and places

  /// Whether a line begins with the name of a command, or with another name of it.
  package static func isCommand(_ line: String) -> Bool {
    guard let (word, _) = CommandWords.head(line) else { return false }
    return CommandTable.all.contains { $0.name == word || $0.aliases.contains(word) }
  }

  /// Runs a line of the prompt, and says what it answers, and whether the prompt would end with it.
  ///
  /// - Throws: ``CommandError``, or ``SearchInterrupted``.
  package func answer(to line: String) throws -> (lines: [String], leaves: Bool) {
    guard let (command, words) = try CommandTable.read(line) else { return ([], false) }
    if command.name != "list" { listedUpTo = nil }
    var answer = try command.run(self, words)
    tellVerdictNews(in: &answer)
    return (answer.lines(self), answer.leaves)
  }

  /// Goes to a place as it is typed behind `goto`.
  package func go(to place: String) throws { _ = try Places.go(to: place, self) }

  /// Goes to a halt, and says why it is one.
  package func go(to halt: Halt) throws -> [String] { try go(to: halt, "").lines(self) }

  /// What Tab offers at the end of `line`, and how many code units of UTF-16 each would replace.
  package func completions(of line: String) -> (words: [String], replaced: Int) {
    let word = line.lastIndex { $0 == " " }.map { line[line.index(after: $0)...] } ?? line[...]
    let before = String(line[..<word.startIndex])
    return (Completer.words(before: before, text: String(word), self), word.utf16.count)
  }

  // MARK: - Events

  /// The lines of events by their numbers, from 1, in the columns of `list`.
  ///
  /// - Throws: ``SearchInterrupted``.
  package func lines(ofEvents numbers: ClosedRange<Int>) throws -> [String] {
    try approach(event: numbers.lowerBound - 1)
    var position = player.timeline.position(ordinal: numbers.lowerBound - 1)
    var table = Table()
    while position.ordinal < numbers.upperBound,
      let place = player.timeline.stepForward(&position)
    {
      if player.isInterrupted() { throw SearchInterrupted() }
      table.add(cells(EventPoint(place: place, number: position.ordinal)))
    }
    return table.lines(paint)
  }

  /// What happened at an event, in a few words: `data.dirty draft.txt version 2, 1,204 bytes`.
  package func words(of event: Event, at place: EventPlace) -> String {
    let sentence = EventText.sentence(player.named(event, at: place), player.names).line
    let kind = EventText.kind(event.kind, player.names)
    return sentence.isEmpty ? kind : "\(kind) \(sentence)"
  }

  /// The fields of an event and what they say, in the order of its kind.
  package func fields(of event: Event) -> [(name: String, text: String)] {
    event.values(player.names).map { ($0.0, Printable.line("\($0.1)")) }
  }

  /// What an open span is called.
  package func title(of span: OpenSpan) -> String { name(of: span) }

  /// Where an open span ends; nil where the recording ends before it does.
  package func end(
    of span: OpenSpan,
    in stream: StreamID,
    waits: Bool = false
  ) throws -> EventPlace? {
    guard let ending = span.kind.info?.ending,
      let begin = player.timeline.place(of: stream, sequence: span.sequence)
    else { return nil }
    let identity = player.timeline.event(at: begin).identity
    var filter = EventFilter(kinds: KindSet([ending])) { event, _ in event.identity == identity }
    filter.streams = [stream]
    return waits ? try find(.forward) { filter } : try player.find(filter, .forward)
  }

  // MARK: - Values

  /// The value of an expression where the player stands, as people read it.
  package func text(of question: Question) -> String { valueText(question) }

  /// The state of a writer's app in a word.
  package func state(of stream: StreamID) -> String {
    stateWord(player.state(of: stream), of: stream)
  }

  /// Now, by the clock of a writer.
  package func hostTime(of stream: StreamID) -> HostTime { now(of: stream) }

  // MARK: - Violations

  /// A violation in one line: its number, rule, severity and title.
  package func title(of finding: Finding) throws -> String {
    try headline(finding).text
  }

  /// What a rule says beside the title: its details, and what to do.
  package func details(of finding: Finding) throws -> [String] {
    let verdict = try verdict(of: finding)
    return (verdict.details + [verdict.advice]).map(sentence).filter { !$0.isEmpty }
  }

  // MARK: - Sources

  /// The absolute path of a file that a recording names; nil where it is not found here.
  package func path(ofSource file: String) -> String? {
    sources.path(of: file).flatMap { realpath($0, nil) }.map { path in
      defer { free(path) }
      return String(cString: path)
    }
  }
}
