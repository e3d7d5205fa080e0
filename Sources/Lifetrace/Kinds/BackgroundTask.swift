// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A background task: time asked of the system to finish something.
  public struct BackgroundTask: Sendable {
    /// The identifier in the trace; 0 when no recorder listens.
    public let id: UInt64
    @usableFromInline let site: UInt32
    @usableFromInline let cpu: UInt64

    @usableFromInline
    init(id: UInt64, site: UInt32, cpu: UInt64) {
      self.id = id
      self.site = site
      self.cpu = cpu
    }

    /// Its expiration handler is called.
    public func expire() {
      guard id != 0 else { return }
      emit(.taskExpire, site, id, 0)
    }

    /// The app ends it.
    ///
    /// With the event goes the CPU time of the process since it began.
    public func end() {
      guard id != 0 else { return }
      emit(.taskEnd, site, id, 1, lt_process_cpu_ns() &- cpu)
    }
  }

  /// A background task is granted.
  ///
  /// A runtime that numbers its tasks gives its number as `id`; it must not be 0.
  public static func beginBackgroundTask(
    _ name: Name,
    granted: Duration,
    hasHandler: Bool = true,
    id: UInt64? = nil,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> BackgroundTask {
    guard isEnabled else { return BackgroundTask(id: 0, site: 0, cpu: 0) }
    let task = BackgroundTask(
      id: id ?? lt_next_id(),
      site: Site("", file: file, line: line).id,
      cpu: lt_process_cpu_ns()
    )
    emit(
      .taskBegin,
      task.site,
      task.id,
      3,
      UInt64(name.id),
      nanoseconds(granted),
      hasHandler ? 1 : 0
    )
    return task
  }
}
