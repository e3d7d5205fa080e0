// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Glibc
import Lifetrace
import LifetraceTrace
import Testing

/// Texts that are no traceparent, and what is said of each.
private enum MalformedContexts {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let flow = "b7ad6b7169203331"
  private static let zeros = String(repeating: "0", count: 32)
  private static let tooLong = "it goes on behind the flags"
  private static let digits = "its numbers have other digits than 0-9 and a-f"
  private static let dashes = "there are no dashes between version, trace id, span id and flags"
  static let all: KeyValuePairs<String, String> = [
    "": "there is none",
    " \t": "there is none",
    "00": "it is too short",
    "00-\(trace)-\(flow)-0": "it is too short",
    "00-\(trace)-\(flow)-01-": tooLong,
    "00-\(trace)-\(flow)-010": tooLong,
    "01-\(trace)-\(flow)-01.": tooLong,
    "ff-\(trace)-\(flow)-01": "version ff is forbidden",
    "0G-\(trace)-\(flow)-01": digits,
    "00-0AF7651916CD43DD8448EB211C80319C-\(flow)-01": digits,
    "00-\(trace)-\(flow)-0x": digits,
    "00_\(trace)_\(flow)_01": dashes,
    "00-\(zeros)-\(flow)-01": "its trace id is 0",
    "00-\(trace)-0000000000000000-01": "its span id is 0",
  ]
}

/// What travels with a message, by the rules of W3C Trace Context.
@Suite struct ContextTests {
  typealias Context = Lifetrace.MessageContext

  static let trace = "0af7651916cd43dd8448eb211c80319c"
  static let flow = "b7ad6b7169203331"
  static let parent = "00-\(trace)-\(flow)-01"

