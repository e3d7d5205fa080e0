// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetracePlatform
import LifetraceScenario
import LifetraceProcessWorld
import LifetraceReplay
import LifetraceRecorder
import LifetraceRules
import LifetraceTraceFile
import LifetraceTrace

/// Runs what is to be recorded in place of the plain command.
protocol ScenarioDriver {
  /// Plays it to the end; the exit code of the recording so far.
  mutating func run(recorder: Recorder, command: [String]) -> Int32
  /// Judges what was recorded, once it is in the file: the exit code of the recording, given the one so far.
  func judge(recording path: String, code: Int32) -> Int32
}

/// Plays a scenario file with the processes of the command.
struct ScenarioPlayer: ScenarioDriver {
  var scenario: Scenario
  var file: String
  /// As `lifetrace check` judges here, the profile being the one that is played.
  var judgement: Judgement
  private var report = ScenarioReport()

  init(scenario: Scenario, file: String, judgement: Judgement) {
    self.scenario = scenario
    self.file = file
    self.judgement = judgement
  }

  mutating func run(recorder: Recorder, command: [String]) -> Int32 {
    do {
      let host = try ScenarioHost(
        scenario: scenario,
        command: command,
        recorder: recorder,
        profile: judgement.profile
      )
      for notice in host.notices { Failure.say(notice) }
      // A log without a terminal needs them most: nobody saw the app die.
      host.onNotice { [file] in
        Failure.say("\(Printable.line(file)):\($0.line):\($0.column): \($1)")
      }
      if isatty(STDERR_FILENO) == 1 {
        host.onWait { [file] in
          Failure.say("\(Printable.line(file)):\($0.line):\($0.column): \($1)")
        }
      }
      report = try host.play()
      return complain(of: report.failures)
    } catch {
      Failure.say("\(error)")
      return 125
    }
  }

  func judge(recording path: String, code: Int32) -> Int32 {
    guard !report.judgedLater.isEmpty, code != 125 else { return code }
    do throws(TraceFileError) {
      let recording = try JoinedTraces([try TraceReader(path: path)])
      let found = judgement.report(of: recording).report
      var judged = report
      judged.failures = []
      judged.judge(found.verdicts, labels: found.labels)
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
