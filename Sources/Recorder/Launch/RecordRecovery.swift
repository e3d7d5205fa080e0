// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// Brings in what interrupted recordings have left.
package struct RecordRecovery {
  /// Session directories; when empty, all of this user that were begun with this XDG_RUNTIME_DIR.
  let sessions: [String]
  /// A new file for what one session has left; nil to go on with its own.
  let output: String?
  /// Reports to the user what was found, and what goes wrong.
  let say: (String) -> Void

  package init(sessions: [String], output: String?, say: @escaping (String) -> Void) {
    self.sessions = sessions
    self.output = output
    self.say = say
  }

  private static let heard = [SIGINT, SIGTERM, SIGHUP]

  /// Goes on until what still lives has ended; the exit code.
  package func run() -> Int32 {
    defer { tidyGroups() }
    let found = sessions.isEmpty ? orphans() : sessions
    if found.isEmpty {
      say("no interrupted recording was found")
      return 0
    }
    guard output == nil || found.count == 1 else {
      say("--output takes one session, and there are \(found.count): name one")
      return 64
    }
    let heard = cplatform_signal_fd(Self.heard, Int32(Self.heard.count))
    defer { close(heard) }
    var code: Int32 = 0
    var brought = 0
    for session in found {
      if SessionDirectory.removeHusk(session) {
        say("\(session): removed, no recording was left in it")
        brought += 1
        continue
      }
      do throws(RecorderError) {
        let recorder = try Recorder(adopting: session, output: output)
        try recorder.start()
        waitForLiving(recorder, heard)
        let summary = try recorder.stop(hearing: heard)
        for line in summary.lines(path: summary.output) { say(line) }
        if !summary.isAsAsked { code = 125 }
        for left in Leftovers.tidy(beside: summary.output) { say(left) }
        brought += 1
      } catch {
        say("\(error)")
        // One that needs a name was not asked for: it must not turn those that were brought in into
        // a failure.
        if !sessions.isEmpty || !Self.wantsOutput(error) { code = 125 }
      }
    }
    return brought == 0 ? 125 : code
  }

  /// Those that were begun in these surroundings; another process may be in charge of others.
  private func orphans() -> [String] {
    SessionDirectory.removeHusks()
    let (own, others) = SessionDirectory.orphansByRuntime()
    for session in others {
      say(
        """
        \(session): an interrupted recording that was begun with another XDG_RUNTIME_DIR
          To bring it in: lifetrace record --recover \(session)
        """
      )
    }
    return own
  }

  /// Whether another file would do, and nothing else.
  private static func wantsOutput(_ error: RecorderError) -> Bool {
    switch error {
    case .traceGone, .traceOther, .traceKept: true
    default: false
    }
  }

  /// Cgroups in which a scenario's apps lived, where the recorder's guardian was killed too.
  private func tidyGroups() {
    for group in AbandonedGroup.tidy() {
      if group.isRemoved {
        say("removed \(group.path), the empty cgroup of a recorder that is gone")
      } else {
        let living = Quantity.count(group.processes.count, "process")
        say(
          """
          \(group.path): the cgroup of a recorder that is gone, with \(living) in it
            To end them: echo 1 > \(group.path)/cgroup.kill   then: lifetrace record --recover
          """
        )
      }
    }
  }

  /// Goes on recording what still lives, until it has ended or an interrupt comes.
  private func waitForLiving(_ recorder: Recorder, _ heard: Int32) {
    let living = recorder.livingProcesses.count
    if living > 0 {
      let processes = living == 1 ? "1 process still lives" : "\(living) processes still live"
      say("\(processes): recording until the end; Ctrl-C ends it here")
    }
    while !recorder.livingProcesses.isEmpty {
      var polled = [pollfd(fd: heard, events: Int16(POLLIN), revents: 0)]
      guard poll(&polled, 1, 20) > 0 else { continue }
      // Read, so that it does not end the next one too.
      var signal = cplatform_signal()
      if cplatform_signal_read(heard, &signal) == 1 { return }
    }
  }
}
