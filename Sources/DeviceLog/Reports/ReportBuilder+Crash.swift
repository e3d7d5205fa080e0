// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace

/// A crash report as facts: the launch it was killed in, or the deadline that it missed, its state, its
/// end.
///
/// What the process did between its launch and that is not known: only a launch that never ended is
/// known from its begin on.
extension ReportBuilder {
  mutating func add(_ report: CrashReport) throws(ReportProblem) -> String {
    guard let ended = report.ended else { return "" }
    setZone(ended)
    setSystem(report.system)
    let writer = process(report.process.isEmpty ? report.bundle : report.process, report.pid)
    let bundle = name(report.bundle)

    func fact(_ pattern: LogPattern, _ text: String = "", _ other: String = "") -> LogFact {
      var fact = LogFact(pattern)
      fact.bundle = bundle
      fact.pid = report.pid
      fact.line = report.line
      fact.text = name(text)
      fact.other = name(other)
      return fact
    }

    let end = ended.time
    let launch = report.launched.map { min($0.time, end) }
    if report.isLaunch, let launch {
      add(fact(.reportLaunch, report.version), writer, at: launch)
    } else if let watchdog = report.watchdog {
      let begin = max(launch ?? .min, end - (report.allowance ?? 0))
      add(
        fact(.reportWatchdog, watchdog, report.watchdogVisibility ?? report.visibility ?? ""),
        writer,
        at: begin
      )
    }
    if let permitted = report.permitted {
      var held = fact(.reportTask, report.assertion)
      held.a = permitted
      add(held, writer, at: max(launch ?? .min, end - permitted - LogLife.permittedBlur))
    }
    add(
      fact(.reportState, report.isSuspended ? "Suspended" : report.visibility ?? ""),
      writer,
      at: end
    )
    for text in remarks(report, end) { add(fact(.reportFact, text), writer, at: end) }
    var exit = fact(.reportEnd, report.namespace.lowercased())
    exit.a = report.domain
    exit.b = Int64(bitPattern: report.code ?? 0)
    if report.permitted != nil, report.code != TerminationCode.backgroundTask {
      // Before iOS 13 the code was that of every watchdog; the words say which it was.
      (exit.a, exit.b, exit.text) = (0, 0, name("background-task-timeout"))
    } else if report.code == nil, let signal = report.signal {
      (exit.a, exit.b, exit.text) = (2, signal, name("signal"))
    }
    add(exit, writer, at: end)
    return "a crash report"
  }

  /// What a person wants to read beside the end.
  private func remarks(_ report: CrashReport, _ end: Int64) -> [String] {
    var out: [String] = []
    if let launched = report.launched, !report.isLaunch {
      out.append("launched \(Quantity.duration(max(0, end - launched.time))) before")
    }
    if !report.exception.isEmpty { out.append("exception: \(report.exception)") }
    if let watchdog = report.watchdog {
      let limit = report.allowance.map { " of \(Quantity.duration($0))" } ?? ""
      out.append("watchdog \(watchdog): its allowance\(limit) is used up")
    } else if !report.namespace.isEmpty {
      let code = report.code.map { " 0x" + String($0, radix: 16) } ?? ""
      out.append("termination: \(report.namespace)\(code) \(report.explanation)")
    }
    if let cpu = report.explanation.cut(at: "Elapsed application CPU time (seconds): ")?.behind {
      let seconds = cpu.prefix { $0.isNumber || $0 == "." }
      out.append("the app computed for \(seconds) s of that time")
    }
    if !report.frames.isEmpty {
      out.append("thread \(report.thread): " + report.frames.joined(separator: " < "))
    }
    return out
  }
}
