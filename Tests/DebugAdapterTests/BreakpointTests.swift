// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import Testing

@testable import LifetraceDebugAdapter

/// Where an editor lets it stop.
@Suite struct BreakpointTests {
  private func set(
    _ editor: Conversation,
    _ path: String,
    _ wanted: [(String, JSON)]...
  ) throws -> [JSON] {
    let body = try editor.body(
      "setBreakpoints",
      [
        ("source", .object([("path", .string(path))])),
        ("breakpoints", .array(wanted.map(JSON.object))),
      ]
    )
    return body["breakpoints"]?.array ?? []
  }

  /// A site names the module, an editor the whole path.
  @Test(arguments: [
    ("/home/me/Notes/Editor.swift", true), ("Notes/Editor.swift", true), ("Editor.swift", true),
    ("/home/me/Notes/Other.swift", false), ("/home/me/Sources/OtherEditor.swift", false),
  ])
  func aFileIsKnownByItsEnd(path: String, isKnown: Bool) throws {
    let editor = try Conversation.opened()
    let placed = try set(editor, path, [("line", .int(41))])
    #expect(placed.first?["verified"]?.bool == isKnown, "\(placed)")
  }

  @Test func aLineIsReachedInBothDirections() throws {
    let editor = try Conversation.opened([("at", .string("start"))])
    let placed = try set(editor, "/src/Notes/Editor.swift", [("line", .int(41))])
    #expect(try editor.move("continue") == "breakpoint")
    #expect(try editor.here() == 4)
    #expect(editor.stopped["hitBreakpointIds"]?.array?.first == placed[0]["id"])
    #expect(try editor.move("continue") == "breakpoint")
    #expect(try editor.here() == 7)
    #expect(try editor.move("reverseContinue") == "breakpoint")
    #expect(try editor.here() == 4)
    // The next set takes the place of the one before.
    _ = try set(editor, "/src/Notes/Editor.swift")
    #expect(try editor.move("continue") == "end")
  }

  @Test func conditionsCountsAndMessages() throws {
    let editor = try Conversation.opened([("at", .string("start"))])
    let path = "/src/Notes/Editor.swift"
    _ = try set(editor, path, [("line", .int(41)), ("condition", .string("bytes > 1200"))])
    _ = try editor.move("continue")
    #expect(try editor.here() == 7)
    _ = try set(editor, path, [("line", .int(41)), ("hitCondition", .string("2"))])
    _ = try editor.move("goto", [("targetId", .int(1))])
    _ = try editor.move("continue")
    #expect(try editor.here() == 7)
    _ = try set(editor, path, [("line", .int(41)), ("logMessage", .string("v{version}!"))])
    _ = try editor.move("goto", [("targetId", .int(1))])
    #expect(try editor.move("continue") == "end")
    #expect(editor.output.suffix(2) == ["v1!\n", "v2!\n"])
  }

  @Test func whatIsWrongIsSaidAtTheBreakpoint() throws {
    let editor = try Conversation.opened()
    let placed = try set(
      editor,
      "/src/Notes/Editor.swift",
      [("line", .int(7))],
      [("line", .int(41)), ("condition", .string("bytes > 3s"))],
      [("line", .int(41)), ("hitCondition", .string("often"))],
      [("line", .int(41)), ("logMessage", .string("{bytes >}"))]
    )
    #expect(placed.allSatisfy { $0["verified"]?.bool == false })
    let messages = placed.map { $0["message"]?.string ?? "" }
    #expect(messages[0].contains("No event comes from line 7."), "\(messages)")
    #expect(messages[0].contains("41"), "\(messages)")
    #expect(messages[1].contains("3s is a length of time"), "\(messages)")
    #expect(messages[2].contains("whole number"), "\(messages)")
  }

  @Test func functionsAreKindsNamesAndConditions() throws {
    let editor = try Conversation.opened([("at", .string("start"))])
    for (name, number) in [
      ("purge", 14), ("applicationDidEnterBackground:", 11), ("dirty && version == 2", 7),
    ] {
      let wanted = JSON.object([("name", .string(name))])
      _ = try editor.body("setFunctionBreakpoints", [("breakpoints", .array([wanted]))])
      _ = try editor.move("goto", [("targetId", .int(1))])
      #expect(try editor.move("continue") == "function breakpoint", "\(name)")
      #expect(try editor.here() == number, "\(name)")
    }
  }

  @Test func thereAreNoMoreStopsThanThePromptAllows() throws {
    let editor = try Conversation.opened()
    let wanted = JSON.object([("name", .string("dirty"))])
    let many = JSON.array(Array(repeating: wanted, count: 70))
    let placed = try editor.body("setFunctionBreakpoints", [("breakpoints", many)])["breakpoints"]
    #expect(placed?.array?.filter { $0["verified"]?.bool == true }.count == 64)
    #expect(placed?.array?.last?["message"]?.string?.contains("64 stops") == true)
  }
}
