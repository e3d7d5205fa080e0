// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

extension Lifetrace {
  /// An open span of work, a wait or a run-loop turn.
  ///
  /// It may be ended on another thread than it was begun on; ending it twice is two events.
  public struct Span: Sendable {
    /// Ties the end to the begin; 0 when no recorder listens.
    public let id: UInt64
    @usableFromInline let site: UInt32
    @usableFromInline let ending: Kind

    @inlinable @inline(__always)
    init(id: UInt64, site: UInt32, ending: Kind) {
      self.id = id
      self.site = site
      self.ending = ending
    }

    @inlinable @inline(__always)
    static func begin(
      _ kind: Kind,
      _ ending: Kind,
      _ site: @autoclosure () -> Site,
      _ count: UInt8,
      _ a0: @autoclosure () -> UInt64 = 0,
      _ a1: @autoclosure () -> UInt64 = 0,
      _ a2: @autoclosure () -> UInt64 = 0
    ) -> Span {
      guard isEnabled else { return Span(id: 0, site: 0, ending: ending) }
      let span = Span(id: lt_next_id(), site: site().id, ending: ending)
      emit(kind, span.site, span.id, count, a0(), a1(), a2())
      return span
    }

    /// Marks the end of the work.
    @inlinable @inline(__always)
    public func end() {
      guard id != 0 else { return }
      emit(ending, site, id, 0)
    }
  }

  /// Does `body` as a span of work.
  ///
  ///     let notes = try Lifetrace.work("load", kind: .file) { try load() }
  @inlinable @inline(__always)
  public static func work<Result: ~Copyable, Failure: Error>(
    _ name: StaticString,
    kind: WorkKind = .other,
    queue: @autoclosure () -> Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginWork(name, kind: kind, queue: queue(), file: file, line: line)
    defer { span.end() }
    return try body()
  }

  /// Does `body` as a span of work with one identity, whatever threads it runs on.
  ///
  /// While it is suspended its thread is free, and no event says so. Rules therefore do not count
  /// the time from begin to end as time in which the main thread was blocked.
  @inlinable
  public static func work<Result: Sendable>(
    _ name: StaticString,
    kind: WorkKind = .other,
    queue: @autoclosure () -> Name = .none,
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let span = Span.begin(
      .workBegin,
      .workEnd,
      Site(name, file: file, line: line),
      3,
      UInt64(kind.rawValue),
      UInt64(queue().id),
      1
    )
    defer { span.end() }
    return try await body()
  }

  /// Begins a span of work that ends elsewhere, perhaps on another thread.
  @inlinable @inline(__always)
  public static func beginWork(
    _ name: StaticString,
    kind: WorkKind = .other,
    queue: @autoclosure () -> Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Span {
    .begin(
      .workBegin,
      .workEnd,
      Site(name, file: file, line: line),
      2,
      UInt64(kind.rawValue),
      UInt64(queue().id)
    )
  }

  /// Waits in `body` for something else: a lock, a semaphore, a process.
  @inlinable @inline(__always)
  public static func wait<Result: ~Copyable, Failure: Error>(
    _ name: StaticString,
    on somebody: @autoclosure () -> Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let span = beginWait(name, on: somebody(), file: file, line: line)
    defer { span.end() }
    return try body()
  }

  /// Begins a wait of this thread.
  @inlinable @inline(__always)
  public static func beginWait(
    _ name: StaticString,
    on somebody: @autoclosure () -> Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Span {
    .begin(
      .waitBegin,
      .waitEnd,
      Site(name, file: file, line: line),
      1,
      UInt64(somebody().id)
    )
  }
}
