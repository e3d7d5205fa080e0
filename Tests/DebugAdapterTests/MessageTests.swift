// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Testing

@testable import LifetraceDebugAdapter

/// How messages are cut out of what arrives, and how requests wait for each other.
@Suite struct MessageTests {
  private func request(_ seq: Int64, _ command: String, _ arguments: [(String, JSON)] = [])
    -> Inbox.Message
  {
    let json = JSON.object([
      ("seq", .int(seq)), ("type", .string("request")), ("command", .string(command)),
      ("arguments", .object(arguments)),
    ])
    return Request(json).map { .request($0) } ?? .problem("no request")
  }

  @Test func messagesAreCutAtEveryByte() throws {
    let all = AdapterServer.frame(.object([("n", .int(1))])) + AdapterServer.frame(.string("é"))
    for cut in 0...all.count {
      var reader = MessageReader()
      var found: [JSON] = []
      for part in [all[..<cut], all[cut...]] {
        reader.append(part)
        while let message = try reader.next() { found.append(message) }
      }
      #expect(found == [.object([("n", .int(1))]), .string("é")], "cut at \(cut)")
    }
  }

  @Test(arguments: [
    "Content-Length: 99999999999\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: \r\n\r\n",
    "Length: 2\r\n\r\n{}", "\r\n\r\n", String(repeating: "x", count: 5_000),
    String(repeating: "a: b\r\n", count: 1_000),
  ])
  func aLengthIsNotBelieved(text: String) {
    var reader = MessageReader()
    reader.append(text.utf8)
    #expect {
      _ = try reader.next()
    } throws: { error in
      if case .framing? = error as? MessageReader.Problem { true } else { false }
    }
  }

  @Test func whatIsNoJSONIsPassedOver() throws {
    var reader = MessageReader()
    reader.append("Content-Length: 3\r\n\r\n{x}Content-Type: a\r\nContent-Length: 2\r\n\r\n{}".utf8)
    #expect(throws: MessageReader.Problem.self) { try reader.next() }
    #expect(try reader.next() == .object([]))
    #expect(try reader.next() == nil)
  }

  @Test func aPauseEndsWhatRuns() throws {
    let inbox = Inbox()
    inbox.put(request(1, "continue"))
    _ = inbox.next()
    #expect(!inbox.isInterrupted)
    inbox.put(request(2, "threads"))
    #expect(!inbox.isInterrupted)
    inbox.put(request(3, "pause"))
    #expect(inbox.isInterrupted)
    #expect(inbox.takeInterruptions().map(\.seq) == [3])
    #expect(!inbox.isInterrupted)
    #expect(inbox.next()?.message.request?.seq == 2)
  }

  @Test func cancelIsOfOneRequest() throws {
    let inbox = Inbox()
    inbox.put(request(1, "evaluate"))
    _ = inbox.next()
    inbox.put(request(2, "evaluate"))
    inbox.put(request(3, "cancel", [("requestId", .int(2))]))
    #expect(!inbox.isInterrupted, "what runs is another one")
    inbox.put(request(4, "cancel", [("progressId", .string("request-1"))]))
    #expect(inbox.isInterrupted)
    #expect(inbox.takeInterruptions().map(\.seq) == [4])
    let waiting = try #require(inbox.next())
    #expect(waiting.message.request?.seq == 2 && waiting.isCancelled)
    inbox.close()
    #expect(inbox.next()?.message.request?.seq == 3)
    #expect(inbox.next() == nil)
  }
}
