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
  /// What is recorded of it.
  var record = Record.none
  /// It links the SDK, could not join, and could not report that either.
  var hasMark = false
  /// The name of its program, for a bystander.
  var program: String
  /// Its program and arguments, for a bystander; empty where they could not be read.
  var command: String
  /// The process that has started it; 0 for unknown.
  let parent: Int32
  /// The app that the host knows it to be, and its last incarnation.
  var identity: (app: String, previous: WriterID?)?
  /// How it is known.
  var evidence: EvidenceTier
  /// Whether a process other than the host has stopped it.
  var stop = Stop.none
  /// The cgroup it lives in, and the sample that asked for it.
  var group: String?
  var groupAsked: UInt64 = 0
  /// How far its end is known.
  var end = End()
  /// Where those wait that have started it.
  var exit: Exit?
  /// Where nothing else reports its end: it lives as long as it holds its pool.
  private let held: PoolFile?

  /// `named` is its name where it is gone already: a child has its parent's name.
  init(
    pid: Int32,
    isLaunched: Bool,
    evidence: EvidenceTier,
    seen: HostTime,
    named: String? = nil,
    parent: Int32? = nil
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
    command = ProcFS.command(of: pid) ?? ""
    self.parent = parent ?? status?.parent ?? 0
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
    command = ""
    parent = 0
    end.status = .unknown
  }

  /// Its stream, once it has joined or has been written down.
  var stream: WriterStream? {
    switch record {
    case .none: nil
    case .bystander(let stream), .life(let stream): stream
    }
  }

  /// It has a stream of its own, and it is no app's.
  var isBystander: Bool { if case .bystander = record { true } else { false } }

  /// Its end was seen.
  var hasEnded: Bool { end.seen != nil }

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

extension TrackedProcess {
  /// What is recorded of a process.
  enum Record {
    /// Nothing yet: it may join, or be written down.
    case none
    /// That it was there.
    case bystander(WriterStream)
    /// Its life: its own events, those that the host saw of it, or both.
    case life(WriterStream)
  }

  /// What samples have seen of a process that the host did not stop.
  enum Stop {
    case none
    /// Stopped in the last sample: once may be chance.
    case suspected(at: HostTime)
    /// Stopped; the last sample that saw it so.
    case certain(lastSeen: HostTime)

    /// The state after a sample that saw it stopped; whether it has become certain by it.
    func seen(at time: HostTime) -> (next: Stop, isNews: Bool) {
      switch self {
      case .none: (.suspected(at: time), false)
      case .suspected: (.certain(lastSeen: time), true)
      case .certain: (.certain(lastSeen: time), false)
      }
    }
  }

  /// The end of a process, as far as it is known.
  struct End {
    /// When it was seen that it is gone; then its status is asked for until it is known.
    var seen: HostTime?
    /// When the kernel says it was.
    var time: HostTime?
    /// It was before a recovery began, at an unknown time.
    var isFound = false
    /// From waitid or from the kernel's events.
    var status: ExitStatus?
    /// Those that wait for it know of it.
    var isAnnounced = false
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
