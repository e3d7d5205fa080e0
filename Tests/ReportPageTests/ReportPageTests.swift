// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetracePage

/// The page of `report` as text; what it does in a browser is driven by `Scripts/browser.sh`.
@Suite struct ReportPageTests {
  private func page(_ story: String, bytesMax: Int? = nil) throws -> String {
    let player = Player(Timeline(try Story.parse(story).source))
    var page = Page(title: "a <b>", replay: "lifetrace replay a", judgement: Judgement())
    if let bytesMax { page.bytesMax = bytesMax }
    var text = ""
    try page.write(of: player) { text += $0 }
    return text
  }

  /// What stands in the page between the tags of an element with that id.
  private func content(_ id: String, of page: String) throws -> String {
    let parts = page.split(separator: " id=\"\(id)\"")
    let behind = try #require(parts.dropFirst().first)
    let inside = behind.drop { $0 != ">" }.dropFirst()
    return String(try #require(inside.split(separator: "</script>").first))
  }

  private var lostDraft: String { Golden.text("Traces/DS02-broken/story.txt") ?? "" }

  @Test func theSameRecordingIsTheSamePage() throws {
    let once = try page(lostDraft)
    #expect(try page(lostDraft) == once)
    #expect(once.hasPrefix("<!doctype html>"))
    #expect(once.contains("<title>a &lt;b&gt; · lifetrace</title>"))
    #expect(!once.contains("@@"))
    #expect(!once.contains("http://") && !once.contains("https://"))
  }

  @Test func theDataSaysWhatIsBroken() throws {
    let data = try JSON(parsing: content("data", of: page(lostDraft)).utf8)
    #expect(data["count"]?.int == 19)
    #expect(data["listed"]?.int == 19)
    // Both are errors: the one that lost data comes first.
    #expect(data["first"]?.int == 2)
    #expect(data["losses"]?.int == 1)
    let violations = try #require(data["violations"]?.array)
    #expect(violations.map { $0["rule"]?.string } == ["DS01", "DS02"])
    #expect(violations[1]["culprit"]?["source"]?.string == "Notes/Editor.swift:41")
    let before = violations[1]["before"]?.array ?? []
    #expect(before.map(\.string) == ["suspended", "draft.txt: 1,204 bytes unsaved"])
    let after = violations[1]["after"]?.array ?? []
    #expect(after.map(\.string) == ["not running", "draft.txt: 1,204 bytes lost"])
    let rows = try #require(data["ledger"]?["rows"]?.array)
    #expect(rows.map { $0["fate"]?.string } == ["lost"])
  }

  /// An app that ended itself was ended by nobody: before it comes the one that the system killed.
  @Test func itOpensAtWhatTheSystemEnded() throws {
    let left = try #require(Golden.text("Traces/DL14-broken/story.txt"))
    let killed = try #require(Golden.text("Traces/DL03-broken/story.txt"))
    let data = try JSON(
      parsing: content("data", of: page(left + killed.replacing("notes", with: "draw"))).utf8
    )
    let violations = try #require(data["violations"]?.array)
    #expect(violations.map { $0["rule"]?.string } == ["DL14", "DL14", "DL03"])
    #expect(data["first"]?.int == 3)
  }

  /// What is a time of another clock, or runs at another scale, comes with its name.
  @Test func clocksHaveTheirNames() throws {
    let scaled = try #require(Golden.text("Traces/RS18-broken-scaled/story.txt"))
    let data = try JSON(parsing: content("data", of: page(scaled)).utf8)
    let scale = data["scale"]?.array?.compactMap(\.string) ?? []
    #expect(scale.first == "Time scale 0.3: a second of this recording stands for 3.3 s.")
    #expect(data["wall"]?.object == nil)
    let story =
      "app notes#1 realOffset=1763750287702000001ns\n+0s notes#1 main process.start reason=icon\n"
    let real = try JSON(parsing: content("data", of: page(story)).utf8)
    #expect(real["wall"]?["ms"]?.int == 1_763_750_287_702)
    #expect(real["wall"]?["ns"]?.int == 1)
    #expect(real["wall"]?["day"]?.bool == true)
    #expect(real["wall"]?["zone"]?.string == " UTC")
    #expect(real["scale"]?.array?.isEmpty == true)
  }

  /// What stands in one card is of one scale: that of the rules.
  @Test func theLineToLookAtIsAsLongBeforeAsTheRuleSays() throws {
    let scaled = """
      app notes#1 pid=1 profile=ios13 timeScale=10
      +0s    notes#1 main state.transition from=not-running to=active by=host
      +10ms  notes#1 main data.dirty a.txt version=1 bytes=9 @Notes/Editor.swift:4
      +20ms  notes#1 main process.exit cause=crash code=11

      """
    let data = try JSON(parsing: content("data", of: page(scaled)).utf8)
    let violation = try #require(data["violations"]?.array?.first)
    #expect(violation["culprit"]?["source"]?.string == "Notes/Editor.swift:4")
    #expect(violation["culprit"]?["before"]?.string == ", 1 s before")
    let details = violation["details"]?.array?.compactMap(\.string) ?? []
    #expect(details.contains { $0.contains("1 s before") }, "\(details)")
  }

  /// Silence is no praise where nothing was looked at.
  @Test func whatWasNotJudgedIsSaid() throws {
    let kept = try #require(Golden.text("Traces/DS02-kept/story.txt"))
    let judged = try JSON(parsing: content("data", of: page(kept)).utf8)
    #expect(judged["unjudged"]?.string == nil)
    let dataless = try JSON(
      parsing: content(
        "data",
        of: page("app notes#1 pid=1 profile=ios13\n+0s notes#1 main process.start reason=icon\n")
      ).utf8
    )
    #expect(
      dataless["unjudged"]?.string
        == "No data object was declared: nothing about losses was judged."
    )
  }

