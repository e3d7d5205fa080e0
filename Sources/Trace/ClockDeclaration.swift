// SPDX-License-Identifier: Apache-2.0

/// How a log says within how much its clock agreed with those of other machines.
package enum ClockDeclaration {
  /// The `device` event that says it; its number are nanoseconds.
  package static let name = "clock-within"
}
