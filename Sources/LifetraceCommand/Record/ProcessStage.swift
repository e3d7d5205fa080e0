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
  /// Where the next play is recorded; what is there is replaced.
  var path: String
  /// What programs that know nothing of lifetrace are observed by; nil for nothing.
  var observation: Observation?
  var redactions: [Redaction] = []
  /// What the apps print to stdout is recorded too.
  var capturesOutput = false
  /// The files that apps leave are looked at before each launch.
  var looksAtFiles = false
  /// Where they print it else: standard output is the command's own answer, which programs read.
  var output: Int32 = STDERR_FILENO
  private(set) var notices: [String] = []

  init(command: [String], profile: Profile?, path: String) {
    (self.command, self.profile, self.path) = (command, profile, path)
  }

  /// Other processes, other times.
  var isDeterministic: Bool { false }

  /// How often a wait looks whether the play is over, in nanoseconds.
  private static let lookEach: Int64 = 50_000_000

  mutating func play(_ scenario: Scenario, until isOver: (@Sendable () -> Bool)?) throws
    -> StagedLife
  {
    unlink(path)
    var options = RecorderOptions(output: path)
    options.observation = observation
    options.redactions = redactions
    if let profile { options.profile = profile.name }
    ScenarioHost.prepare(&options, for: scenario)
    let recorder = try Recorder(options)
    try recorder.start()
    let report: ScenarioReport
    let files: [[String: [UInt8]]]
    do {
      let host = try ScenarioHost(
        scenario: scenario,
        command: command,
        recorder: recorder,
        profile: profile,
        capturesOutput: capturesOutput
      )
      host.sendOutput(to: output)
      if looksAtFiles { host.lookAtFiles() }
      host.limit = isOver.map { PlayLimit(lookEach: Self.lookEach, isOver: $0) }
      notices = host.notices
      (report, files) = try host.play(reading: observation?.patterns ?? [])
    } catch {
      _ = try? recorder.stop()
      throw error
    }
    _ = try recorder.stop()
    var life = try StagedLife(TraceReader(path: path), report)
    life.files = files
    return life
  }
}

extension StagedLife {
  /// All events of a recording.
  init(_ reader: TraceReader, _ report: ScenarioReport) throws {
    var writers: [MemorySource.Writer] = []
    for stream in reader.streams {
      var events: [Event] = []
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
      writers.append(
        MemorySource.Writer(id: stream.writer, attributes: stream.attributes, events: events)
      )
    }
    self.init(names: reader.names, writers: writers, report: report, file: reader.path)
  }
}