  /// The ledger counts what the app said it saved; where a rule knows better, its row says so.
  @Test func theLedgerNamesTheRulesThatAnObjectBroke() throws {
    let story = try #require(Golden.text("Traces/DS12-broken-overtaken/story.txt"))
    let data = try JSON(parsing: content("data", of: page(story)).utf8)
    let rows = try #require(data["ledger"]?["rows"]?.array)
    #expect(rows.map { $0["rules"]?.array?.map(\.string) } == [["DS12"]])
  }

  /// No name can end the script that holds it, or begin another one.
  @Test func nothingOfARecordingIsMarkup() throws {
    let evil = "</script><img src=x onerror=alert(1)><!--<script>&lt;"
    let story = """
      app notes#1 pid=1 profile=ios13
      +0s notes#1 main process.start reason="\(evil)" app="\(evil)"
      +1s notes#1 main data.dirty "\(evil)" version=1 bytes=9 @Notes/Editor.swift:4
      +2s notes#1 main callback.begin "\(evil)"
      +3s notes#1 main log text="\(evil)" level=info
      +4s notes#1 main state.purge cause="\(evil)"
      """
    let text = try page(story)
    let plain = try page("app notes#1 pid=1\n+0s notes#1 main process.start reason=a app=b\n")
    #expect(!text.contains("<img"))
    for tag in ["<script", "</script", "<!--"] {
      #expect(text.split(separator: tag).count == plain.split(separator: tag).count, "\(tag)")
    }
    let data = try content("data", of: text)
    #expect(!data.contains("<") && !data.contains(">") && !data.contains("&"))
    #expect(data.contains("\\u003cimg"))
    for payload in HostileText.payloads {
      let name = JSON.string(payload).text.replacing("\\u", with: "u")
      guard let text = try? page("app a#1\n+0s a#1 main log text=\(name) level=info\n") else {
        continue
      }
      #expect(HostileText.dangers(in: try content("data", of: text)).isEmpty, "\(payload)")
    }
  }

