// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A time budget that runs.
  public struct Deadline: Sendable {
    /// Ties the close to the open; 0 when no recorder listens.
    public let id: UInt64
    @usableFromInline let site: UInt32

    @usableFromInline
    init(id: UInt64, site: UInt32) {
      self.id = id
      self.site = site
    }

    /// What the budget was for is done.
    public func close() {
      guard id != 0 else { return }
      emit(.deadlineClose, site, id, 0)
    }
  }

  /// Something must be done within `budget` from now.
  public static func openDeadline(
    _ what: Name,
    budget: Duration,
    clock: Clock = .wall,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Deadline {
    guard isEnabled else { return Deadline(id: 0, site: 0) }
    let deadline = Deadline(id: lt_next_id(), site: Site("", file: file, line: line).id)
    emit(
      .deadlineOpen,
      deadline.site,
      deadline.id,
      3,
      UInt64(what.id),
      nanoseconds(budget),
      UInt64(clock.rawValue)
    )
    return deadline
  }
}
