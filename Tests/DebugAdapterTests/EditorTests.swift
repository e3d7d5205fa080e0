// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import Testing

@testable import LifetraceDebugAdapter

/// An editor walks through a recording of a lost edit.
@Suite struct EditorTests {
  @Test func itOpensAtTheViolation() throws {
    let editor = try Conversation()
    let capabilities = try editor.body("initialize")
    #expect(capabilities["supportsStepBack"]?.bool == true)
    #expect(!editor.heard.contains { $0["event"] != nil }, "nothing is said before the launch")
    _ = try editor.body("launch")
    #expect(editor.heard.last?["event"]?.string == "initialized")
    _ = try editor.body("configurationDone")
    #expect(editor.stopped["reason"]?.string == "exception")
    #expect(editor.stopped["allThreadsStopped"]?.bool == true)
    let information = try editor.body("exceptionInfo")
    #expect(information["exceptionId"]?.string == "DS01")
    #expect(information["details"]?["message"]?.string?.contains("draft.txt") == true)
  }

  @Test func itStepsBackToTheLineAndHoversOverTheObject() throws {
    let editor = try Conversation.opened([("at", .string("13"))])
    for _ in 0..<6 { #expect(try editor.move("stepBack") == "step") }
    #expect(try editor.here() == 7)
    let hover = try editor.body(
      "evaluate",
      [("expression", .string("draft.txt")), ("context", .string("hover"))]
    )
    #expect(hover["result"]?.string?.contains("unsaved 1,204 bytes") == true, "\(hover.text)")
    let fields = try editor.variables(try #require(hover["variablesReference"]))
    let unsaved = try #require(fields.first { $0["name"]?.string == "unsaved" })
    #expect(unsaved["value"]?.string == "1,204 bytes")
    // What a variable is called to be asked for again gives the same value.
    let again = try editor.body("evaluate", [("expression", try #require(unsaved["evaluateName"]))])
    #expect(again["result"]?.string == "1,204 bytes")
  }

  @Test func aDataBreakpointStopsAtTheEditBackward() throws {
    let editor = try Conversation.opened([("at", .string("13"))])
    let (reference, _) = try editor.scope("Data")
    let found = try editor.body(
      "dataBreakpointInfo",
      [("variablesReference", reference), ("name", .string("draft.txt"))]
    )
    let id = try #require(found["dataId"])
    let set = try editor.body(
      "setDataBreakpoints",
      [("breakpoints", .array([.object([("dataId", id)])]))]
    )
    #expect(set["breakpoints"]?.array?.first?["verified"]?.bool == true)
    #expect(try editor.move("reverseContinue") == "data breakpoint")
    #expect(try editor.here() == 7)
    #expect(editor.output.contains { $0.contains("-> 1,204 bytes") }, "\(editor.output)")
    #expect(try editor.move("reverseContinue") == "data breakpoint")
    #expect(try editor.here() == 6)
    // Time moves some values at every instant: there a search would stop nowhere.
    let moving = try editor.body(
      "dataBreakpointInfo",
      [("name", .string("data(\"draft.txt\").age"))]
    )
    #expect(moving["dataId"] == .null)
    #expect(moving["description"]?.string?.contains("changes all the time") == true)
  }

  @Test func everyViolationOfTheWantedKindsIsAnException() throws {
    let editor = try Conversation.opened([("at", .string("start"))])
    _ = try editor.body("setExceptionBreakpoints", [("filters", .array([.string("error")]))])
    #expect(try editor.move("continue") == "exception")
    #expect(try editor.body("exceptionInfo")["exceptionId"]?.string == "DS01")
    #expect(try editor.move("continue") == "exception")
    #expect(try editor.body("exceptionInfo")["exceptionId"]?.string == "DS02")
    #expect(try editor.move("continue") == "end")
    #expect(editor.refusal("exceptionInfo") == "No rule speaks of this place.")
    #expect(!editor.heard.contains { $0["event"]?.string == "terminated" })
    #expect(try editor.move("reverseContinue") == "exception")
    #expect(try editor.move("reverseContinue") == "exception")
    #expect(try editor.move("reverseContinue") == "start")
    #expect(try editor.frames().last?["name"]?.string == "start of the recording")
    #expect(try editor.body("threads")["threads"]?.array?.isEmpty == false)
  }

  @Test func aLineOfTheListOfEventsIsGoneTo() throws {
    let editor = try Conversation.opened()
    let source = try #require(try editor.body("loadedSources")["sources"]?.array?.first)
    let text = try editor.body("source", [("source", source)])["content"]?.string ?? ""
    let lines = text.split(separator: "\n")
    #expect(lines.count == 19)
    let target = try editor.body("gotoTargets", [("source", source), ("line", .int(7))])
    let first = try #require(target["targets"]?.array?.first)
    #expect(first["label"]?.string.map { lines[6].contains($0.split(separator: " ")[2]) } == true)
    #expect(try editor.move("goto", [("targetId", try #require(first["id"]))]) == "goto")
    #expect(try editor.here() == 7)
    // The file of the event is not here: the arrow stands in the list.
    #expect(try editor.frames().first?["source"]?["sourceReference"]?.int == 1)
    #expect(try editor.frames().first?["line"]?.int == 7)
    let beyond = try editor.body("gotoTargets", [("source", source), ("line", .int(20))])
    #expect(beyond["targets"]?.array?.isEmpty == true)
  }

  @Test func stepsKeepToTheirThread() throws {
    let editor = try Conversation.opened([("at", .string("4"))])
    // Events 5 and 6 are of another thread.
    #expect(try editor.move("stepIn") == "step")
    #expect(try editor.here() == 7)
    #expect(try editor.move("stepBack", [("granularity", .string("instruction"))]) == "step")
    #expect(try editor.here() == 6)
    #expect(try editor.frames().first?["name"]?.string?.hasPrefix("data.durable") == true)
  }

  @Test func aCallbackIsSteppedOverAndOutOf() throws {
    let editor = try Conversation.opened([("at", .string("11"))])
    #expect(try editor.move("next") == "step")
    #expect(try editor.here() == 12)
    _ = try editor.move("stepBack")
    #expect(try editor.move("stepOut") == "step")
    #expect(try editor.here() == 12)
    #expect(editor.refusal("stepOut")?.contains("Nothing is open on main") == true)
  }

  @Test func commandsOfThePromptMoveTheEditor() throws {
    let editor = try Conversation.opened()
    let answer = try editor.body(
      "evaluate",
      [("expression", .string("goto 7")), ("context", .string("repl"))]
    )
    #expect(answer["result"]?.string?.contains("data.dirty") == true)
    #expect(editor.stopped["reason"]?.string == "goto")
    #expect(try editor.here() == 7)
    // Elsewhere than in the console nothing moves.
    #expect(
      editor.refusal(
        "evaluate",
        [("expression", .string("goto 8")), ("context", .string("watch"))]
      ) != nil
    )
    let offered = try editor.body(
      "completions",
      [("text", .string("goto star")), ("column", .int(10))]
    )
    let target = try #require(offered["targets"]?.array?.first)
    #expect(target["label"]?.string == "start")
    #expect(target["start"]?.int == 5 && target["length"]?.int == 4)
  }

  @Test func anInterruptedSearchMovesNothing() throws {
    let editor = try Conversation.opened([("at", .string("13"))])
    let wanted = JSON.object([("name", .string("purge"))])
    _ = try editor.body("setFunctionBreakpoints", [("breakpoints", .array([wanted]))])
    editor.isInterrupted = true
    #expect(try editor.move("continue") == "pause")
    #expect(try editor.here() == 13)
    editor.isInterrupted = true
    #expect(
      editor.refusal(
        "evaluate",
        [("expression", .string("count dirty")), ("context", .string("repl"))]
      ) == "cancelled"
    )
  }

  @Test func wrongRequestsAreRefusedWithWhatWouldDo() throws {
    let editor = try Conversation()
    #expect(editor.refusal("threads") == "No recording is open yet: launch comes first.")
    #expect(editor.refusal("launch", [("program", .string("nowhere"))]) == "nowhere is no file.")
    #expect(editor.refusal("launch", [("at", .string("nowhere"))])?.contains("is no place") == true)
    _ = try editor.body("launch")
    #expect(editor.refusal("launch") == "A recording is open already.")
    #expect(editor.refusal("frobnicate") == "frobnicate is not supported here.")
    for (command, key) in [
      ("scopes", "frameId"), ("variables", "variablesReference"), ("source", "sourceReference"),
      ("goto", "targetId"), ("stepIn", "threadId"), ("stackTrace", "threadId"),
    ] {
      for number in [Int64.min, -1, 99_999, .max] {
        #expect(editor.refusal(command, [(key, .int(number))]) != nil, "\(command) \(number)")
      }
    }
    #expect(
      editor.refusal("evaluate", [("expression", .string("bytes > 3s"))])?.contains("^") == true
    )
  }

  /// A server for many editors would grow with each: a stop keeps no player, and no other way round.
  @Test func nothingIsLeftOfAConversation() throws {
    let editor = try Conversation.opened([("at", .string("13"))])
    let wanted = JSON.object([
      ("line", .int(41)), ("condition", .string("data(\"draft.txt\").unsaved > 0")),
    ])
    _ = try editor.body(
      "setBreakpoints",
      [
        ("source", .object([("path", .string("/src/Notes/Editor.swift"))])),
        ("breakpoints", .array([wanted])),
      ]
    )
    let (reference, _) = try editor.scope("Data")
    let found = try editor.body(
      "dataBreakpointInfo",
      [("variablesReference", reference), ("name", .string("draft.txt"))]
    )
    let id = try #require(found["dataId"])
    _ = try editor.body(
      "setDataBreakpoints",
      [("breakpoints", .array([.object([("dataId", id)])]))]
    )
    #expect(try editor.move("reverseContinue") != "entry")
    #expect(editor.player != nil)
    editor.close()
    #expect(editor.player == nil)
  }

  /// More objects than the fold has room for: those listed are told to be the least that there are, and that
  /// nothing else is missing.
  @Test func whatHadNoRoomIsAtLeast() throws {
    let edits = (1...32_770).map { "+1s notes#1 main data.dirty o\($0).txt version=1 bytes=10" }
    let story =
      "app notes#1\n+0s notes#1 main process.start reason=icon app=notes\n"
      + edits.joined(separator: "\n") + "\n+2s notes#1 main process.exit cause=purge by=recorder\n"
    let editor = Conversation(text: story).opened()
    _ = try editor.body(
      "evaluate",
      [("expression", .string("goto end")), ("context", .string("repl"))]
    )
    let bounds = "more than 32,768 data objects at once; the rest is not followed"
    let objects = try editor.scope("Data").variables
    #expect(objects.first?["name"]?.string == "at least")
    #expect(objects.first?["value"]?.string == "32,768: \(bounds)")
    #expect(!objects.contains { $0["name"]?.string == "?" })
    // What unfolds is still the object of that name.
    let first = try editor.variables(try #require(objects[1]["variablesReference"]))
    #expect(objects[1]["name"]?.string == "o1.txt")
    #expect(first.contains { $0["name"]?.string == "name" || $0["value"]?.string == "10 bytes" })
    let facts = try editor.scope("State").variables
    #expect(facts.last?["name"]?.string == "bounds")
    #expect(facts.last?["value"]?.string == bounds)
  }

  /// What had room is all there is, and nothing is said of bounds.
  @Test func whatHasRoomIsAll() throws {
    let editor = try Conversation.opened([("at", .string("13"))])
    let objects = try editor.scope("Data").variables
    #expect(objects.map { $0["name"]?.string } == ["draft.txt"])
    #expect(!(try editor.scope("State").variables.contains { $0["name"]?.string == "bounds" }))
  }
}