  @Test func aTraceparentIsRead() throws {
    let context = try Context(
      traceparent: Self.parent,
      tracestate: "rojo=1, lt=000000000000abcd ,b=2"
    )
    #expect(context.traceHigh == 0x0af7_6519_16cd_43dd && context.traceLow == 0x8448_eb21_1c80_319c)
    #expect(context.flow == 0xb7ad_6b71_6920_3331 && context.clock == 0xabcd && context.flags == 1)
    #expect(context.traceparent == Self.parent)
    #expect(
      context.tracestate == "lt=000000000000abcd,rojo=1,b=2",
      "ours first, others as they came"
    )
  }

  @Test(
    "What later versions say is read as far as version 00 goes",
    arguments: ["", "-", "-more-09"]
  )
  func laterVersions(rest: String) throws {
    let context = try Context(traceparent: "cc-\(Self.trace)-\(Self.flow)-ff" + rest)
    #expect(context.flags == 3, "flags that are not known are not passed on")
    #expect(context.traceparent == "00-\(Self.trace)-\(Self.flow)-03")
  }

  @Test("What breaks the rules is said", arguments: 0..<MalformedContexts.all.count)
  func malformed(number: Int) {
    let (text, reason) = MalformedContexts.all[number]
    #expect(throws: Context.Malformed.self) { try Context(traceparent: text) }
    do { _ = try Context(traceparent: text) } catch { #expect(error.reason == reason) }
  }

  @Test func whatIsShownOfATextIsPrintable() {
    do { _ = try Context(traceparent: "\u{1b}[31mé") } catch {
      #expect(error.description == "traceparent \"?[31m?\": it is too short")
    }
  }

  @Test func blanksAroundItAreNotPartOfIt() throws {
    #expect(try Context(traceparent: " \t\(Self.parent) ").traceparent == Self.parent)
  }

  @Test(
    "A tracestate that breaks the rules is as none, and the traceparent stands",
    arguments: [
      "a", "a=1,a=2", "A=1", "=1", "a=", "a=b=c", "1a=1", "a@=1", "@a=1", "a@1=1", "a=é", "lt=5,a",
      String(repeating: "k", count: 257) + "=1", "a=" + String(repeating: "v", count: 257),
      (0...32).map { "a\($0)=1" }.joined(separator: ","),
    ]
  )
  func brokenStates(state: String) throws {
    let context = try Context(traceparent: Self.parent, tracestate: state)
    #expect(context.clock == 0 && context.state == "" && context.tracestate == "")
  }

  @Test(
    "A tracestate that keeps to the rules goes on",
    arguments: [
      ("a=1", "a=1"), ("a=1,", "a=1"), (", ,a=1 ,\tb=2", "a=1,b=2"),
      ("1a-*/_@v=x y~", "1a-*/_@v=x y~"),
      ("a= 1", "a= 1"), ("lt=5,b=1", "b=1"), ("lt=00000000000000FF,b=1", "b=1"),
    ]
  )
  func keptStates(state: String, expected: String) throws {
    #expect(try Context(traceparent: Self.parent, tracestate: state).tracestate == expected)
  }

  @Test func aTracestateHasRoomForSoMuch() throws {
    let long = (0..<4).map { "k\($0)=" + String(repeating: "v", count: 150) }.joined(separator: ",")
    var context = try Context(traceparent: Self.parent, tracestate: long)
    context.clock = 1
    let state = context.tracestate
    #expect(state.hasPrefix("lt=0000000000000001,k0=v") && state.contains(",k2=v"))
    #expect(!state.contains("k3") && state.utf8.count <= 512, "whole members, the last goes first")
    let many = (0..<32).map { "k\($0)=1" }.joined(separator: ",")
    context = try Context(traceparent: Self.parent, tracestate: many)
    context.clock = 1
    #expect(context.tracestate.split(separator: ",").count == 32)
  }

  @Test func thirtyTwoBytesAreTheSame() throws {
    var context = try Context(traceparent: Self.parent)
    context.clock = 0x0102_0304_0506_0708
    #expect(context.bytes.count == Context.byteCount && Context.byteCount == 32)
    #expect(context.bytes.starts(with: [0x0a, 0xf7, 0x65]) && context.bytes.last == 8)
    #expect(try Context(bytes: context.bytes + [9]) == context)
    #expect(Context.none.bytes == Array(repeating: 0, count: 32))
    for cut in 0..<32 {
      #expect(throws: Context.Malformed.self) {
        try Context(bytes: Array(context.bytes.prefix(cut)))
      }
    }
    #expect(throws: Context.Malformed.self) { try Context(bytes: Context.none.bytes) }
    let noFlow = Array(context.bytes.prefix(16)) + Array(repeating: 0, count: 16)
    #expect(throws: Context.Malformed.self) { try Context(bytes: noFlow) }
  }

  @Test func aRequestKeepsItsTraceFromSendToSend() throws {
    let (client, server) = (Simulation(), Simulation())
    var headers: [String: String] = [:]
    let first = client.run { Lifetrace.send(to: "server", bytes: 5) }
    first.inject { headers[$0] = $1 }
    client.run { Lifetrace.resend(first, to: "server", bytes: 5) }
    let came = try #require(try Context.extract { headers[$0] })
    #expect(came.flow == first.flow && came.clock == first.clock)
    server.run {
      Lifetrace.receive(came, from: "client", bytes: 5)
      let on = Lifetrace.send(to: "store", bytes: 1, within: came)
      #expect(on.flow != came.flow && on.clock > came.clock)
      #expect((on.traceHigh, on.traceLow) == (came.traceHigh, came.traceLow))
    }
    #expect(client.kinds == [.messageTrace, .messageSend, .messageSend])
    #expect(Set(client.events.map(\.identity)) == [first.flow], "the same message, sent twice")
    #expect(client.events[2].arg.2 > client.events[1].arg.2)
    #expect(server.kinds == [.messageReceive, .messageTrace, .messageTrace, .messageSend])
    #expect(server.events[2].arg.0 == first.traceHigh && server.events[2].arg.1 == first.traceLow)
    #expect(server.events[2].arg.2 == first.flow, "it says what led to it")
    #expect(client.events[0].arg.2 == 0)
  }

  @Test func aTraceAloneLedToNothingAndTiesWhatIsSent() {
    let client = Simulation()
    let alone = Context(traceHigh: 1, traceLow: 2, flow: 0, clock: 0)
    let sent = client.run {
      [
        Lifetrace.send(to: "one", bytes: 1, within: alone),
        Lifetrace.send(to: "two", bytes: 1, within: alone),
      ]
    }
    #expect(alone.isNone && sent[0].flow != sent[1].flow)
    #expect(sent.allSatisfy { ($0.traceHigh, $0.traceLow) == (1, 2) && !$0.isNone })
    #expect(client.kinds == [.messageTrace, .messageSend, .messageTrace, .messageSend])
    #expect(client.events[0].arg.2 == 0 && client.events[2].arg.2 == 0)
    #expect(lt_enabled() || Lifetrace.send(to: "one", bytes: 1, within: alone).isNone)
  }

  @Test func whatOthersHaveSaidGoesOn() throws {
    let came = try Context(traceparent: Self.parent, tracestate: "rojo=1")
    let on = Simulation().run { Lifetrace.send(to: "store", bytes: 1, within: came) }
    #expect(on.tracestate.hasPrefix("lt=") && on.tracestate.hasSuffix(",rojo=1"))
    #expect(on.flags == 1)
  }

  @Test func withoutARecorderWhatCameInGoesOn() throws {
    // Nobody listens on this thread.
    let came = try Context(traceparent: Self.parent, tracestate: "rojo=1")
    #expect(lt_enabled() || Lifetrace.send(to: "store", bytes: 1, within: came) == came)
    var isInjected = false
    Context.none.inject { _, _ in isInjected = true }
    #expect(!isInjected && Context.none.traceparent == "" && Context.none.environment == [:])
  }

  @Test func withoutAContextAReceiveIsTiedToNothing() {
    let simulation = Simulation()
    simulation.run { Lifetrace.receive(nil, from: "stranger", bytes: 1) }
    #expect(simulation.kinds == [.messageReceive] && simulation.events[0].identity == 0)
  }

  @Test func aChildIsGivenItsEnvironment() throws {
    let context = try Context(traceparent: Self.parent, tracestate: "rojo=1")
    #expect(context.environment == ["TRACEPARENT": Self.parent, "TRACESTATE": "rojo=1"])
    var (one, room) = (lt_context(), [CChar](repeating: 1, count: 80))
    #expect(lt_context_read(&one, Self.parent, 55, nil, 0) == LT_CONTEXT_WELL)
    #expect(lt_context_entry(&one, &room, 67) == 0 && room[0] == 0, "no room")
    #expect(lt_context_entry(&one, &room, 68) == 67)
    #expect(
      room.prefix { $0 != 0 }.elementsEqual("TRACEPARENT=\(Self.parent)".utf8.map(CChar.init))
    )
  }
}
