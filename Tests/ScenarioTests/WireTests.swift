// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Glibc
import LifetraceScenario
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceProcessWorld
import Support
import Testing

@Suite("The wire")
struct WireTests {
  static let events: [SystemEvent] = [
    .launch(.init(reason: "url", url: .init("x://y"), restoration: ["screen": "list"])),
    .launch(.init(reason: "push", background: true, wake: .push, protectedDataAvailable: false)),
    .launch(
      .init(
        reason: "url",
        url: .init("x://y", from: "com.example.mail"),
        orientation: .upsideDown
      )
    ),
    .openURL(.init("x://y", from: "com.example.mail")), .notificationResponse(payload: "reply"),
    .enterForeground(cause: "url", url: .init("x://y", from: "com.example.mail")),
    .becomeActive(cause: "launch"), .resignActive(cause: "call"), .enterBackground(cause: "home"),
    .enterForeground(cause: "icon"), .openURL(.init("a:\"b\"\n")), .terminate, .memoryWarning,
    .protectedData(available: false), .protection(available: true), .significantTimeChange,
    .statusBarFrame(old: 20, new: 40),
    .wake(reason: .urlSession, id: 9, payload: "{}", seconds: 30),
    .notification(type: "NSCurrentLocaleDidChange", key: "", value: "sv_SE"),
    .touch(view: "save"), .control("play"), .motion("accelerometer"), .rotate(.upsideDown),
    .expire(task: 3), .expireWake(4), .tell(word: "edit", value: "Dear diary — 日記 \u{1}"),
  ]

  @Test("Events come back as they were sent", arguments: events)
  func event(_ event: SystemEvent) throws {
    let line = HostLine.event(number: 7, event)
    let back = HostLine(line: try JSON(parsing: line.line.text.utf8))
    #expect(back == line)
  }

  @Test("Messages come back as they were sent")
  func messages() throws {
    var configuration = AppConfiguration()
    configuration.backgroundModes = ["audio"]
    configuration.identifier = "notes"
    let all: [AppMessage] = [
      .hello(.init(app: "notes", pid: 12, configuration: configuration)),
      .done(number: 1, reply: EventReply(accepted: false, preserved: ["a": "b"])),
      .taskBegan(id: 1, name: "x"), .taskEnded(id: 1), .completed(wake: 2, result: "newData"),
      .callReported(wake: 2), .service(mode: "location", runs: true), .observes("x"), .said("y"),
    ]
    for message in all {
      #expect(AppMessage(line: try JSON(parsing: message.line.text.utf8)) == message)
    }
  }

  /// The lines that the page shows are those that are written: of the host to the byte, of an app as
  /// they are understood.
  @Test("The page shows what goes over the wire")
  func page() throws {
    let page = try #require(Golden.text("Sources/Scenario/PROTOCOL.md"))
    let block = try #require(
      page.split(separator: "```text\n").dropFirst().first?.split(separator: "```").first
    )
    var numbers: [UInt64] = []
    for text in block.split(separator: "\n") {
      let who = text.prefix { $0 != " " }
      let line = text.dropFirst(6)
      let json = try JSON(parsing: line.utf8)
      if who == "host" {
        let known = try #require(HostLine(line: json), "\(line)")
        #expect(known.line.text == line)
        if case .event(let number, _) = known { numbers.append(number) }
      } else {
        #expect(who == "app")
        let known = try #require(AppMessage(line: json), "\(line)")
        if case .done(let number, _) = known { #expect(number == numbers.last) }
        if case .hello = known { #expect(AppMessage.faultOfHello(json) == nil) }
      }
    }
    #expect(numbers == [1, 2, 3, 4, 5])
  }

  @Test("JSON as the standard has it")
  func json() throws {
    let text = #" {"a":[1,-2,3.5,1e3,true,false,null,""],"b":{"c":"\u00e9\ud83d\ude00\n"}} "#
    let value = try JSON(parsing: text.utf8)
    #expect(value["a"]?.array?.count == 8)
    #expect(value["a"]?.array?[3].int == 1000)
    #expect(value["b"]?["c"]?.string == "é😀\n")
    #expect(try JSON(parsing: value.text.utf8) == value)
  }

  @Test(
    "Lines that are no JSON are refused with a place",
    arguments: [
      "", "{", "{\"a\"}", "[1,", "tru", "1 2", "\"a", "{\"a\":1,}", "\u{1}", "+1", "\"\\x\"",
      "\"\\ud800\\u0041\"", String(repeating: "[", count: 100),
    ]
  )
  func refused(_ text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: text.utf8) }
  }

  @Test("Mutated lines never do more than fail")
  func mutated() {
    for seed in 0..<2000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let event = WireTests.events[Int(seed) % WireTests.events.count]
      var bytes = Array(HostLine.event(number: seed, event).line.text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      }
      if let json = try? JSON(parsing: bytes) {
        _ = HostLine(line: json)
        _ = AppMessage(line: json)
      }
    }
  }

  @Test(
    "Of what floods the socket a bounded part is read at a time, in order, and all of it in the end"
  )
  func flood() throws {
    let directory = Played.scratch()
    defer { Played.remove(directory) }
    let socket = try AppSocket(path: directory + "/s")
    let peer = try #require(Self.connect(to: socket.path))
    defer { close(peer) }
    socket.accept()
    let (count, last) = (AppSocket.linesMax * 40 + 7, "the last")
    let bytes = Array((String(repeating: "x\n", count: count) + last + "\n").utf8)
    #expect(send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    var (lines, turns) = ([String](), 0)
    while lines.last != last, turns < 10_000 {
      guard case .lines(let some) = socket.read() else { break }
      #expect(some.count <= AppSocket.linesMax)
      lines += some.map { String(decoding: $0, as: UTF8.self) }
      turns += 1
    }
    #expect(lines.count == count + 1)
    #expect(turns >= 40)
    #expect(lines.last == last)
    #expect(!socket.hasLines)
  }

  private static func connect(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return connected == 0 ? socket : nil
  }

  @Test("Lines are cut where they end, in whatever portions they come")
  func lines() throws {
    var buffer = LineBuffer()
    var lines: [String] = []
    for byte in "one\n\ntwo\nthree".utf8 {
      buffer.append([byte])
      while let line = try buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    }
    #expect(lines == ["one", "", "two"])
    #expect(throws: LineBuffer.Overlong.self) {
      buffer.append([UInt8](repeating: 0x61, count: JSON.lineBytesMax + 1))
      _ = try buffer.next()
    }
  }
}
