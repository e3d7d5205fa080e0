// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

// How processes start: launches, forks reported by the kernel, children found in /proc.
//
// No fork is missed for being heard early. The kernel reports it before the child runs, and a
// launch is announced before its process is there. So each message that was read is about a process
// that is known by now, about a stranger, or about a launch that is under way. Messages of the last
// kind wait until the launch has come to its end.
extension RecorderCore {
  /// A process that this recorder has started.
  private func follow(launched pid: Int32, _ now: HostTime) {
    // A process that ended before its launch was reported has been written down already.
    guard exchange.exits.status(of: pid) == nil else { return }
    exchange.state.withLock { $0.registry.begin(pid) }
    let exit = exchange.exits.exit(of: pid)
    if let known = processes[pid], !isReused(known) {
      known.isLaunched = true
      known.exit = exit
      known.evidence = .child
      known.stream?.attributes.evidence = .child
      return
    }
    let process = TrackedProcess(pid: pid, isLaunched: true, evidence: .child, seen: now)
    process.exit = exit
    put(process)
    watch(process)
  }

  /// Launches that have come to their end are known; true while others are under way.
  @discardableResult
  func learnLaunches() -> Bool {
    let (launches, isLaunching, now) = exchange.state.withLock { state in
      let (ended, areUnderWay) = state.mailbox.takeLaunches()
      return (ended, areUnderWay, state.clock.now())
    }
    for pid in launches { follow(launched: pid, now) }
    if !launches.isEmpty || !isLaunching {
      for event in kernelEvents.takeUnclaimed() { hear(event, isLaunching: isLaunching) }
    }
    return isLaunching
  }

  /// A descendant that may never join.
  private func follow(
    descendant pid: Int32,
    of parent: Int32,
    evidence: EvidenceTier,
    at time: HostTime
  ) {
    guard pid != guardianPID, processes[pid].map(isReused) ?? true else { return }
    guard processes.count < Self.processesMax else {
      if summary.notFollowed == 0 {
        note("more than \(Self.processesMax) processes at once: some are not followed")
      }
      summary.notFollowed += 1
      return
    }
    let process = TrackedProcess(
      pid: pid,
      isLaunched: false,
      evidence: evidence,
      seen: time,
      named: processes[parent]?.program,
      parent: parent
    )
    put(process)
    watch(process)
  }

  /// What runs below a process already, as /proc shows it.
  func followChildren(of pid: Int32, at time: HostTime) {
    guard options.seesBystanders else { return }
    var parents = [pid]
    while let parent = parents.popLast() {
      for child in ProcFS.children(of: parent) where processes[child] == nil {
        follow(descendant: child, of: parent, evidence: .sampled, at: time)
        if processes[child] != nil { parents.append(child) }
      }
    }
  }

  /// The same of every process, and of the orphans that have fallen to this one.
  func followAllChildren(at time: HostTime) {
    for pid in Array(processes.keys) { followChildren(of: pid, at: time) }
    // A launch that is under way would be taken for an orphan.
    if options.reapsDescendants, !learnLaunches() { followChildren(of: getpid(), at: time) }
  }

  /// Forks, execs and exits as the kernel reports them, with its own times.
  func hearProcesses() {
    var wasTold = false
    while true {
      let events = kernelEvents.read()
      guard !events.isEmpty else { break }
      wasTold = true
      // After the reading: a process whose forks were read is launched by now, or being launched.
      let isLaunching = learnLaunches()
      for event in events { hear(event, isLaunching: isLaunching) }
    }
    learnLaunches()
    if wasTold { countDropped() }
  }

  /// What the kernel had no room for is counted, and what of it still lives is found in /proc.
  private func countDropped() {
    let count = kernelEvents.newlyDropped()
    guard count > 0 else { return }
    summary.processEventsMissed += count
    note(
      """
      \(count) of the kernel's events had no room, each a fork, an exec or an exit: processes that \
      have ended meanwhile may be missing
      """
    )
    followAllChildren(at: exchange.now())
  }

  /// Takes note of an event; where it may be about a launch that is under way, it waits for it.
  private func hear(_ event: cplatform_proc_event, isLaunching: Bool) {
    let time = HostTime(rawValue: event.monotonic)
    switch UInt32(bitPattern: event.kind) {
    case CPLATFORM_PROC_FORK.rawValue:
      recentExits.begin(event.pid, at: time)
      if processes[event.parent] != nil {
        follow(descendant: event.pid, of: event.parent, evidence: .kernelEvents, at: time)
      } else if isLaunching {
        keepUnclaimed(event)
      }
    case CPLATFORM_PROC_EXEC.rawValue:
      if let process = processes[event.pid] {
        if let program = ProcFS.program(of: event.pid) { process.program = program }
        process.command = ProcFS.command(of: event.pid) ?? ""
      } else if isLaunching {
        keepUnclaimed(event)
      }
    case CPLATFORM_PROC_EXIT.rawValue:
      let status = ExitStatus(cplatform_split_status(event.pid, event.wait_status))
      if let process = processes[event.pid] {
        process.end.time = time
        if process.end.status == nil { process.end.status = status }
      } else {
        recentExits.keep(event.pid, status, at: time)
        if isLaunching { keepUnclaimed(event) }
      }
    default: break
    }
  }

  /// Most of them are about strangers; those beyond the limit are counted as if none were.
  private func keepUnclaimed(_ event: cplatform_proc_event) {
    if !kernelEvents.keep(event) { summary.processEventsMissed += 1 }
  }
}
