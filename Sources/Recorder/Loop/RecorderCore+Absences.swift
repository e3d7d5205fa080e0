// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

// Processes that link the SDK and cannot join: they report it through a socket without a directory.
extension RecorderCore {
  /// Those that have reported since the last look.
  func hearAbsences() {
    guard wakeSources.absences >= 0 else { return }
    var absence = cplatform_absence()
    var knows = false
    // A process may report without end.
    for _ in 0..<Self.absencesAtOnce {
      guard cplatform_absence_read(wakeSources.absences, &absence) == 1 else { return }
      // The sender may have been started since the last look.
      if !knows { hearProcesses() }
      knows = true
      if isBelieved(absence) { noteAbsence(of: absence.pid, absence.reason) }
    }
  }

  /// Whether the sender may say that it belongs to this recording.
  ///
  /// The name of the socket is no secret: every process of this machine can send. Process id and
  /// user come from the kernel, and only root can forge them. Our own user and root are believed:
  /// they could do worse. A sender of another user has to be a process of this recording that has
  /// changed its user: it is followed, or it stands below one that is. A process that is gone and
  /// was never followed may be a stranger. So where the kernel does not report forks, one that was
  /// quicker than the samples is not counted.
  private func isBelieved(_ absence: cplatform_absence) -> Bool {
    absence.user == getuid() || absence.user == 0 || isBelow(absence.pid)
  }

  private func noteAbsence(of pid: Int32, _ reason: UInt8) {
    summary.notJoined += 1
    guard summary.notJoined <= Self.refusalsNamedMax else { return }
    note(
      "\(Self.who(pid)) is not recorded: \(Self.why(reason))",
      name: RecorderNote.notJoined
    )
  }

  /// Whether the process could not even report it: in its own network it leaves a mark instead.
  func lookForMark(_ process: TrackedProcess) {
    guard !process.hasEnded, !process.hasMark, process.stream?.pool == nil,
      ProcFS.maps(process.pid, fileNamed: LT_ABSENT_MARK)
    else { return }
    process.hasMark = true
    noteAbsence(of: process.pid, UInt8(LT_ABSENT_UNREACHABLE))
  }

  /// In a namespace that cannot be seen from here a process has no number.
  static func who(_ pid: Int32) -> String {
    guard pid > 0 else { return "a process of another pid namespace" }
    return ProcFS.program(of: pid).map { "\($0) (pid \(pid))" } ?? "process \(pid)"
  }

  private static var absencesAtOnce: Int { 1_000 }

  private static func why(_ reason: UInt8) -> String {
    switch Int(reason) {
    case LT_ABSENT_UNREACHABLE:
      "the session's directory cannot be reached from it (another root directory or other mounts?)"
    case LT_ABSENT_FORBIDDEN: "it runs as another user"
    case LT_ABSENT_NO_ROOM: "there was no room for its events"
    case LT_ABSENT_VERSION: "it links another version of Lifetrace"
    default: "it could not join"
    }
  }

  /// Whether the process is or was followed, or stands below one that is.
  private func isBelow(_ pid: Int32) -> Bool {
    var pid = pid
    for _ in 0..<Self.generationsMax where pid > 1 {
      if processes[pid] != nil || pid == getpid() { return true }
      guard let parent = ProcFS.status(of: pid)?.parent else {
        return exchange.exits.status(of: pid) != nil
      }
      pid = parent
    }
    return false
  }

  private static var generationsMax: Int { 64 }
}
