// SPDX-License-Identifier: Apache-2.0

extension Payload.Device {
  /// What the host says of a machine that let an app stand in the queue for a processor.
  package static let noProcessor = "no-processor"

  /// For how many nanoseconds the main thread of the app was ready to run and had no processor.
  ///
  /// They lie between the last such event of its stream and this one. Nil for an event that says no such
  /// thing.
  package func noProcessor(_ names: borrowing Names) -> Int64? {
    guard names[what] == Self.noProcessor, let number, number > 0 else { return nil }
    return number
  }
}
