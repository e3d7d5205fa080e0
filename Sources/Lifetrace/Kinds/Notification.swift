// SPDX-License-Identifier: Apache-2.0

// Posting and delivering read the clock in order with what happens around them, because the two
// may be in different processes and are compared to the nanosecond.
extension Lifetrace {
  /// A system change is announced.
  public static func notificationPosted(
    _ type: Name,
    key: Name = .none,
    value: Name = .none,
    origin: Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emitOrdered(
      .notificationPosted,
      Site("", file: file, line: line).id,
      UInt64(type.id),
      3,
      UInt64(key.id),
      UInt64(value.id),
      UInt64(origin.id)
    )
  }

  /// Several posts became one pending value while the app was suspended.
  public static func notificationCoalesced(
    _ type: Name,
    key: Name = .none,
    value: Name = .none,
    posts: Int,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .notificationCoalesced,
      Site("", file: file, line: line).id,
      UInt64(type.id),
      3,
      UInt64(key.id),
      UInt64(value.id),
      UInt64(truncatingIfNeeded: posts)
    )
  }

  /// The app is handed the notification.
  public static func notificationDelivered(
    _ type: Name,
    key: Name = .none,
    value: Name = .none,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emitOrdered(
      .notificationDelivered,
      Site("", file: file, line: line).id,
      UInt64(type.id),
      2,
      UInt64(key.id),
      UInt64(value.id)
    )
  }

  /// An observer in the app has dealt with the notification.
  public static func notificationHandled(
    _ type: Name,
    key: Name = .none,
    took: Duration = .zero,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .notificationHandled,
      Site("", file: file, line: line).id,
      UInt64(type.id),
      2,
      UInt64(key.id),
      nanoseconds(took)
    )
  }

  /// A pending notification will never be delivered.
  public static func notificationDropped(
    _ type: Name,
    key: Name = .none,
    value: Name = .none,
    why: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .notificationDropped,
      Site("", file: file, line: line).id,
      UInt64(type.id),
      3,
      UInt64(key.id),
      UInt64(value.id),
      UInt64(why.id)
    )
  }
}
