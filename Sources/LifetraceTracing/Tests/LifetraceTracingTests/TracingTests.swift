// SPDX-License-Identifier: Apache-2.0
import Testing

/// Spans and lines of logs, as they stand in a recording.
@Suite struct TracingTests {
  @Test func aRequestIsTiedFromItsSendToItsAnswer() throws {
    let events = try Recorded.probe("request").events
    #expect(
      events.map(\.kind) == [
        "work.begin",  // buy
        "work.begin", "message.trace", "message.send", "message.receive", "message.trace",
        "work.end",  // GET to the shop, whose answer is known at once here
        "message.receive", "message.trace",
        "work.begin",  // the shop
        "work.begin", "message.trace", "message.send", "message.receive", "message.trace",
        "work.end",  // GET to the store
        "work.begin", "message.trace", "message.send", "work.end",  // GET to the mail, no answer
        "message.trace", "message.send", "work.end",  // the answer of the shop
        "work.end",
      ]
    )
    let messages = events.filter { $0.kind == "message.send" }
    #expect(messages.map { $0["peer"] } == ["shop", "store", "mail", ""])
    let traces = events.filter { $0.kind == "message.trace" }
    #expect(Set(traces.map { $0["high"] + $0["low"] }).count == 1, "all of it is one trace")
    // What the shop sends was led to by what it got.
    let question = try #require(messages[0].flow)
    for sent in messages.dropFirst() {
      let parents = traces.filter { $0.flow == sent.flow }.map(\.parent)
      #expect(parents.contains(question), "\(sent.fields)")
    }
    let received = events.filter { $0.kind == "message.receive" }.map(\.flow)
    #expect(received.contains(question) && received.contains(~question))
    #expect(messages[3].flow == ~question, "the answer is the question turned round")
    let ends = events.filter { $0.kind == "work.end" }.map { $0["site"] }
    #expect(ends == ["GET", "GET", "GET", "/orders/{id}", "buy"])
    #expect(events[0]["file"] == "TracingProbe/main.swift")
  }

  @Test func whatASpanSendsByItselfIsOneTrace() throws {
    let traces = try Recorded.probe("roots").events.filter { $0.kind == "message.trace" }
    #expect(traces.count == 2 && Set(traces.map { $0["low"] }).count == 1)
    #expect(traces.allSatisfy { $0.parent == 0 })
  }

  @Test(arguments: [true, false])
  func theTraceOfAForeignPeerGoesOn(isRecorded: Bool) throws {
    let recorded = try Recorded.probe("foreign", isRecorded: isRecorded)
    let (parent, state) = (recorded.said[0], recorded.said[1])
    #expect(parent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-") && parent.hasSuffix("-01"))
    #expect(parent.contains("b7ad6b7169203331") == !isRecorded, "a flow of its own, or passed on")
    #expect(state == "rojo=1" || isRecorded)
    #expect(!isRecorded || state.hasPrefix("lt=") && state.hasSuffix(",rojo=1"))
    // A peer without a clock of lifetrace is not answered by an event.
    #expect(recorded.events.count { $0.kind == "message.send" } == (isRecorded ? 1 : 0))
  }

  @Test func aContextThatBreaksTheRulesIsNone() throws {
    let recorded = try Recorded.probe("malformed")
    #expect(!recorded.said[0].contains("0af7651916cd43dd8448eb211c80319c"))
    #expect(recorded.events.count { $0.kind == "message.receive" } == 0)
  }

  @Test func failuresAreLines() throws {
    let events = try Recorded.probe("failure").events
    #expect(events.map(\.kind) == ["work.begin", "mark", "log", "log", "work.end"])
    #expect(events[1]["site"] == "retry")
    #expect(events[2...3].map { $0["text"] } == ["disk full", "no room"])
    #expect(events[2...3].allSatisfy { $0["level"] == "error" && $0["site"] == "save" })
  }

  @Test func linesHaveTheirLevelTheirSourceAndTheirMetadata() throws {
    let lines = try Recorded.probe("log").events.filter { $0.kind == "log" }
    #expect(
      lines.prefix(7).map { $0["level"] } == [
        "debug", "debug", "info", "notice", "notice", "error", "fault",
      ]
    )
    #expect(lines[2]["text"] == "at info a=1 b=2 region=eu")
    #expect(lines[2]["site"] == "shop.orders" && lines[2]["file"] == "TracingProbe/main.swift")
  }

  @Test func aFloodOfLinesLeavesRoomForNames() throws {
    let lines = try Recorded.probe("flood").events.filter { $0.kind == "log" }
    #expect(lines.count == 20_009, "each line is an event")
    let left = lines.count { $0["text"] == "(text left out)" }
    #expect(left > 5_000 && left < 10_000, "\(left)")
    #expect(lines[20_007]["text"] == "(text left out)")
    #expect(lines[20_008]["text"] == "at info a=1 b=2 region=eu", "what was seen is still said")
    #expect(lines.allSatisfy { $0["site"] == "shop.orders" })
  }
}
