// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

// What app runtimes, not apps, say.
extension Lifetrace {
  /// The app goes from one state to another.
  ///
  /// With the event goes the CPU time of the process so far.
  public static func transition(
    from: AppState,
    to: AppState,
    cause: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .transition,
      Site("", file: file, line: line).id,
      0,
      4,
      UInt64(from.rawValue),
      UInt64(to.rawValue),
      UInt64(cause.id),
      lt_process_cpu_ns()
    )
  }

  /// A key of the app's configuration: a plist key, a background mode, the linked SDK.
  public static func config(
    _ key: Name,
    _ value: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .processConfig,
      Site("", file: file, line: line).id,
      UInt64(key.id),
      1,
      UInt64(value.id)
    )
  }

  /// Something happens to the device.
  ///
  /// `lock`, `orientation`, `memory-warning` and the like.
  public static func device(
    _ what: Name,
    value: Name = .none,
    number: Int = 0,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .device,
      Site("", file: file, line: line).id,
      UInt64(what.id),
      2,
      UInt64(value.id),
      UInt64(bitPattern: Int64(number))
    )
  }

  /// The user touches a view.
  public static func touch(
    _ view: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(.touch, Site("", file: file, line: line).id, 0, 1, UInt64(view.id))
  }
}
