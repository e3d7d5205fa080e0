// SPDX-License-Identifier: Apache-2.0

/// Rules that random lives cannot reach, each with the reason.
enum Unreached {
  /// By rule.
  static let reasons: [String: String] = [:]
}
