// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension DebugAdapter {
  /// What this adapter can do; the client offers no more.
  private static let capabilities: [(String, JSON)] =
    [
      "supportsConfigurationDoneRequest", "supportsStepBack", "supportsSteppingGranularity",
      "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
      "supportsHitConditionalBreakpoints", "supportsLogPoints", "supportsDataBreakpoints",
      "supportsGotoTargetsRequest", "supportsEvaluateForHovers", "supportsCompletionsRequest",
      "supportsExceptionInfoRequest", "supportsLoadedSourcesRequest", "supportsCancelRequest",
      "supportsDelayedStackTraceLoading", "supportsTerminateRequest",
    ].map { ($0, .bool(true)) } + [
      ("completionTriggerCharacters", .array([.string(" "), .string("."), .string("#")])),
      ("exceptionBreakpointFilters", .array(ExceptionFilter.allCases.map(\.json))),
    ]

  func initialize(_ arguments: Arguments) throws -> Reply {
    client = Client(arguments)
    return Reply(Self.capabilities)
  }

  /// Opens the recording; the client may say then where to stop.
  func launch(_ arguments: Arguments) throws -> Reply {
    guard opened == nil else { throw Refusal("A recording is open already.") }
    let wanted = Launch(
      program: arguments.text("program"),
      profile: arguments.text("profile"),
      sourceDirectory: arguments.text("sourceDir")
    )
    let (player, options) = try open(wanted)
    guard !player.timeline.streams.isEmpty else {
      throw Refusal("\(Printable.line(options.title)) holds no events: there is nothing to replay.")
    }
    let session = Session(player, options)
    take(session)
    do {
      let greeting = session.open(options)
      if let place = arguments.text("at") { try session.go(to: place) }
      return Reply { [self] in
        for line in greeting { say(line) }
        event("initialized")
      }
    } catch {
      opened = nil
      throw error
    }
  }

  /// The client has set its stops: it is told where it stands.
  func configured(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    return Reply { [self] in
      finding = session.player.violation
      stopped(finding == nil ? .at("entry") : .at("exception"))
    }
  }
}

/// What `continue` stops at beside the stops: what rules say, by how grave it is.
enum ExceptionFilter: String, CaseIterable {
  case error, warning, info, undecidable

  var json: JSON {
    let (label, description) =
      switch self {
      case .error: ("Errors", "Rules broken: data loss, a kill, a recording that cannot be")
      case .warning: ("Warnings", "Rules broken that a user might notice")
      case .info: ("Remarks", "Rules broken without harm")
      case .undecidable: ("Undecidable", "Places where missing events leave a rule open")
      }
    return .object([
      ("filter", .string(rawValue)), ("label", .string(label)),
      ("description", .string(description)), ("default", .bool(self == .error)),
    ])
  }
}
