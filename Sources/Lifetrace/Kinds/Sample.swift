// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// Records the resident memory of this process now: two system calls.
  public static func sampleMemory() {
    guard isEnabled else { return }
    emit(.memorySample, 0, 0, 1, lt_memory_bytes())
  }

  /// The CPU and wall time of a process up to now, to measure from.
  public struct CPUSample: Sendable {
    @usableFromInline let cpu: UInt64
    @usableFromInline let wall: UInt64

    @usableFromInline
    init() {
      cpu = lt_process_cpu_ns()
      wall = lt_monotonic_ns()
    }
  }

  /// Records the CPU time that this process used since `start`.
  ///
  ///     var cpu = Lifetrace.startCPUSample()
  ///     …
  ///     cpu = Lifetrace.sampleCPU(since: cpu)
  @discardableResult
  public static func sampleCPU(since start: CPUSample) -> CPUSample {
    let now = CPUSample()
    guard isEnabled else { return now }
    emit(.cpuSample, 0, 0, 2, now.cpu &- start.cpu, now.wall &- start.wall)
    return now
  }

  /// Where a measurement of CPU time begins.
  public static func startCPUSample() -> CPUSample { CPUSample() }
}
