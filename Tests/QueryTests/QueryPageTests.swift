// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceQuery

/// The page of the language is made from what the compiler knows.
@Suite struct QueryPageTests {
  @Test func thePageIsWhatTheCompilerKnows() {
    #expect(Golden.difference(QueryManual.markdown, "Sources/Query/QUERY.md") == nil)
  }

  /// Every field, row and fact of the page compiles, and so does every example.
  @Test func whateverThePageNamesCompiles() throws {
    for example in QueryManual.examples { _ = try Question(condition: example.text) }
    for name in Schema.known.fields.keys { _ = try Question(condition: "\(name) == \(name)") }
    for table in StateTable.all {
      for field in table.fields {
        _ = try Question("\(table.singular)(\"x\").\(field.name)")
        _ = try Question("count \(table.word) where \(field.name) == \(field.name)")
      }
    }
    for fact in StateFact.all { _ = try Question("before.\(fact.name)") }
  }

  /// Each example says what its meaning says, of a recording in which it happens or not.
  @Test func theExamplesFindWhatTheyMean() throws {
    let story = try #require(Golden.text("Traces/DS02-broken/story.txt"))
    let timeline = Timeline(try Story.parse(story).source)
    func numbers(_ text: String) throws -> [Int] {
      var hits = Hits(of: Asking(try Question(condition: text), timeline).filter, in: timeline)
      var found: [Int] = []
      while let place = try hits.next() { found.append(timeline.number(of: place)) }
      return found
    }
    #expect(try numbers("dirty") == [4, 7])
    #expect(try numbers("dirty && object == \"draft.txt\" && bytes > 1150") == [7])
    #expect(try numbers("purge && any data where unsaved > 0") == [14])
    #expect(try numbers("before.state == active && state != active") == [9])
    #expect(try numbers("state == suspended") == [13])
    for example in QueryManual.examples { _ = try numbers(example.text) }
  }

  /// No field of a kind is out of reach.
  @Test func everyFieldOfEveryKindCanBeAsked() {
    for info in KindInfo.all {
      for field in info.fields + [info.identity].compactMap({ $0 }) {
        let known = Schema.known.fields[field.name] ?? []
        let has = known.contains { $0.type == .field(field.type) && $0.kinds.contains(info.kind) }
        #expect(has, "\(info.name) \(field.name)")
      }
    }
  }
}