  /// However small a page has to be: it is no larger, and says what it leaves out.
  @Test(arguments: [292_000, 295_000, 300_000, 340_000])
  func noPageIsLargerThanItMayBe(_ bytesMax: Int) throws {
    var story = lostDraft
    for number in 0..<400 {
      let name = "file <\(number)> " + String(repeating: "&", count: number % 90)
      story +=
        "+\(70 + number)s notes#2 t\(number % 40 + 2) work.begin \"\(name)\" id=\(number + 1)\n"
      story += "+\(70 + number).5s notes#2 main data.dirty \"\(name)\" version=1 bytes=9\n"
    }
    let small = try page(story, bytesMax: bytesMax)
    #expect(small.utf8.count <= bytesMax)
    let data = try JSON(parsing: content("data", of: small).utf8)
    let remark = try #require(data["remarks"]?.array?.first?.string)
    #expect(remark.hasPrefix("A page has at most "), "\(remark)")
    let whole = try page(story)
    #expect(whole.utf8.count > bytesMax && !whole.contains("A page has at most"))
  }

  /// Of too many processes the one that broke a rule is drawn, wherever it stands.
  @Test func theProcessOfAViolationHasItsLanes() throws {
    var story = ""
    for app in 1...80 { story += "app busy\(app)#1\n" }
    story += """
      app last#1 profile=ios13
      +0s last#1 main process.start reason=icon app=last
      +0.01s last#1 main state.transition from=not-running to=inactive by=host
      +0.06s last#1 main state.transition from=inactive to=active by=host
      +1s last#1 main data.dirty draft.txt version=1 bytes=9
      +2s last#1 main state.transition from=active to=inactive cause=home by=host
      +2.1s last#1 main state.transition from=inactive to=background by=host
      +2.5s last#1 main state.suspend by=host
      +5s last#1 main state.purge cause=memory by=host
      +5.01s last#1 main process.exit cause=purge code=0x9 by=recorder

      """
    var id = 0
    for number in 1...100 {
      for app in 1...80 {
        id += 1
        story += "+\(6 + number)s busy\(app)#1 t\(2 + number % 3) work.begin \"b\" id=\(id)\n"
        story += "+\(6 + number).5s busy\(app)#1 t\(2 + number % 3) work.end id=\(id)\n"
      }
    }
    let bytesMax = 420_000
    let small = try page(story, bytesMax: bytesMax)
    #expect(small.utf8.count <= bytesMax)
    let data = try JSON(parsing: content("data", of: small).utf8)
    #expect(data["violations"]?.array?.contains { $0["rule"]?.string == "DS02" } == true)
    let groups = data["groups"]?.array ?? []
    let last = try #require(groups.first { $0["name"]?.string == "last" })
    let kinds = (last["lanes"]?.array ?? []).compactMap { $0["kind"]?.string }
    #expect(kinds.contains("state") && kinds.contains("object"), "\(kinds)")
    #expect(groups.count < 81, "nothing was left out")
    let remarks = data["remarks"]?.array?.compactMap(\.string) ?? []
    #expect(remarks.first?.contains("lanes") == true, "\(remarks)")
    // What is left out is left out for want of room, of which 200,000 bytes are kept for the frame.
    #expect(small.utf8.count > bytesMax - 240_000, "\(small.utf8.count)")
  }

  /// Where not even those that are no spans of work find room, the first of them are listed.
  @Test func aFullPageListsTheFirstEvents() throws {
    var story = "app a#1\n"
    for number in 1...20_000 { story += "+\(number)ms a#1 main mark \"m\(number)\"\n" }
    let small = try page(story, bytesMax: 400_000)
    #expect(small.utf8.count <= 400_000)
    let data = try JSON(parsing: content("data", of: small).utf8)
    let listed = try #require(data["listed"]?.int)
    #expect(listed > 500 && listed < 20_000, "\(listed)")
  }

