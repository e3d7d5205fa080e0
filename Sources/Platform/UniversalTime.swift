// SPDX-License-Identifier: Apache-2.0

/// The time of day where the sun stands over Greenwich, as text.
package enum UniversalTime {
  /// `2026-11-22T08:15:00`: in UTC, without its zone, as files of JUnit have it.
  package static var now: String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// `2026-11-22`.
  package static var today: String { String(now.prefix(10)) }
}
