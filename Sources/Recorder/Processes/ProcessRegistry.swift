// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LifetraceLifecycle
import LifetraceTrace

/// What other threads ask and say about processes, by their numbers.
struct ProcessRegistry: Sendable {
  /// The streams of those that have joined and live.
  private(set) var writers: [Int32: WriterID] = [:]
  private var joinWaits: [Int32: [DispatchSemaphore]] = [:]
  /// What the host kills them for.
  private var deaths: [Int32: (death: Death, time: HostTime?)] = [:]
  /// Which of them will kill themselves, and as what that counts.
  private var dooms: [Int32: Death] = [:]
  /// Why a process will exit by itself, where it was asked to.
  private var expectedExits: [Int32: String] = [:]
  /// Those that the host has stopped.
  private(set) var suspended: Set<Int32> = []
  /// What processes have printed of which it is not known yet whether they join.
  private var printedEarly: [Int32: [Submission]] = [:]
  /// Those that are recorded from outside: their output is the device's.
  private var outsiders: Set<Int32> = []
  /// Those that were launched, have joined and ended: their last words may come after them.
  private var ended: [Int32: WriterID] = [:]

  /// Those whose output is read, with how many ends of it are open.
  private(set) var printing: [Int32: Int] = [:]
  /// When those began to print their stacks that have crashed.
  private(set) var crashes: [Int32: HostTime] = [:]

  /// More lines of a process of which nothing is known are the device's.
  private static let printedEarlyMax = 10_000

  // MARK: From other threads

  /// Where what a process prints belongs: a stream, or nil where that is not known yet.
  func stream(printedTo pid: Int32, device: WriterID) -> WriterID? {
    if let writer = writers[pid] ?? ended[pid] { return writer }
    let isFull = printedEarly[pid]?.count ?? 0 >= Self.printedEarlyMax
    return outsiders.contains(pid) || isFull ? device : nil
  }

  mutating func keepEarly(_ submission: Submission, of pid: Int32) {
    printedEarly[pid, default: []].append(submission)
  }

  /// Its stream; else `joined` is signalled once there is one, or never will be.
  mutating func writer(of pid: Int32, orSignal joined: DispatchSemaphore) -> WriterID? {
    if let writer = writers[pid] { return writer }
    joinWaits[pid, default: []].append(joined)
    return nil
  }

  /// The output of a launched process is read, over so many pipes.
  mutating func beginPrinting(_ pid: Int32, _ pipes: Int) { printing[pid] = pipes }

  /// Nothing more comes through one of them.
  mutating func endPrinting(_ pid: Int32) {
    guard let pipes = printing[pid] else { return }
    printing[pid] = pipes > 1 ? pipes - 1 : nil
  }

  /// It has crashed, and begins to print its stack.
  mutating func crash(_ pid: Int32, at time: HostTime) { crashes[pid] = time }

  mutating func suspend(_ pids: [Int32]) { suspended.formUnion(pids) }

  mutating func resume(_ pids: [Int32]) { suspended.subtract(pids) }

  mutating func expectExit(_ pid: Int32, cause: String) { expectedExits[pid] = cause }

  /// It is about to be killed.
  mutating func kill(_ pid: Int32, _ death: Death, at time: HostTime) {
    deaths[pid] = (death, time)
  }

  mutating func doom(_ pid: Int32, _ death: Death) { dooms[pid] = death }

  /// It could not be killed.
  mutating func spare(_ pid: Int32) { deaths[pid] = nil }

  // MARK: From the recorder's thread

  /// What the host has said about the end of the process, which was by SIGKILL or not, and when it sent the
  /// signal, if it did.
  func end(of pid: Int32, isKill: Bool) -> (death: Death?, time: HostTime?, expected: String?) {
    let known = deaths[pid]
    return (known?.death ?? (isKill ? dooms[pid] : nil), known?.time, expectedExits[pid])
  }

  /// The recording ends, and the process with it, unless it is killed for something else already.
  mutating func endWithRecording(_ pid: Int32) {
    if deaths[pid] == nil { deaths[pid] = (Death(cause: HarnessEnd.recordingEnded), nil) }
  }

  /// Another process has the number now.
  mutating func begin(_ pid: Int32) { ended[pid] = nil }

  /// The process has a stream: what it printed before, and those that wait for it.
  mutating func join(_ pid: Int32, _ writer: WriterID)
    -> (printed: [Submission], waits: [DispatchSemaphore])
  {
    writers[pid] = writer
    outsiders.remove(pid)
    return (takeEarly(pid), joinWaits.removeValue(forKey: pid) ?? [])
  }

  /// The process has a stream because the host knows which app it is: what it printed before.
  ///
  /// It may join yet: those that wait for that go on waiting.
  mutating func present(_ pid: Int32, _ writer: WriterID) -> [Submission] {
    writers[pid] = writer
    outsiders.remove(pid)
    return takeEarly(pid)
  }

  /// The process is recorded from outside: what it printed before.
  mutating func watchFromOutside(_ pid: Int32) -> [Submission] {
    outsiders.insert(pid)
    return takeEarly(pid)
  }

  /// The process has ended, with the stream that it had: what it printed, and those that wait for it.
  ///
  /// What one that was launched has printed may come after this, and belongs to `lastWords`.
  mutating func end(
    _ pid: Int32,
    stream: WriterID?,
    isLaunched: Bool,
    lastWords: WriterID?
  ) -> (printed: [Submission], waits: [DispatchSemaphore]) {
    deaths[pid] = nil
    dooms[pid] = nil
    crashes[pid] = nil
    expectedExits[pid] = nil
    suspended.remove(pid)
    outsiders.remove(pid)
    if isLaunched { ended[pid] = lastWords }
    if writers[pid] == stream { writers[pid] = nil }
    return (takeEarly(pid), joinWaits.removeValue(forKey: pid) ?? [])
  }

  private mutating func takeEarly(_ pid: Int32) -> [Submission] {
    defer { assert(checkInvariants()) }
    return printedEarly.removeValue(forKey: pid) ?? []
  }

  /// All that processes have printed of which it was never known whether they join.
  mutating func takeAllEarly() -> [Submission] {
    defer { printedEarly = [:] }
    return printedEarly.values.flatMap { $0 }
  }

  /// Printed text waits only as long as its stream is unknown.
  func checkInvariants() -> Bool {
    printedEarly.keys.allSatisfy { writers[$0] == nil && !outsiders.contains($0) }
  }
}
