// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetracePlatform
import LifetraceScenario
import LifetraceProcessWorld
import LifetraceReplay
import LifetraceRecorder
import LifetraceReports
import LifetraceRules
import LifetraceTraceFile
import LifetraceTrace

/// Plays a scenario file with the processes of the command.
struct ScenarioPlayer {
  var scenario: Scenario
  var file: String
  /// What the apps print to stdout is recorded too.
  var capturesOutput: Bool
  /// As `lifetrace check` judges here, the profile being the one that is played.
  var judgement: Judgement

  /// Plays it to the end; the trace that is judged then is `recording`.
  func play(_ recorder: Recorder, _ command: [String], recording path: String) -> PlayedScenario {
    do {
      let host = try ScenarioHost(
        scenario: scenario,
        command: command,
        recorder: recorder,
        profile: judgement.profile,
        capturesOutput: capturesOutput
      )
      for notice in host.notices { Failure.say(notice) }
      if !host.notices.isEmpty { Failure.say("lifetrace doctor says how to mend that") }
      if let bytes = host.scenarioLeftOut {
        Failure.say(
          "the recording has no room for the scenario: it is \(Quantity.bytes(bytes)) as it is kept, and "
            + "\(Quantity.bytes(UInt64(KeptScenario.bytesMax))) are the most. To play it again: "
            + "lifetrace rerun \(CommandText.file(path)) --scenario \(CommandText.file(file)) -- CMD"
        )
      }
      // A log without a terminal needs them most: no user saw the app die.
      host.onNotice { [file] in
        Failure.say("\(Printable.line(file)):\($0.line):\($0.column): \($1)")
      }
      if isatty(STDERR_FILENO) == 1 {
        host.onWait { [file] in
          Failure.say("\(Printable.line(file)):\($0.line):\($0.column): \($1)")
        }
      }
      let report = try host.play()
      let code = complain(of: report.failures)
      return PlayedScenario(code: code) { judge(report, recording: path, code: code) }
    } catch {
      Failure.say("\(error)")
      return PlayedScenario(code: 125) { 125 }
    }
  }

  /// What the scenario expects of the verdicts; the exit code, given the one so far.
  private func judge(_ report: ScenarioReport, recording path: String, code: Int32) -> Int32 {
    guard !report.judgedLater.isEmpty, code != 125 else { return code }
    do throws(TraceFileError) {
      let recording = try JoinedTraces([try TraceReader(path: path)])
      let found = CheckFacts(recording, by: judgement, named: path)
      var judged = report
      judged.failures = []
      judged.judge(found.verdicts, labels: found.writers.map(\.label))
      return max(code, complain(of: judged.failures))
    } catch {
      Failure.say("the expectations about violations were not judged: \(error.description)")
      return 125
    }
  }

  private func complain(of failures: [ScenarioProblem]) -> Int32 {
    for failure in failures { Failure.say(failure.text(file: file)) }
    return failures.isEmpty ? 0 : 1
  }
}
