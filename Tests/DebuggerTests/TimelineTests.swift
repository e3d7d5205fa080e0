// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceLayout
import LifetraceReplay
import LifetraceTimeline
import LifetraceWords
import Support
import Testing

@testable import LifetraceDebugger

/// `timeline`: the picture of a recording in a terminal.
@Suite struct TimelineTests {
  /// At the widths of real terminals, with and without other characters than ASCII, and as a list.
  @Test(arguments: ["DS02", "DL11", "NQ01", "BT01", "RS06"])
  func golden(_ rule: String) throws {
    let folder = "Traces/\(rule)-broken"
    let story = try #require(Golden.text(folder + "/story.txt"))
    var commands = [60, 80, 100, 160].map { "timeline all --unicode --width \($0)" }
    commands += ["timeline all --ascii --width 80", "timeline #1 --unicode --width 100"]
    commands.append("timeline all --list")
    let text = try TranscriptTests.run(commands.joined(separator: "\n"), story)
    let drawn = text.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("(replay) timeline") }.joined(separator: "\n")
    #expect(Golden.difference(drawn, folder + "/timeline.txt") == nil)
  }

  /// Several objects are drawn together, from the first event about any of them on.
  @Test func severalObjectsAreOnePicture() throws {
    let names = ["a.txt", "b.txt", "c d.txt"]
    let lines = names.enumerated().map {
      "+\($0.offset + 1)s n#1 main data.dirty \"\($0.element)\" version=1 bytes=3"
    }
    let story =
      "app n#1\n+0s n#1 main process.start reason=icon app=n\n"
      + lines.joined(separator: "\n") + "\n+9s n#1 main mark end\n"
    let text = try TranscriptTests.run("timeline a.txt \"c d.txt\" --ascii --width 80", story)
    let rows = text.split(separator: "\n").filter { $0.contains("|") }
    for name in ["a.txt", "c d.txt"] { #expect(rows.contains { $0.contains(name) }, "\(text)") }
    #expect(!rows.contains { $0.contains("b.txt") }, "\(text)")
  }

  /// No line is too wide, and all that is lost or broken is shown or counted, at every width.
  ///
  /// The tour has names of wide characters.
  @Test(arguments: Golden.stories(with: "story.txt") + ["Traces/tour"])
  func nothingGraveIsHidden(folder: String) throws {
    let file = folder == "Traces/tour" ? "recording.txt" : "story.txt"
    let story = try Story.parse(try #require(Golden.text("\(folder)/\(file)")))
    let player = Player(Timeline(story.source))
    let findings = try player.findings(Judgement(profile: .standard)).violations
    let whole = 0...max(1, player.timeline.duration)
    let layout = try Layout(of: player, whole, findings)
    #expect(layout.violations.count == findings.placed.count)
    for width in [40, 60, 80, 100, 160] {
      for isASCII in [false, true] {
        let glyphs = Glyphs(isASCII: isASCII)
        let drawing = Drawing(layout, width: width, glyphs: glyphs, here: player.time.rawValue)
        let rows = drawing.lines.map(\.text)
        for row in rows {
          #expect(Columns.width(of: row) <= width, "\(width): \(row)")
          let isPlain = row.allSatisfy(\.isASCII)
          #expect(isPlain || !isASCII, "\(row)")
        }
        let pictures = rows.filter { $0.contains(glyphs.border) }.map {
          String($0.drop { $0 != Character(glyphs.border) }.dropFirst())
        }
        let crosses = pictures.joined().count { $0 == Character(glyphs.mark(.lost).glyph) }
        let perhaps = pictures.joined().count { $0 == "?" }
        let counted = drawing.lossesCounted + drawing.lossesLeftOut
        #expect(crosses + perhaps + counted == layout.losses, "\(width): \(rows)")
        try expectViolations(layout, rows, glyphs)
      }
    }
  }

  /// The row of the violations names each by its number, or counts it.
  private func expectViolations(_ layout: Layout, _ rows: [String], _ glyphs: Glyphs) throws {
    guard !layout.violations.isEmpty else { return }
    let row = try #require(rows.first { $0.hasPrefix("violations") })
    let words = row.drop { $0 != Character(glyphs.border) }.dropFirst().split { $0 == " " }
    var found = 0
    for word in words {
      if word.hasPrefix("+") {
        found += try #require(Int(word.dropFirst()))
      } else {
        let number = try #require(Int(word), "\(row)")
        #expect(layout.violations.contains { $0.number == number }, "\(row)")
        found += 1
      }
    }
    #expect(found == layout.violations.count, "\(row)")
  }

  /// Each state that a line has is in it, or counted below; what the legend has is in the picture.
  @Test(arguments: Golden.stories(with: "story.txt") + ["Traces/tour"])
  func noStateIsHidden(folder: String) throws {
    let file = folder == "Traces/tour" ? "recording.txt" : "story.txt"
    let player = Player(
      Timeline(try Story.parse(try #require(Golden.text("\(folder)/\(file)"))).source)
    )
    let layout = try Layout(of: player, 0...max(1, player.timeline.duration))
    for width in [60, 80, 100, 160] {
      for isASCII in [false, true] {
        let glyphs = Glyphs(isASCII: isASCII)
        let drawing = Drawing(layout, width: width, glyphs: glyphs, here: nil)
        let lines = drawing.lines.map(\.text)
        let words = lines.filter { !$0.contains(glyphs.border) }.joined(separator: " ")
        let rows = lines.filter { $0.contains(glyphs.border) }
        for group in layout.groups where layout.groups.count <= 12 {
          let label = group.label(glyphs).prefix(8)
          let row = try #require(rows.first { $0.hasPrefix(label) }, "\(label): \(rows)")
          for bar in group.lanes.first(where: { $0.kind == .state })?.bars ?? []
          where bar.look != .running {
            let look = glyphs.bar(bar.look, count: bar.count)
            let isShown = row.drop { $0 != Character(glyphs.border) }.contains(look.glyph)
            #expect(
              isShown || words.contains("short \(look.word)"),
              "\(width): \(look.word) in \(lines)"
            )
          }
        }
        for look in [Bar.Look.inactive, .active, .background, .suspended] {
          let (glyph, _, word) = glyphs.bar(look, count: 1)
          let isTold = words.contains("\(glyph) \(word)")
          let isDrawn = rows.dropFirst().contains {
            $0.drop { $0 != Character(glyphs.border) }.contains(glyph)
          }
          #expect(!isTold || isDrawn, "\(width): \(word) in \(lines)")
        }
      }
    }
  }

  /// A state of a millisecond between longer ones has a column of its own; where there is none, it is
  /// counted.
  @Test func shortStates() throws {
    func drawn(_ states: [(String, String, Double)]) throws -> [String] {
      let lines = states.map { "+\($0.2)s notes#1 main state.transition from=\($0.0) to=\($0.1)" }
      let story =
        (["app notes#1", "+0s notes#1 main process.start reason=icon"] + lines)
        .joined(separator: "\n") + "\n+10s notes#1 main log text=end level=info\n"
      let player = Player(Timeline(try Story.parse(story).source))
      let layout = try Layout(of: player, 0...max(1, player.timeline.duration))
      return Drawing(layout, width: 60, glyphs: Glyphs(isASCII: true), here: nil).lines.map(\.text)
    }
    let once = try drawn([
      ("not-running", "inactive", 1), ("inactive", "active", 5), ("active", "inactive", 5.001),
      ("inactive", "background", 9),
    ])
    #expect(once.contains { $0.hasPrefix("notes#1") && $0.contains("iAi") }, "\(once)")
    #expect(!once.contains { $0.contains("Too short") }, "\(once)")
    var often: [(String, String, Double)] = [("not-running", "inactive", 1)]
    for number in 0..<20 {
      let time = 5 + Double(number) / 1_000
      often.append(number % 2 == 0 ? ("inactive", "active", time) : ("active", "inactive", time))
    }
    let many = try drawn(often)
    let told = try #require(many.first { $0.hasPrefix("Too short to be drawn: ") }, "\(many)")
    #expect(told.contains("short active") || told.contains("short inactive"), "\(told)")
    #expect(many.contains("Time is in seconds since the recording began."))
  }

  /// As programs get it, and without a line of its own for what they do not read.
  @Test func wordsThatMeanASpan() throws {
    let session = LostDraft().session()
    let whole = try session.say("timeline all --unicode")
    #expect(try session.say("timeline start end --unicode") == whole)
    #expect(try session.say("timeline .. --unicode") == whole)
    #expect(try session.say("timeline +1s..+2s").count < whole.count)
    #expect(try session.say("timeline draft.txt").contains { $0.contains("draft.txt") })
    #expect(try session.say("timeline #1").contains { $0.hasPrefix("#1 ") })
    for wrong in ["#9", "nothing.txt", "+3s..+1s", "--width 7", "--loud", "a b c"] {
      #expect(throws: CommandError.self, "\(wrong)") { try session.say("timeline \(wrong)") }
    }
    #expect(session.player.here.ordinal == 0)
  }
}
