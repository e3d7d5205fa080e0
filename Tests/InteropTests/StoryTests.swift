// SPDX-License-Identifier: Apache-2.0
import Support
import Testing
import LifetraceTrace

@testable import LifetraceInterop

@Suite struct StoryTests {
  @Test func readsTheExampleOfTheManual() throws {
    let story = try Story.parse(
      """
      # a life in three lines
      app notes#1 role=app pid=12 profile=ios13
      +0s     notes#1 main process.start reason=icon app=notes
      +2.104s notes#1 main data.dirty draft.txt version=3 bytes=1204 hash=9f3a @Notes/Editor.swift:41
      +9s     notes#1 main state.purge cause="low memory" by=host   # gone
      """
    )
    let writer = try #require(story.writers.first)
    #expect(writer.attributes.pid == 12)
    #expect(writer.attributes.profile == "ios13")
    #expect(writer.events.map(\.sequence) == [0, 1, 2])
    let edit = writer.events[1]
    #expect(edit.kind == .dataDirty)
    #expect(edit.time.rawValue == 2_104_000_000)
    #expect(story.names[edit.identityName] == "draft.txt")
    #expect(edit.arguments == (3, 1204, 0x9f3a, 0))
    let site = story.names[edit.site]
    #expect(story.names[site.file] == "Notes/Editor.swift")
    #expect(site.line == 41)
    #expect(writer.events[2].observer == .host)
    #expect(
      StoryWriter().line(for: edit, names: story.names, label: "notes#1")
        == "+2.104s notes#1 main data.dirty draft.txt version=3 bytes=1204 hash=0x9f3a"
        + " @Notes/Editor.swift:41"
    )
  }

  @Test func anEndFindsItsBeginWithoutAnId() throws {
    let story = try Story.parse(
      """
      app a#1
      0s a#1 main callback.begin didEnterBackground
      1s a#1 main work.begin save kind=file
      2s a#1 t7 work.end
      3s a#1 main callback.end
      """
    )
    let events = story.writers[0].events
    #expect(events[0].identity == events[3].identity)
    #expect(events[1].identity == events[2].identity)
    #expect(events[0].identity != events[1].identity)
    #expect(events[2].thread == ThreadID(rawValue: 7))
  }

  @Test(arguments: [
    ("nonsense", 1, 1),
    ("app", 1, 1),
    ("app a#1\napp a#1", 2, 5),
    ("app a#1 pid=many", 1, 9),
    ("app a#1\nsoon a#1 main mark", 2, 1),
    ("app a#1\n1s b#1 main mark", 2, 4),
    ("app a#1\n1s a#1 nobody mark", 2, 8),
    ("app a#1\n1s a#1 main data.dirt x", 2, 13),
    ("app a#1\n1s a#1 main data.dirty x version=old", 2, 26),
    ("app a#1\n1s a#1 main data.dirty x y", 2, 26),
    ("app a#1\n1s a#1 main mark \"open", 2, 18),
    ("app a#1\n1s a#1 main mark \"\\q\"", 2, 20),
    ("app a#1\n1s a#1 main log a=1 b=2 c=3", 2, 13),
  ])
  func saysWhereItIsWrong(text: String, line: Int, column: Int) {
    let error = #expect(throws: StoryError.self) { try Story.parse(text) }
    #expect(error?.line == line, "\(String(describing: error))")
    #expect(error?.column == column, "\(String(describing: error))")
  }

  /// A line that is too long says how long it is; and what is wrong with a story is told of a story.
  @Test func whatBeginsAsAStoryIsOne() throws {
    let text =
      "app a#1\n+1s a#1 main log text=\"\(String(repeating: "x", count: 70_000))\" level=info\n"
    let error = #expect(throws: StoryError.self) { try Story.parse(text) }
    #expect(
      error?.description
        == "line 2, column 1: the line has 70,035 bytes, and a line of a story has at most 65,536 bytes",
      "\(String(describing: error))"
    )
    for begun in [text, "# why\n\n+2.5s a#1", "20ms x", "epoch 3s", "kind x"] {
      #expect(Story.isBegun(in: begun), "\(begun.prefix(20))")
    }
    for other in [
      "", "# only", "2 clocks on one axis", "2026-11-21 18:38:07 notes", "{\"a\": 1}", "Nov 28 x",
    ] {
      #expect(!Story.isBegun(in: other), "\(other)")
    }
  }

  @Test func whatIsPrintedReadsBackTheSame() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<40 {
      let story = RandomStory.make(&random)
      let text = print(story)
      let again = try Story.parse(text)
      #expect(print(again) == text, "seed \(seed)")
      #expect(again.writers.map(\.attributes) == story.writers.map(\.attributes), "seed \(seed)")
      for (left, right) in zip(story.writers, again.writers) {
        #expect(left.events.count == right.events.count)
        for (before, after) in zip(left.events, right.events) {
          #expect(before.identity == after.identity || before.kind.info?.identity?.type == .name)
          #expect(before.time == after.time)
          #expect(before.sequence == after.sequence)
          #expect(before.flags == after.flags)
        }
      }
    }
  }

  private func print(_ story: Story) -> String {
    var writer = StoryWriter()
    var lines: [String] = []
    for one in story.writers {
      lines.append(writer.header(for: one.id, one.attributes, label: one.label))
      for event in one.events {
        lines.append(writer.next(event, names: story.names, label: one.label))
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// Stories of random events of every kind.
private enum RandomStory {
  static let words = [
    "draft.txt", "two words", "late", "5s", "", "a=b", "\"q\"", "0x1", "true", "π",
  ]

  static func make(_ random: inout SeededRandom) -> Story {
    var names = Names()
    var events: [Event] = []
    var sequence: UInt64 = 0
    for info in KindInfo.all {
      var event = Event(
        info.kind,
        at: HostTime(rawValue: Int64.random(in: -5...1 << 45, using: &random))
      )
      event.stream = StreamID(rawValue: 0)
      sequence += UInt64.random(in: 1...2, using: &random)
      event.sequence = sequence
      event.thread = ThreadID(rawValue: UInt32.random(in: 0...2, using: &random))
      event.flags = EventFlags(rawValue: UInt8.random(in: 0...7, using: &random))
      event.observerCode = UInt8.random(in: 0...4, using: &random)
      let name = names.intern(words[Int.random(in: 0..<words.count, using: &random)])
      let file = names.intern(
        ["", "A/B.swift", "odd name.c"][Int.random(in: 0..<3, using: &random)]
      )
      var site = Site(name: info.identity?.type == .name ? .empty : name, file: file)
      if file != .empty { site.line = UInt32.random(in: 0...9, using: &random) }
      if info.fields.count < Event.argumentsMax && Bool.random(using: &random) {
        site.labels = [
          Field(
            "extra",
            [.int, .hex, .name, .duration, .bytes, .bool][Int.random(in: 0..<6, using: &random)]
          )
        ]
      }
      let fields = info.fields + site.labels
      for (index, field) in fields.enumerated() { event[index] = bits(field.type, &names, &random) }
      event.argumentCount = UInt8(fields.count)
      if let identity = info.identity {
        event.identity = max(1, bits(identity.type, &names, &random))
      }
      event.site = names.intern(site)
      events.append(event)
    }
    var attributes = WriterAttributes(app: "notes")
    attributes.evidence = .joined
    let writer = Story.Writer(
      label: "notes#1",
      id: WriterID(high: 1, low: 2),
      attributes: attributes,
      events: events
    )
    return Story(writers: [writer], names: names)
  }

  static func bits(_ type: FieldType, _ names: inout Names, _ random: inout SeededRandom) -> UInt64
  {
    switch type {
    case .name:
      UInt64(names.intern(words[Int.random(in: 0..<words.count, using: &random)]).rawValue)
    case .bool: UInt64.random(in: 0...1, using: &random)
    case .state, .work, .level, .resource: UInt64.random(in: 0...7, using: &random)
    case .double: Double.random(in: -1...1, using: &random).bitPattern
    default: UInt64.random(in: 0...1 << 40, using: &random)
    }
  }
}
