// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// A living process that the recorder follows; used by the recorder's thread alone.
final class TrackedProcess {
  let pid: Int32
  /// From /proc, 0 where it was gone before anybody looked.
  let start: UInt64
  let pidfd: Int32
  private let statusFile: Int32
  /// Started by this recorder.
  var isLaunched: Bool
  /// When it was first seen.
  let seen: HostTime
  /// Its stream, once it has joined or has been written down as a bystander.
  var stream: WriterStream?
  var isBystander = false
  /// It links the SDK, could not join, and could not tell either.
  var hasMark = false
  /// The name of its program, for a bystander.
  var program: String
  /// The app that the host knows it to be, and its last incarnation.
  var identity: (app: String, previous: WriterID?)?
  /// How it is known.
  var evidence: EvidenceTier
  /// It was seen stopped though the host did not stop it.
  var isStopped = false
  /// The cgroup it lives in, and the sample that asked for it.
  var group: String?
  var groupAsked: UInt64 = 0
  /// Samples in a row that saw it stopped.
  var stoppedSamples = 0
  /// When it was last seen stopped.
  var lastStopped = HostTime(rawValue: .min)
  /// When its end was seen; then its status is asked for until it is known.
  var exitSeen: HostTime?
  /// It had ended before a recovery began: nobody knows when.
  var wasGone = false
  /// From waitid or from the kernel's events.
  var status: ExitStatus?
  /// Where those wait that have started it.
  var exit: Exit?
  /// Who waits for its end knows of it.
  var isAnnounced = false
  /// When the kernel says it ended.
  var exitTime: HostTime?
  /// Where nothing else tells of its end: it lives as long as it holds its pool.
  private let held: PoolFile?

  /// `named` is what it is called where it is gone already: a child is called as its parent is.
  init(
    pid: Int32,
    isLaunched: Bool,
    evidence: EvidenceTier,
    seen: HostTime,
    named: String? = nil
  ) {
    self.pid = pid
    self.isLaunched = isLaunched
    self.evidence = evidence
    self.seen = seen
    held = nil
    pidfd = cplatform_pidfd_open(pid)
    statusFile = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    let status = ProcFS.status(of: pid)
    start = status?.start ?? 0
    program = ProcFS.program(of: pid) ?? status?.name ?? named ?? "process"
  }

  /// A process that has joined from another pid namespace and cannot be seen from this one.
  ///
  /// It has no number here: 0 stands for it.
  init(holding pool: PoolFile, seen: HostTime) {
    pid = 0
    isLaunched = false
    evidence = .joined
    self.seen = seen
    held = pool
    pidfd = -1
    statusFile = -1
    start = 0
    program = pool.process.string
    status = .unknown
  }

  /// Whether it lives, asked of /proc or of its pool.
  var lives: Bool {
    if let held { return held.isHeld ?? false }
    let facts = ProcFS.status(of: pid)
    return facts?.start == start && facts?.state != UInt8(ascii: "Z")
  }

  deinit {
    if pidfd >= 0 { close(pidfd) }
    if statusFile >= 0 { close(statusFile) }
  }

  /// Whether it is stopped at this moment; nil when it is gone.
  ///
  /// Asked twenty times a second and more: one read of a file that stays open, nothing allocated.
  func sampleIsStopped() -> Bool? {
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
      let count = pread(statusFile, buffer.baseAddress, buffer.count, 0)
      guard count > 0, let close = buffer[0..<count].lastIndex(of: UInt8(ascii: ")")),
        close + 2 < count
      else { return nil }
      return buffer[close + 2] == UInt8(ascii: "T")
    }
  }
}

extension ExitStatus {
  init(_ result: cplatform_wait_result) {
    switch UInt32(bitPattern: result.change) {
    case CPLATFORM_EXITED.rawValue: self = .code(result.value)
    case CPLATFORM_SIGNALED.rawValue: self = .signal(result.value)
    default: self = .unknown
    }
  }
}
