// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// An open callback of the system into the app.
  public struct Callback: Sendable {
    /// Ties the end to the begin; 0 when no recorder listens.
    public let id: UInt64
    @usableFromInline let site: UInt32
    @usableFromInline let cpu: UInt64

    @usableFromInline
    init(site: Site) {
      id = lt_next_id()
      self.site = site.id
      emit(.callbackBegin, site.id, id, 0)
      cpu = lt_thread_cpu_ns()
    }

    @inlinable
    init() {
      id = 0
      site = 0
      cpu = 0
    }

    /// Marks the end of the callback: its method returned.
    ///
    /// With the event goes the CPU time that the thread spent inside.
    public func end(returned: Int = 0) {
      guard id != 0 else { return }
      emit(
        .callbackEnd,
        site,
        id,
        2,
        UInt64(bitPattern: Int64(returned)),
        lt_thread_cpu_ns() &- cpu
      )
    }
  }

  /// Runs `body` as a delegate method that the system calls.
  ///
  ///     Lifetrace.callback("applicationDidEnterBackground:") { delegate.didEnterBackground() }
  @inlinable
  public static func callback<Result, Failure: Error>(
    _ name: StaticString,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let open = beginCallback(name, file: file, line: line)
    defer { open.end() }
    return try body()
  }

  /// The system calls a delegate method.
  @inlinable
  public static func beginCallback(
    _ name: StaticString,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Callback {
    isEnabled ? Callback(site: Site(name, file: file, line: line)) : Callback()
  }

  /// The system calls a delegate method whose site was made before.
  @inlinable
  public static func beginCallback(at site: Site) -> Callback {
    isEnabled ? Callback(site: site) : Callback()
  }

  /// Runs `body` as one turn of the main run loop.
  @inlinable @inline(__always)
  public static func turn<Result, Failure: Error>(
    _ name: StaticString,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginTurn(name, file: file, line: line)
    defer { span.end() }
    return try body()
  }

  /// The main run loop takes an item of work.
  @inlinable @inline(__always)
  public static func beginTurn(
    _ name: StaticString,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Span {
    .begin(.turnBegin, .turnEnd, Site(name, file: file, line: line), 0)
  }

  /// The main run loop takes an item of work whose site was made before.
  @inlinable @inline(__always)
  public static func beginTurn(at site: Site) -> Span {
    .begin(.turnBegin, .turnEnd, site, 0)
  }
}
