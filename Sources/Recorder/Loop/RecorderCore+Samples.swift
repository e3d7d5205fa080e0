// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetraceLifecycle
import LifetraceTrace

// What is sampled now and then: stops by others, and processes whose start is not reported.
extension RecorderCore {
  /// Stops and freezes by others, and descendants where the kernel does not report them.
  func sampleWhenDue(_ now: HostTime) {
    guard samples.isDue(now.rawValue) else { return }
    let begin = cplatform_thread_cpu()
    let suspended = exchange.state.withLock { $0.registry.suspended }
    frozenGroups.begin()
    for process in processes.values where !process.hasEnded {
      if suspended.contains(process.pid) {
        if case .suspected = process.stop { process.stop = .none }
      } else {
        sampleStop(process, now)
      }
    }
    if options.seesBystanders, !kernelEvents.isOpen { followAllChildren(at: now) }
    samples.sampled(at: now.rawValue, cost: cplatform_thread_cpu() - begin)
  }

  private func sampleStop(_ process: TrackedProcess, _ now: HostTime) {
    guard let isStopped = process.sampleIsStopped() else { return }
    if isStopped || frozenGroups.contain(process) {
      let now = exchange.now()
      let (stop, isNews) = process.stop.seen(at: now)
      process.stop = stop
      if isNews {
        recordSampled(process, at: now) { Payload.Suspend(evidence: $0.name("sampled")) }
      }
    } else {
      recordResume(process)
      process.stop = .none
    }
  }

  /// It runs again, if it was stopped.
  ///
  /// The resume stands where the process was last seen stopped: what it does after that is later.
  func recordResume(_ process: TrackedProcess) {
    guard case .certain(let lastSeen) = process.stop else { return }
    process.stop = .none
    let time = lastSeen.advanced(by: 1)
    recordSampled(process, at: time) {
      Payload.Resume(reason: $0.name("continued"), evidence: $0.name("sampled"))
    }
  }

  private func recordSampled(
    _ process: TrackedProcess,
    at time: HostTime,
    _ payload: (inout RecordedNames) -> some EventPayload
  ) {
    guard let stream = process.stream else { return }
    record(RecordedEvent(at: time, observer: .recorder, flags: .sampled, payload), in: stream)
  }
}
