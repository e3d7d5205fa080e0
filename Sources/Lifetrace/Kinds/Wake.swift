// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// A launch or resumption in the background, for a reason and for a while.
  public struct Wake: Sendable {
    /// Ties the completion to the begin; 0 when no recorder listens.
    public let id: UInt64

    /// A wake that another party announced under this number.
    public init(id: UInt64) { self.id = id }

    /// The app calls the completion handler.
    public func complete(
      result: Name = "newData",
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      guard isEnabled, id != 0 else { return }
      emit(
        .wakeCompletion,
        Site("", file: file, line: line).id,
        id,
        1,
        UInt64(result.id)
      )
    }

    /// The app reports the incoming call for which it was woken, as PushKit demands at once.
    public func report(
      call: Name = "",
      file: StaticString = #fileID,
      line: UInt32 = #line
    ) {
      guard isEnabled, id != 0 else { return }
      emit(
        .wakeReported,
        Site("", file: file, line: line).id,
        id,
        1,
        UInt64(call.id)
      )
    }
  }

  /// The system wakes the app in the background.
  public static func beginWake(
    reason: Name,
    budget: Duration,
    id: UInt64? = nil,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> Wake {
    guard isEnabled else { return Wake(id: 0) }
    let wake = Wake(id: id ?? lt_next_id())
    emit(
      .wakeBegin,
      Site("", file: file, line: line).id,
      wake.id,
      2,
      UInt64(reason.id),
      nanoseconds(budget)
    )
    return wake
  }
}
