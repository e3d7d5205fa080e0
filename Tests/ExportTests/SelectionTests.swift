// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// An export of a part: the events that an expression selects, what they begin or end, and states.
@Suite struct SelectionTests {
  private static let expressions = [
    "dirty", "callback.end", "work.end && thread == main", "resource.release || task.end",
    "state == background", "any data where unsaved > 0", "message || notification", "false",
  ]

  private static let events =
    "select p.name, e.sequence from events e join processes p on p.id = e.process"
  private static let slices = """
    select p.name, i.sequence from intervals i join processes p on p.id = i.process
    join lanes l on l.id = i.lane
    where l.name <> 'state' and l.name not like 'app %' and i.name not like 'unsaved %'
    """

  private func rows(_ query: String, _ database: String) -> Set<String> {
    let outcome = TestProgram.shell("sqlite3 '\(database)' \"\(query)\"")
    #expect(outcome.code == 0, "\(outcome.said)")
    return Set(outcome.said.split(separator: "\n").map(String.init))
  }

  /// What begins the slices of which `events` holds the begin or the end: a dictionary, not a table.
  private func begins(_ exported: Exported, _ chosen: Set<String>) -> Set<String> {
    var found = chosen
    for stream in exported.timeline.streams.indices {
      let label = exported.labels[stream]
      var open: [[UInt64]: UInt64] = [:]
      for event in exported.events(of: stream) {
        let info = event.kind.info
        let isResource = event.kind == .resourceAcquire || event.kind == .resourceRelease
        let rest = [event.identity] + (isResource ? [event[0], event[2]] : [])
        let begun = KindInfo.all.first { $0.ending == event.kind }
        if let begun, let begin = open.removeValue(forKey: [UInt64(begun.kind.rawValue)] + rest),
          chosen.contains("\(label)|\(event.sequence)")
        {
          found.insert("\(label)|\(begin)")
        }
        if info?.ending != nil { open[[UInt64(event.kind.rawValue)] + rest] = event.sequence }
      }
    }
    return found
  }

  @Test(arguments: ["Tests/Fixtures/Export/two-apps.txt"] + Array(PerfettoTests.stories.prefix(12)))
  func aPartHoldsWhatIsSelected(_ path: String) throws {
    let exported = try Exported(path)
    let folder = try TestFolder()
    _ = try exported.bytes(.sqlite, path: folder.path + "/all")
    let all = rows(Self.slices, folder.path + "/all")
    for (number, text) in Self.expressions.enumerated() {
      let question = try Question(condition: text, schema: .of(exported.timeline))
      let asking = Asking(question, exported.timeline)
      var chosen: Set<String> = []
      for stream in exported.timeline.streams.indices {
        for event in exported.events(of: stream) where asking.truth(of: event) == .yes {
          chosen.insert("\(exported.labels[stream])|\(event.sequence)")
        }
      }
      let file = "\(folder.path)/\(number)"
      _ = try exported.bytes(.sqlite, path: file, filter: asking.filter)
      #expect(rows(Self.events, file) == chosen, "\(text)")
      let shown = rows(Self.slices, file)
      #expect(shown == all.intersection(begins(exported, chosen)), "\(text)")
      let findings = rows(
        "select p.name, v.sequence from violations v join processes p on p.id = v.process",
        file
      )
      #expect(findings.isSubset(of: chosen), "\(text)")
    }
  }

  /// What a selection shows nests as the whole does, and no arrow begins nowhere.
  @Test func theFormsHoldTogether() throws {
    let exported = try Exported("Tests/Fixtures/Export/two-apps.txt")
    for text in Self.expressions {
      let question = try Question(condition: text, schema: .of(exported.timeline))
      let filter = Asking(question, exported.timeline).filter
      let whole = try exported.bytes(.chrome, filter: filter)
      let chrome = String(decoding: whole, as: UTF8.self)
      func count(_ word: String) -> Int { chrome.components(word) }
      #expect(count("\"ph\":\"B\"") >= count("\"ph\":\"E\""), "\(text)")
      #expect(count("\"ph\":\"s\"") >= count("\"ph\":\"f\""), "\(text)")
    }
  }
}

extension String {
  fileprivate func components(_ word: String) -> Int { ranges(of: word).count }
}