  /// More messages than a page has arrows for are counted.
  @Test func messagesWithoutAnArrowAreSaid() throws {
    var story = "app a#1\napp b#1\n"
    for number in 1...20_003 {
      story += "+\(number)us a#1 main message.send flow=0x\(String(number, radix: 16)) peer=b\n"
      story += "+\(number)us b#1 main message.receive flow=0x\(String(number, radix: 16)) peer=a\n"
    }
    let data = try JSON(parsing: content("data", of: page(story)).utf8)
    #expect(data["flows"]?.array?.last?.int == 20_000)
    let said =
      "3 messages without an arrow: a page has at most 20,000 arrows, export perfetto has more."
    #expect(data["remarks"]?.array?.compactMap(\.string) == [said])
  }

  /// Of too many events those near a violation are listed, and those that are no span of work.
  @Test func aLargeRecordingListsWhatMatters() throws {
    var story = lostDraft
    for number in 0..<2_000 {
      let time = 70 + number
      story += "+\(time)s notes#2 main work.begin a id=\(number + 1)\n"
      story += "+\(time).1s notes#2 main work.end id=\(number + 1)\n"
    }
    let small = try page(story, bytesMax: 315_000)
    #expect(small.utf8.count <= 315_000)
    let data = try JSON(parsing: content("data", of: small).utf8)
    #expect(data["count"]?.int == 4_019)
    let listed = try #require(data["listed"]?.int)
    #expect(listed >= 19 && listed <= 1_100)
    let remarks = data["remarks"]?.array?.compactMap(\.string) ?? []
    #expect(
      remarks.count == 1
        && remarks[0].hasPrefix("A page has at most 315,000 bytes: this one is without ")
    )
    #expect(remarks.first?.contains("events. The recording has all of it.") == true, "\(remarks)")
  }

  /// More objects than the fold has room for: the ledger says that it lists the least that there are.
  @Test func whatHadNoRoomIsAtLeast() throws {
    let edits = (1...32_770).map { "+1s notes#1 main data.dirty o\($0).txt version=1 bytes=10" }
    let story =
      "app notes#1\n+0s notes#1 main process.start reason=icon app=notes\n"
      + edits.joined(separator: "\n") + "\n+2s notes#1 main process.exit cause=purge by=recorder\n"
    let data = try JSON(parsing: content("data", of: page(story)).utf8, bytesMax: 1 << 26)
    let bounds = "more than 32,768 data objects at once; the rest is not followed."
    let ledger = try #require(data["ledger"])
    #expect(ledger["more"]?.int == 32_768 - Int64(ledger["rows"]?.array?.count ?? 0))
    #expect(ledger["bounds"]?.array?.map(\.string) == ["notes#1: at least these; \(bounds)"])
    let remarks = data["remarks"]?.array?.compactMap(\.string) ?? []
    #expect(remarks.contains("notes#1: at least what is shown; \(bounds)"), "\(remarks)")
  }

  /// What had room is all there is, and nothing is said of bounds.
  @Test func whatHasRoomIsAll() throws {
    let data = try JSON(parsing: content("data", of: page(lostDraft)).utf8)
    #expect(data["ledger"]?["bounds"]?.array?.isEmpty == true)
    #expect(data["remarks"]?.array?.isEmpty == true)
  }

  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
  )
  func bytesAsLetters(_ bytes: String, _ letters: String) {
    var columns = PageColumns()
    for byte in bytes.utf8 { columns.number(byte) }
    #expect(columns.base64 == letters)
  }

  @Test func numbersArePacked() {
    var columns = PageColumns()
    columns.number(UInt64(300))
    columns.signed(-1)
    columns.signed(1)
    columns.number(UInt64.max)
    #expect(columns.bytes.prefix(4) == [0xac, 0x02, 0x01, 0x02])
    #expect(columns.bytes.count == 14)
  }
}
