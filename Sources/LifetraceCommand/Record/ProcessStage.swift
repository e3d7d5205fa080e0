// SPDX-License-Identifier: GPL-3.0-or-later
import CLifetracePlatform
import LifetraceExplore
import LifetraceLifecycle
import LifetracePlatform
import LifetraceProcessWorld
import LifetraceRecorder
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile

/// Plays scenarios with the processes of a command, each into a recording of its own.
struct ProcessStage: Stage {
  let command: [String]
  let profile: Profile?
  /// Where the recordings are; the last one alone stays.
  let folder: String
  private var number = 0
  private(set) var notices: [String] = []

  init(command: [String], profile: Profile?, folder: String) {
    (self.command, self.profile, self.folder) = (command, profile, folder)
  }

  /// Other processes, other times.
  var isDeterministic: Bool { false }

  mutating func play(_ scenario: Scenario) throws -> StagedLife {
    unlink(path)
    number += 1
    var options = RecorderOptions(output: path)
    if let profile { options.profile = profile.name }
    ScenarioHost.prepare(&options, for: scenario)
    let recorder = try Recorder(options)
    try recorder.start()
    let report: ScenarioReport
    do {
      let host = try ScenarioHost(
        scenario: scenario,
        command: command,
        recorder: recorder,
        profile: profile
      )
      notices = host.notices
      report = try host.play()
    } catch {
      _ = try? recorder.stop()
      throw error
    }
    _ = try recorder.stop()
    return try read(report)
  }

  /// The recording of the last play.
  var path: String { "\(folder)/play-\(number).lifetrace" }

  private func read(_ report: ScenarioReport) throws -> StagedLife {
    let reader = try TraceReader(path: path)
    var writers: [MemorySource.Writer] = []
    for stream in reader.streams {
      var events: [Event] = []
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
      writers.append(
        MemorySource.Writer(id: stream.writer, attributes: stream.attributes, events: events)
      )
    }
    return StagedLife(names: reader.names, writers: writers, report: report, file: path)
  }
}
