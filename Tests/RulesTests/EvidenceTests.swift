// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import LifetraceWords
import Support
import Testing

/// `lifetrace rules ID` names the events by which a rule judges, and who reports them: the table is
/// what the verdicts of the stories name, and what recordings have.
@Suite struct EvidenceTests {
  /// With more sorts of one kind than this, the kind alone is named.
  private static let sortsMax = 4

  /// The table stands in the source, as the stories have it.
  @Test func theTableIsThatOfTheStories() throws {
    let file = "Sources/Reports/Text/RuleEvidence.swift"
    let text = try #require(Golden.text(file))
    let parts = text.split(separator: "\"\"\"", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    let rows = try RuleTable.infos.map { try "    \(row(of: $0.id))\n" }.joined()
    let quotes = "\"\"\""
    let wanted = "\(parts[0])\(quotes)\n\(rows)    \(quotes)\(parts[2])"
    #expect(Golden.difference(wanted, file) == nil)
  }

  @Test func everyRuleHasEvidenceThatSomebodyReports() {
    for info in RuleTable.infos {
      let lines = RuleEvidence.lines(of: info.id)
      #expect(lines.contains { $0.hasPrefix("shows at ") }, "\(info.id)")
      #expect(lines.allSatisfy { $0.contains(": ") || $0.hasSuffix(Self.end) }, "\(lines)")
    }
  }

  /// Who reports an event in a life that the host has played is named for it.
  @Test(arguments: Golden.stories(with: "life.txt"))
  func whoReportsInAPlayedLifeIsNamed(_ folder: String) throws {
    let text = try #require(Golden.text("\(folder)/life.txt"))
    for line in text.split(separator: "\n") where line.hasPrefix("+") {
      let words = line.split(separator: " ")
      try #require(words.count > 3)
      let by = words.first { $0.hasPrefix("by=") }.map { $0.dropFirst(3) } ?? "own"
      let observers = RuleEvidence.observers(of: Self.sort(words)).map(\.word)
      #expect(observers.isEmpty || observers.contains(String(by)), "\(line)")
    }
  }

  /// A line of a story as the table has its sort.
  private static func sort(_ words: [Substring]) -> String {
    let detail = words.first { $0.hasPrefix("class=") }.map { " " + $0.dropFirst(6) } ?? ""
    return words[3] + detail
  }

  /// What stands for an event where none shows it.
  private static let end = "the end of the recording"

  private func row(of rule: String) throws -> String {
    var (shows, rests): ([Sort], [Sort]) = ([], [])
    for folder in StoryGoldenTests.stories where folder.hasPrefix("Traces/\(rule)-broken") {
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      for verdict in StoryCheck.checker(story).finish()
      where verdict.rule == rule && verdict.outcome == .violated {
        let isShown = verdict.witnesses.contains {
          $0.stream == verdict.stream && $0.sequence == verdict.sequence
        }
        if !isShown { shows.append(Sort(kind: Self.end)) }
        for witness in verdict.witnesses {
          guard let sort = Sort(witness, in: story) else { continue }
          let isHere = witness.stream == verdict.stream && witness.sequence == verdict.sequence
          if isHere { shows.append(sort) } else { rests.append(sort) }
        }
      }
    }
    let here = Sort.words(shows)
    let others = Sort.words(rests).filter { !here.contains($0) }
    return "\(rule): \(here.joined(separator: ", "));"
      + (others.isEmpty ? "" : " \(others.joined(separator: ", "))")
  }

  /// A kind of events, and which of them.
  private struct Sort: Hashable, Comparable {
    var kind: String
    var detail = ""

    init(kind: String) { self.kind = kind }

    init?(_ witness: Witness, in story: Story) {
      guard
        story.writers.indices.contains(Int(witness.stream.rawValue)),
        case let events = story.writers[Int(witness.stream.rawValue)].events,
        let event = events.first(where: { $0.sequence == witness.sequence }),
        let info = event.kind.info
      else { return nil }
      kind = info.name
      detail = Self.detail(of: event, events, story.names)
    }

    private static func detail(of event: Event, _ events: [Event], _ names: Names) -> String {
      let first = events.first {
        $0.identity == event.identity && $0.kind.family == event.kind.family
      }
      switch event.kind {
      case .callbackBegin, .callbackEnd:
        let site = (event.site == .none ? first : event)?.site ?? .none
        return Callback(named: names[names[site].name])?.rawValue ?? ""
      case .workBegin, .workEnd:
        return first.flatMap { Payload.WorkBegin($0).kind.value }.map { "\($0)" } ?? ""
      case .resourceAcquire: return word(Payload.ResourceAcquire(event).class)
      case .resourceRelease: return word(Payload.ResourceRelease(event).class)
      case .resourceUse: return word(Payload.ResourceUse(event).class)
      default: return ""
      }
    }

    private static func word(_ code: Coded<ResourceClass>) -> String {
      code.value.map { "\($0)" } ?? ""
    }

    static func < (left: Sort, right: Sort) -> Bool {
      (left.kind, left.detail) < (right.kind, right.detail)
    }

    /// Each once, in order of kind; those of one kind together where they are many.
    static func words(_ sorts: [Sort]) -> [String] {
      let byKind = Dictionary(grouping: Set(sorts), by: \.kind)
      return byKind.sorted { $0.key < $1.key }.flatMap { kind, sorts -> [String] in
        let details = sorts.sorted().map(\.detail).filter { !$0.isEmpty }
        guard details.count == sorts.count, details.count <= EvidenceTests.sortsMax else {
          return [kind]
        }
        return details.map { "\(kind) \($0)" }
      }
    }
  }
}
