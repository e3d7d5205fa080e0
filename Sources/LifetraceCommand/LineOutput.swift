// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceInterop
import LifetracePlatform
import LifetraceTrace

/// Lines for standard output or a file, written in large pieces.
///
/// Where nobody reads them any more, the program ends quietly.
struct LineOutput: ~Copyable {
  private var buffer = OutputBytes()
  /// Whether the program goes on when its output is not read: its exit code is an answer, too.
  private let outlivesReader: Bool
  private var descriptor = STDOUT_FILENO

  /// What is written at once, about.
  private static let pieceBytes = 1 << 16

  init(outlivesReader: Bool = false) {
    self.outlivesReader = outlivesReader
    if outlivesReader { signal(SIGPIPE, SIG_IGN) }
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
    buffer.put(line)
    try endLine()
  }

  /// A line that is put together where it is written from.
  mutating func print(_ put: (inout OutputBytes) -> Void) throws {
    put(&buffer)
    try endLine()
  }

  private mutating func endLine() throws {
    buffer.makeRoom(1)
    buffer.put(UInt8(ascii: "\n"))
    if buffer.count >= Self.pieceBytes { try flush() }
  }

  /// Lines that are put together where they are written from, with their ends.
  mutating func write(_ put: (inout OutputBytes) -> Void) throws {
    put(&buffer)
    if buffer.count >= Self.pieceBytes { try flush() }
  }

  /// Text with its own ends of lines.
  mutating func write(_ text: String) throws {
    buffer.put(text)
    if buffer.count >= Self.pieceBytes { try flush() }
  }

  mutating func flush() throws {
    var problem: Int32 = 0
    let descriptor = descriptor
    buffer.take { problem = Descriptor.write($0, to: descriptor) }
    guard problem != 0 else { return }
    guard problem == EPIPE else { throw TraceOpening.io }
    guard outlivesReader else { throw ExitCode.success }
  }
}
