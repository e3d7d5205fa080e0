// SPDX-License-Identifier: Apache-2.0

import Glibc
import LifetraceLifecycle
import LifetraceTrace

// The streams of a recorder that died: what its trace holds is gone on with.
extension RecorderCore {
  /// Continues the streams of a dead recorder's trace, and takes in what its pools still hold.
  func adopt(_ adoption: Adoption, _ names: Names) {
    self.names = names
    isAdopted = true
    isAdopting = true
    defer { isAdopting = false }
    adopted = adoption.streams
    trustsConsumed = adoption.trustsConsumed
    for (id, known) in adopted where id != device.id { summary.count(known) }
    if let known = adopted.removeValue(forKey: device.id) { goOn(device, known) }
    rememberEnded()
    discoverPools()
    for (id, known) in adopted where !known.hasExited { follow(id, known) }
    adopted = [:]
  }

  /// The last life of each app, for a launch after the recorder's death.
  private func rememberEnded() {
    let continued = Set(adopted.values.compactMap(\.attributes.previous))
    for (id, known) in adopted.sorted(by: { $0.value.lastTime < $1.value.lastTime })
    where known.hasExited && known.attributes.role != .bystander && !continued.contains(id) {
      remember((id, known.state), as: lifeKey(known.attributes))
    }
  }

  func goOn(_ stream: WriterStream, _ known: Adoption.Stream) {
    let evidence = stream.attributes.evidence
    stream.attributes = known.attributes
    stream.attributes.evidence = evidence
    stream.hasStarted = known.sequence > 0
    stream.hasEnded = known.hasExited
    stream.body.resume(at: known.sequence, state: known.state, lastTime: known.lastTime)
    stream.body.reader.recovered = known.positions
    stream.body.reader.assumeDropped(known.dropped)
  }

  /// A process without a pool: it lives on, or it ended while nobody looked.
  private func follow(_ id: WriterID, _ known: Adoption.Stream) {
    let pid = Int32(bitPattern: known.attributes.pid)
    let stream = WriterStream(id: id, attributes: known.attributes, pool: nil)
    goOn(stream, known)
    streams[id] = stream
    live.append(stream)
    let process = TrackedProcess(
      pid: pid,
      isLaunched: false,
      evidence: .sampled,
      seen: known.attributes.started
    )
    process.isBystander = known.attributes.role == .bystander
    process.program = known.attributes.app
    if let joined = processes[pid], joined.start == process.start {
      return conclude(stream, cause: "joined", code: 0, process, shared.now())
    }
    process.stream = stream
    guard processes[pid] == nil, isTheSame(process, known.attributes) else {
      process.status = .unknown
      process.wasGone = true
      return seeExit(process)
    }
    processes[pid] = process
    watch(process)
  }

  /// Whether the process of that number began no later than the one in the trace was seen.
  private func isTheSame(_ process: TrackedProcess, _ attributes: WriterAttributes) -> Bool {
    guard process.start != 0, attributes.boot == ProcFS.bootID else { return false }
    let ticks = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let sinceBoot = Int64(clamping: process.start).multipliedReportingOverflow(
      by: 1_000_000_000 / ticks
    )
    let asleep = clockReading.boottime - clockReading.monotonic
    let slop: Int64 = 20_000_000
    return !sinceBoot.overflow
      && sinceBoot.partialValue - asleep
        <= max(0, attributes.started.rawValue) + slop
  }
}

extension RecordingSummary {
  /// What the trace holds already.
  mutating func count(_ known: Adoption.Stream) {
    if known.attributes.role == .bystander {
      bystanders += 1
    } else {
      processes += 1
    }
    unsavedObjects += known.unsavedObjects
    unsavedBytes &+= known.unsavedBytes
  }
}
