// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceDebugger
package import LifetraceJSON
import LifetraceJudging
import LifetraceQuery
package import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A recording for editors: requests of the Debug Adapter Protocol, answered by the debugger's session.
///
///     let adapter = DebugAdapter(open: open, send: outbox.send)
///     while adapter.answer(request) { … }
///
/// It is the same player, the same stops and the same language as at the prompt; what is of this protocol
/// alone is the translation. Requests are answered on one thread, each before the next.
package final class DebugAdapter {
  /// What a client says of a recording that it wants to see.
  package struct Launch {
    /// The file; nil for the one of the command line.
    package var program: String?
    /// The profile that rules use; nil for that of the recording.
    package var profile: String?
    /// Where source files are looked for; nil for the current directory.
    package var sourceDirectory: String?
  }

  /// Opens a recording, or throws a ``Refusal``.
  package typealias Open = (Launch) throws -> (Player, DebuggerOptions)

  /// Ends what runs, from another thread.
  package struct Interruption {
    /// Whether what runs is to end.
    package var isPending: () -> Bool
    /// The requests that said so, which are answered first.
    package var take: () -> [Request]

    /// A way to end what runs.
    package init(isPending: @escaping () -> Bool, take: @escaping () -> [Request]) {
      (self.isPending, self.take) = (isPending, take)
    }
  }

  /// What comes back for a request: the body of its response, and what is done behind that.
  struct Reply {
    var body: JSON
    var then: (() -> Void)?

    init(_ pairs: [(String, JSON)] = [], then: (() -> Void)? = nil) {
      body = .object(pairs)
      self.then = then
    }
  }

  let open: Open
  private let interruption: Interruption
  private let sends: (JSON) -> Void
  private var lastSeq = 0
  /// What the client has said of itself.
  var client = Client()
  /// What is replayed, once it is launched.
  var opened: Session?
  /// Reads the rows of its tables.
  private(set) var tables = Evaluator()
  /// Threads by the numbers that the client knows.
  var threads = ThreadTable()
  /// What the client knows by number until the next stop.
  var frames: [Frame] = []
  /// The same of what can be unfolded.
  var containers: [Container] = []
  /// The stops that the client has set.
  var breakpoints = Breakpoints()
  /// What `continue` stops at, beside the stops.
  var filters: Set<ExceptionFilter> = [.error]
  /// The finding at which it stands because of that finding.
  var finding: Finding?
  private var isOver = false

  /// An adapter that says all it says to `send`, a message a call.
  package init(
    open: @escaping Open,
    interruption: Interruption = Interruption(isPending: { false }, take: { [] }),
    send: @escaping (JSON) -> Void
  ) {
    self.open = open
    self.interruption = interruption
    sends = send
  }

  /// Answers a request; false when it was the last.
  package func answer(_ request: Request, isCancelled: Bool = false) -> Bool {
    guard !isCancelled else {
      refuse(request, "cancelled")
      return true
    }
    guard let handler = Self.handlers[request.command] else {
      refuse(request, "\(Printable.line(request.command)) is not supported here.")
      return true
    }
    do {
      let reply = try withProgress(of: request) { try handler(self, request.arguments) }
      respond(to: request, success: true, [("body", reply.body)])
      if let then = reply.then { withProgress(of: request, then) }
    } catch let refusal as Refusal {
      refuse(request, refusal.message)
    } catch let error as CommandError {
      refuse(request, error.message)
    } catch is SearchInterrupted {
      answerInterruptions()
      refuse(request, "cancelled")
    } catch {
      refuse(request, "\(error)")
    }
    return !isOver
  }

  /// Says that a message was not understood; it cannot be answered.
  package func complain(_ problem: String) { say(problem, "stderr") }

  /// Ends what runs beside it.
  package func close() { opened?.close() }

  /// What a request does, by its name.
  private static let handlers: [String: @Sendable (DebugAdapter, Arguments) throws -> Reply] = [
    "initialize": { try $0.initialize($1) },
    "launch": { try $0.launch($1) },
    "configurationDone": { try $0.configured($1) },
    "disconnect": { try $0.leave($1) },
    "terminate": { try $0.leave($1) },
    "threads": { try $0.listThreads($1) },
    "stackTrace": { try $0.listFrames($1) },
    "scopes": { try $0.listScopes($1) },
    "variables": { try $0.listVariables($1) },
    "source": { try $0.showSource($1) },
    "loadedSources": { try $0.listSources($1) },
    "stepIn": { try $0.stepIn($1) },
    "next": { try $0.next($1) },
    "stepOut": { try $0.stepOut($1) },
    "stepBack": { try $0.stepBack($1) },
    "continue": { try $0.goOn($1) },
    "reverseContinue": { try $0.goBack($1) },
    "pause": { try $0.pause($1) },
    "cancel": { try $0.cancel($1) },
    "gotoTargets": { try $0.listTargets($1) },
    "goto": { try $0.goTo($1) },
    "setBreakpoints": { try $0.setSourceBreakpoints($1) },
    "setFunctionBreakpoints": { try $0.setFunctionBreakpoints($1) },
    "setDataBreakpoints": { try $0.setDataBreakpoints($1) },
    "dataBreakpointInfo": { try $0.describeDataBreakpoint($1) },
    "setExceptionBreakpoints": { try $0.setExceptionBreakpoints($1) },
    "exceptionInfo": { try $0.describeException($1) },
    "evaluate": { try $0.evaluate($1) },
    "completions": { try $0.complete($1) },
  ]

  /// The session; refused before there is one.
  func session() throws -> Session {
    guard let opened else { throw Refusal("No recording is open yet: launch comes first.") }
    return opened
  }

  private func leave(_ arguments: Arguments) throws -> Reply {
    isOver = true
    return Reply { [self] in event("terminated") }
  }

  // MARK: - Sending

  private func respond(to request: Request, success: Bool, _ rest: [(String, JSON)]) {
    send(
      "response",
      [
        ("request_seq", .int(request.seq)), ("success", .bool(success)),
        ("command", .string(request.command)),
      ] + rest
    )
  }

  private func refuse(_ request: Request, _ message: String) {
    // Braces of a format stand for variables.
    let format = message.replacing("{", with: "(").replacing("}", with: ")")
    let error = JSON.object([
      ("id", .int(1)), ("format", .string(format)), ("showUser", .bool(message != "cancelled")),
    ])
    respond(
      to: request,
      success: false,
      [("message", .string(message)), ("body", .object([("error", error)]))]
    )
  }

  /// Says that something has happened.
  func event(_ name: String, _ body: [(String, JSON)] = []) {
    send("event", [("event", .string(name))] + (body.isEmpty ? [] : [("body", .object(body))]))
  }

  /// Shows a text in the client's console.
  func say(_ text: String, _ category: String = "console", _ rest: [(String, JSON)] = []) {
    guard !text.isEmpty else { return }
    event(
      "output",
      [("category", .string(category)), ("output", .string(text + "\n"))] + rest
    )
  }

  private func send(_ type: String, _ members: [(String, JSON)]) {
    lastSeq += 1
    sends(.object([("seq", JSON(lastSeq)), ("type", .string(type))] + members))
  }

  // MARK: - Interruption

  /// Answers what has interrupted a search, before the client hears how it ended.
  func answerInterruptions() {
    for request in interruption.take() {
      respond(to: request, success: true, [("body", .object([]))])
    }
  }

  /// Lets the client see how far a request is, once it takes long.
  private func withProgress<Answer>(of request: Request, _ body: () throws -> Answer) rethrows
    -> Answer
  {
    let id = Inbox.progressID(of: request.seq)
    let progress = Progress(id, of: request.seq, isHeard: client.hearsProgress) {
      // The session hears of it, and belongs to the adapter.
      [unowned self] in
      event($0, $1)
    }
    opened?.player.isInterrupted = interruption.isPending
    hear(progress)
    defer { progress.end() }
    return try body()
  }

  /// Has the session say to `progress` how far it is.
  func hear(_ progress: Progress) {
    self.progress = progress
    guard let opened else { return }
    opened.hearsProgress = progress.show
    opened.player.progress = { [count = opened.player.timeline.count] in
      progress.show("Searching", $0, count)
    }
  }

  private var progress: Progress?

  /// Takes a recording, and has what runs on it be interrupted and heard of as other work.
  func take(_ session: Session) {
    opened = session
    tables = Evaluator()
    session.player.isInterrupted = interruption.isPending
    if let progress { hear(progress) }
  }
}
