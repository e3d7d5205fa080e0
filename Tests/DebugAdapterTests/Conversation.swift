// SPDX-License-Identifier: Apache-2.0
import LifetraceDebugger
import LifetraceInterop
import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugAdapter

/// A client in the process of the test: what it asks, and what it hears.
final class Conversation {
  /// Everything that was heard, in order.
  private(set) var heard: [JSON] = []
  /// What interrupts the next search, once.
  var isInterrupted = false
  private var lastSeq: Int64 = 0
  private var adapter: DebugAdapter?
  /// What walks through the recording, for as long as the adapter keeps it.
  private(set) weak var player: Player?

  /// A conversation about a story of `Traces`; nothing is said yet.
  convenience init(story: String = "Traces/DS02-broken/story.txt") throws {
    self.init(text: try #require(Golden.text(story)))
  }

  /// A conversation about a story; nothing is said yet.
  init(text: String) {
    adapter = DebugAdapter(
      open: { [unowned self] launch in
        if launch.program == "nowhere" { throw Refusal("nowhere is no file.") }
        var options = DebuggerOptions(title: "story")
        options.sourceDirectory = launch.sourceDirectory ?? Golden.root + "/Traces"
        let player = Player(Timeline(try Story.parse(text).source))
        self.player = player
        return (player, options)
      },
      interruption: DebugAdapter.Interruption(
        isPending: { [unowned self] in isInterrupted },
        take: { [unowned self] in
          isInterrupted = false
          return []
        }
      )
    ) { [unowned self] in heard.append($0) }
  }

  /// The editor is gone.
  func close() {
    adapter?.close()
    adapter = nil
  }

  /// The same where an editor has opened it, and stops were to be set.
  static func opened(_ launch: [(String, JSON)] = []) throws -> Conversation {
    try Conversation().opened(launch)
  }

  /// Opens it as an editor does.
  func opened(_ launch: [(String, JSON)] = []) -> Conversation {
    let conversation = self
    conversation.ask("initialize")
    conversation.ask("launch", launch)
    conversation.ask("setExceptionBreakpoints", [("filters", .array([]))])
    conversation.ask("configurationDone")
    return conversation
  }

  /// Asks, and gives the response.
  @discardableResult
  func ask(_ command: String, _ arguments: [(String, JSON)] = []) -> JSON {
    lastSeq += 1
    let message = JSON.object([
      ("seq", .int(lastSeq)), ("type", .string("request")), ("command", .string(command)),
      ("arguments", .object(arguments)),
    ])
    guard let adapter, let request = Request(message) else { return .null }
    _ = adapter.answer(request)
    return heard.last { $0["request_seq"]?.int == lastSeq } ?? .null
  }

  /// The body of a response that must be a success.
  func body(_ command: String, _ arguments: [(String, JSON)] = []) throws -> JSON {
    let response = ask(command, arguments)
    try #require(response["success"]?.bool == true, "\(response.text)")
    return response["body"] ?? .null
  }

  /// What is wrong with a request that must be refused.
  func refusal(_ command: String, _ arguments: [(String, JSON)] = []) -> String? {
    let response = ask(command, arguments)
    return response["success"]?.bool == false ? response["message"]?.string : nil
  }

  /// Why it stands where it stands, as it was told last.
  var stopped: JSON {
    heard.last { $0["event"]?.string == "stopped" }?["body"] ?? .null
  }

  /// Moves, and says why it stands then.
  func move(_ command: String, _ arguments: [(String, JSON)] = []) throws -> String? {
    let count = heard.count
    _ = try body(command, arguments)
    let events = heard[count...].map { $0["event"]?.string ?? $0["type"]?.string ?? "" }
    // The response comes first, and one `stopped` last.
    #expect(events.first == "response" && events.last == "stopped", "\(events)")
    return stopped["reason"]?.string
  }

  /// The stack of the thread that stands.
  func frames() throws -> [JSON] {
    let thread = try #require(stopped["threadId"])
    return try body("stackTrace", [("threadId", thread)])["stackFrames"]?.array ?? []
  }

  /// The number of the event on which it stands.
  func here() throws -> Int? {
    let name = try #require(try frames().last?["name"]?.string)
    return name.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  /// The variables of a scope of the frame on top.
  func scope(_ name: String) throws -> (reference: JSON, variables: [JSON]) {
    let frame = try #require(try frames().first?["id"])
    let scopes = try body("scopes", [("frameId", frame)])["scopes"]?.array ?? []
    let scope = try #require(scopes.first { $0["name"]?.string == name })
    let reference = try #require(scope["variablesReference"])
    return (reference, try variables(reference))
  }

  func variables(_ reference: JSON) throws -> [JSON] {
    try body("variables", [("variablesReference", reference)])["variables"]?.array ?? []
  }

  /// What the console was told.
  var output: [String] {
    heard.filter { $0["event"]?.string == "output" }.compactMap { $0["body"]?["output"]?.string }
  }
}
