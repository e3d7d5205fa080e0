// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceProcessWorld
import LifetraceRecorder
import LifetraceScenario
import LifetraceTrace

/// The main job, small: an app is recorded while it is suspended and purged, and its loss is known.
///
/// It is played with all that a scenario may ask of a machine; where that fails, with the least.
enum RecordingTrial {
  /// The finding that says whether apps can be recorded.
  static let name = "recording"

  private static let steps = """
    app: notes
    steps:
      - launch
      - tell: {edit: "What the doctor wrote."}
      - home
      - purge
      - relaunch
      - reboot

    """
  private static let everything = "disk: 8MiB\nsuspend-by: freezer\n"

  /// What one play of it has shown.
  private struct Played {
    var summary: RecordingSummary
    var whyNoFreezer: String?
    var whyPlainDisk: String?
    var session: Finding
  }

  /// The scenario was not played, and why.
  private struct Failed: Error { var why: String }

  static func run(app: [String]) -> [Finding] {
    do throws(Failed) {
      let played = try play(everything + steps, app)
      return [
        finding(played), played.session, freezer(played.whyNoFreezer), disk(played.whyPlainDisk),
      ]
    } catch {
      let first = error.why
      do throws(Failed) {
        let played = try play(steps, app)
        return [finding(played), played.session, freezer(first), disk(first)]
      } catch {
        let seen = error.why == first ? first : "\(error.why); and with a disk: \(first)"
        return [
          .missing(
            name,
            seen,
            without: "nothing can be recorded",
            mend: "the place for the session and for the file must be writable: set TMPDIR"
          )
        ]
      }
    }
  }

  private static func play(_ text: String, _ app: [String]) throws(Failed) -> Played {
    let place = (environment("TMPDIR") ?? "/tmp") + "/lifetrace-doctor.XXXXXX"
    var bytes = place.utf8CString.map { $0 }
    guard mkdtemp(&bytes) != nil else { throw Failed(why: "\(place): \(errnoText(errno))") }
    let folder = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { cplatform_remove_tree(folder) }
    do {
      let scenario = try Scenario(parsing: text, file: "doctor.yml")
      var options = RecorderOptions(output: folder + "/doctor.lifetrace")
      ScenarioHost.prepare(&options, for: scenario)
      let recorder = try Recorder(options)
      try recorder.start()
      let session = sessionFinding(recorder.sessionDirectory)
      let (whyPlainDisk, report) = try played(scenario, app, recorder)
      let summary = try recorder.stop()
      if let failure = report.failures.first { throw Failed(why: failure.text(file: "doctor.yml")) }
      return Played(
        summary: summary,
        whyNoFreezer: recorder.whyNoFreezer,
        whyPlainDisk: whyPlainDisk,
        session: session
      )
    } catch {
      throw (error as? Failed) ?? Failed(why: "\(error)")
    }
  }

  /// What the host cannot play leaves no recorder behind.
  private static func played(_ scenario: Scenario, _ app: [String], _ recorder: Recorder) throws
    -> (whyPlainDisk: String?, report: ScenarioReport)
  {
    do {
      let host = try ScenarioHost(scenario: scenario, command: app, recorder: recorder)
      return (host.whyPlainDisk, try host.play())
    } catch {
      recorder.discard()
      throw error
    }
  }

  private static func finding(_ played: Played) -> Finding {
    let summary = played.summary
    let processes = Quantity.count(summary.processes, "process")
    let seen = "\(processes), \(Quantity.count(summary.events, "event"))"
    guard summary.processes == 2, summary.losses == 0, summary.unsavedObjects == 1 else {
      return .missing(
        name,
        "an app that lost an edit was recorded with \(seen), \(summary.losses) lost, "
          + Quantity.count(summary.unsavedObjects, "lost edit"),
        without: "recordings made here miss what happened",
        mend: "lifetrace demo shows more; the lines below may say why"
      )
    }
    return .good(name, "an app was suspended and purged: \(seen), none lost, its lost edit found")
  }

  /// Where the session was made, and the room there is.
  private static func sessionFinding(_ directory: String) -> Finding {
    let name = "session"
    let place = directory.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    var facts = statvfs()
    let free = statvfs(directory, &facts) == 0 ? UInt64(facts.f_bavail) * UInt64(facts.f_frsize) : 0
    let room = "\(Quantity.bytes(free)) free"
    guard cplatform_is_in_memory(directory) == 1 else {
      return .limited(
        name,
        "\(place) is no memory (tmpfs), \(room)",
        without: "events are first written to a file system that may be slow",
        mend: "mount a tmpfs at /dev/shm, or name one in XDG_RUNTIME_DIR"
      )
    }
    guard free >= 2 * RecorderOptions(output: "").poolBytesMax else {
      return .limited(
        name,
        "\(place) (tmpfs), \(room)",
        without:
          "apps that emit fast for long, or many of them, drop events, which the recording counts",
        mend:
          "more shared memory, in a container --shm-size=1g; or another place in XDG_RUNTIME_DIR"
      )
    }
    return .good(name, "\(place) (tmpfs), \(room)")
  }

  private static func freezer(_ why: String?) -> Finding {
    guard let why else {
      return .good("freezer", "the app was suspended with its cgroup frozen (suspend-by: freezer)")
    }
    return .limited(
      "freezer",
      why,
      without: "`suspend-by: freezer` stops the app by SIGSTOP, and not what it has forked",
      mend:
        "record as root, or where a cgroup is yours: systemd-run --user --scope -p Delegate=yes …"
    )
  }

  private static func disk(_ why: String?) -> Finding {
    guard let why else {
      return .good("disk", "the app had an ext4 on a loop device, whose power was cut")
    }
    return .limited(
      "disk",
      why,
      without: "`disk` is a directory: what was not synced survives a reboot",
      mend: "record as root, with e2fsprogs and /dev/loop-control (in a container --privileged)"
    )
  }
}
