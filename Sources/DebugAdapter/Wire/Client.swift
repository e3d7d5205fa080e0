// SPDX-License-Identifier: GPL-3.0-or-later

/// What a client has said of itself, as far as answers depend on it.
struct Client {
  /// What its first line is called.
  var firstLine = 1
  /// What its first column is called.
  var firstColumn = 1
  /// Whether it shows how far long work is.
  var hearsProgress = false

  init() {}

  init(_ arguments: Arguments) {
    if arguments.isFalse("linesStartAt1") { firstLine = 0 }
    if arguments.isFalse("columnsStartAt1") { firstColumn = 0 }
    hearsProgress = arguments.flag("supportsProgressReporting")
  }

  /// A line, from 1, as the client counts.
  func line(_ number: Int) -> Int { number - 1 + firstLine }

  /// A line of the client's, from 1.
  func own(line: Int) -> Int { line.subtractingReportingOverflow(firstLine - 1).partialValue }
}
