// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetraceLifecycle
import LifetraceTrace

// What is looked for every now and then: stops by others, and who was started where nobody tells.
extension RecorderCore {
  /// Stops and frosts by others, and descendants where the kernel does not tell of them.
  func sampleWhenDue(_ now: HostTime) {
    guard now.rawValue >= sampleAt else { return }
    let begin = cplatform_thread_cpu()
    let suspended = shared.state.withLock { $0.suspended }
    frozenGroups.begin()
    for process in processes.values where process.exitSeen == nil {
      if suspended.contains(process.pid) {
        process.stoppedSamples = 0
      } else {
        sampleStop(process, now)
      }
    }
    if options.seesBystanders, kernelEvents < 0 { followAllChildren(at: now) }
    // Sampling may take two parts in a thousand of a core.
    sampleInterval = max(Self.sampleIntervalMin, (cplatform_thread_cpu() - begin) * 500)
    sampleAt = now.rawValue + sampleInterval
  }

  private func sampleStop(_ process: TrackedProcess, _ now: HostTime) {
    guard let isStopped = process.sampleIsStopped() else { return }
    if isStopped || frozenGroups.contain(process) {
      process.lastStopped = shared.now()
      process.stoppedSamples += 1
      guard process.stoppedSamples == 2, !process.isStopped else { return }
      process.isStopped = true
      recordSampled(process, at: process.lastStopped) {
        Payload.Suspend(evidence: $0.name("sampled"))
      }
    } else {
      process.stoppedSamples = 0
      if process.isStopped { recordResume(process) }
    }
  }

  /// The resume stands where the process was last seen stopped: what it does after is after.
  func recordResume(_ process: TrackedProcess) {
    process.isStopped = false
    process.stoppedSamples = 0
    let time = process.lastStopped.advanced(by: 1)
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
    tell(RecordedEvent(at: time, observer: .recorder, flags: .sampled, payload), of: stream)
  }
}
