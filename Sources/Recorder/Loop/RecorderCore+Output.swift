// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

// The trace's path: others may do what they like there, and the recording is not to go with it.
extension RecorderCore {
  static var outputLookInterval: Int64 { 1_000_000_000 }

  /// Says once what became of the file, as long as something can be done about it.
  func lookAtOutput(_ now: HostTime) {
    guard now.rawValue >= lookAtOutputAt else { return }
    lookAtOutputAt = now.rawValue + Self.outputLookInterval
    let place = store.place()
    defer { outputPlace = place }
    guard place != outputPlace else { return }
    let path = store.path
    switch place {
    case .here: break
    case .gone:
      reportProblem(
        "\(path): was removed while recording; at the end it is written again, until then all of "
          + "it goes with the recorder"
      )
    case .replaced:
      reportProblem(
        "\(path): another file stands there now; that one stays, unless it is a copy of the "
          + "recording, and at the end the recording is written beside it"
      )
    case .moved(let now): reportProblem("\(path): was moved; recording goes on in \(now)")
    case .shorter(let bytes):
      // Each new chunk makes it longer again, with a hole.
      if case .shorter = outputPlace { return }
      reportProblem(
        "\(path): was cut to \(Quantity.bytes(bytes)) of \(Quantity.bytes(store.bytes)) by another "
          + "program; the events behind that are lost"
      )
    }
  }

  /// What others keep leaves the file; where that fails, for want of room say, it stays for later.
  func releaseKept(_ now: HostTime) {
    guard options.custody != nil, now.rawValue >= releaseAt else { return }
    releaseAt = now.rawValue + Self.releaseInterval
    do throws(TraceFileError) {
      try store.releaseKept()
    } catch {
      releaseAt = now.rawValue + Self.releaseInterval * 100
      reportProblem("\(error)\n  What the collector has stays in the file until there is room.")
    }
  }

  private static var releaseInterval: Int64 { 100_000_000 }

  /// Before the last chunks are written, so that they are written to a file that has a name.
  func bringBackOutput() throws(RecorderError) {
    let path = store.path
    guard let whereabouts = try holdUntilBroughtBack() else {
      // In the session by now, where a successor finds it.
      try session.redirect(to: store.path)
      return
    }
    // Should the end fail, a successor goes on with the same file.
    if store.path != path { try? session.redirect(to: store.path) }
    let count = Quantity.bytes(store.bytes)
    switch whereabouts {
    case .inPlace: break
    case .writtenAgain:
      summary.remarks.append(
        "\(path): was removed or replaced by a copy while recording; \(count) were written again"
      )
    case .moved:
      summary.isAsAsked = false
      summary.remarks.append("\(path): was moved while recording; the recording is \(store.path)")
    case .beside:
      summary.isAsAsked = false
      summary.remarks.append(
        "\(path): is another file by now, which is left as it is; the recording is \(store.path)"
      )
    }
  }

  /// Only the open file has the recording: it is held until there is room for another, for as long
  /// as was asked, or until the wait is ended.
  private func holdUntilBroughtBack() throws(RecorderError) -> TraceWhereabouts? {
    var seconds = 0
    while true {
      do throws(RecorderError) {
        return try store.bringBack(orInto: session.path)
      } catch {
        guard seconds < options.holdSecondsMax else {
          throw lost(error)
        }
        if seconds == 0 {
          // Signals heard before this was said are not about it.
          while exchange.holdEnd.wait(timeout: .now()) == .success {}
          let limit = Quantity.count(options.holdSecondsMax, "second")
          reportProblem(
            "\(error)\n  No file has the recording any more: it is held open for \(limit), and "
              + "written as soon as it can be; Ctrl-C or SIGTERM gives it up\n"
              + "  To take it out: cp \(store.openPath) OUT"
          )
        }
        seconds += 1
        if exchange.holdEnd.wait(timeout: .now() + 1) == .success {
          throw lost(error, isGivenUp: true)
        }
      }
    }
  }

  private func lost(_ cause: RecorderError, isGivenUp: Bool = false) -> RecorderError {
    .traceLost(
      session: session.path,
      trace: options.output,
      cause: cause,
      isGivenUp: isGivenUp
    )
  }

  /// The message where the recording could not be ended.
  ///
  /// Before that, a trace without a name is given one, since it would go with this process.
  func failure(after error: RecorderError) throws(RecorderError) -> RecorderError {
    switch error {
    case .traceKept, .traceLost: return error
    default: break
    }
    guard !isDiscarded else { return error }
    try bringBackOutput()
    for remark in summary.remarks { reportProblem(remark) }
    guard Leftovers.isKept(store.path, in: session.path) else { return error }
    return .traceKept(session: session.path, trace: options.output, cause: error)
  }

  private static var finishAttemptsMax: Int { 3 }

  /// Ends the file; the summary describes what can be read at its path then.
  func finishOutput() throws(RecorderError) {
    var check = try store.finish(end: true)
    for _ in 1..<Self.finishAttemptsMax where store.place() != .here {
      // Another process took the path in the last moment.
      try bringBackOutput()
      check = try store.finish(end: true)
    }
    // A copy that was to take its place, and neither did nor could be removed.
    summary.remarks += Leftovers.tidyOwnCopy(of: store.path)
    summary.output = store.path
    summary.gone = check.eventsMissing
    if summary.elsewhere > 0 {
      summary.isAsAsked = false
      summary.remarks.append(
        "\(store.path): \(Quantity.count(summary.elsewhere, "event")) that the killed recorder had "
          + "written cannot be found in it: its file was moved, replaced or cut\n"
          + "  Where another file has them: lifetrace merge THAT \(store.path) -o OUT"
      )
    }
    if let problem = check.problem {
      summary.isAsAsked = false
      summary.remarks.append(
        "\(store.path): \(problem); another program has written to it\n"
          + "  What is readable: lifetrace verify \(store.path)   to keep that: lifetrace repair "
          + "\(store.path) -o OUT"
      )
    }
    if let unopened = check.unopened {
      summary.isAsAsked = false
      let extent = check.problem == nil ? "all of it was written" : "what can be was written"
      summary.remarks.append("\(unopened); \(extent), and it still has its name")
    }
    guard !Leftovers.isKept(store.path, in: session.path) else {
      let cause = store.problem.map { RecorderError.file(path: options.output, causes: [$0]) }
      throw .traceKept(session: session.path, trace: options.output, cause: cause)
    }
    store.giveUpReplaced()
  }
}

/// Where a trace is written that a user has named; refused is what is no file.
package func resolvedOutput(_ path: String) throws(RecorderError) -> String {
  do throws(TraceFileError) {
    return try TracePath.resolve(absolutePath(path))
  } catch {
    throw .file(path: path, causes: [error])
  }
}
