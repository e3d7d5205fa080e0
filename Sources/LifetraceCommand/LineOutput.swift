// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform

/// Lines for standard output, written in large pieces; a closed pipe ends the program quietly.
struct LineOutput: ~Copyable {
  private var buffer: [UInt8] = []
  /// Whether the program goes on when its output is not read: its exit code is an answer, too.
  private let outlivesReader: Bool

  init(outlivesReader: Bool = false) {
    self.outlivesReader = outlivesReader
    if outlivesReader { signal(SIGPIPE, SIG_IGN) }
    buffer.reserveCapacity(1 << 17)
  }

  mutating func print(_ line: String) throws {
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Text with its own ends of lines.
  mutating func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    let problem = buffer.withUnsafeBytes { Descriptor.write($0, to: STDOUT_FILENO) }
    buffer.removeAll(keepingCapacity: true)
    guard problem != 0 else { return }
    guard problem == EPIPE else { throw TraceOpening.io }
    guard outlivesReader else { throw ExitCode.success }
  }
}
