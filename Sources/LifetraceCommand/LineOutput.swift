// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTrace

/// Lines for standard output or a file, written in large pieces.
///
/// Where nobody reads them any more, the program ends quietly.
struct LineOutput: ~Copyable {
  private var buffer: [UInt8] = []
  /// Whether the program goes on when its output is not read: its exit code is an answer, too.
  private let outlivesReader: Bool
  private var descriptor = STDOUT_FILENO

  init(outlivesReader: Bool = false) {
    self.outlivesReader = outlivesReader
    if outlivesReader { signal(SIGPIPE, SIG_IGN) }
    buffer.reserveCapacity(1 << 17)
  }

  /// For a file, which is replaced; one that cannot be written is reported, and ends the command.
  init(file: String) throws {
    self.init(outlivesReader: true)
    descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor < 0 else { return }
    Failure.say("\(Printable.line(file)): cannot write it: \(errnoText(errno))")
    throw TraceOpening.io
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  mutating func print(_ line: String) throws {
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// A line that is put together where it is written from.
  mutating func print(_ put: (inout [UInt8]) -> Void) throws {
    put(&buffer)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Text with its own ends of lines.
  mutating func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    let problem = buffer.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
    guard problem != 0 else { return }
    guard problem == EPIPE else { throw TraceOpening.io }
    guard outlivesReader else { throw ExitCode.success }
  }
}
