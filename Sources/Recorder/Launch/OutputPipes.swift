// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LifetracePlatform
import LifetraceTrace
import Synchronization

/// The stdout and stderr of a recorded command, passed on and read line by line on the way.
///
/// The front process keeps the reading ends open too: if the recorder dies, the
/// command meets no broken pipe, and the front passes its output on.
struct OutputPipes {
  struct Pipe {
    var reader: Int32
    var writer: Int32
    var target: Int32
  }
  var output: Pipe
  var errors: Pipe
  private let say: @Sendable (String) -> Void
  private let group = DispatchGroup()
  /// What is on its way.
  private let underWay = UnderWay()

  /// Nil where the system gives no pipes.
  init?(say: @escaping @Sendable (String) -> Void) {
    self.say = say
    guard let output = Self.make(STDOUT_FILENO), let errors = Self.make(STDERR_FILENO) else {
      return nil
    }
    self.output = output
    self.errors = errors
  }

  private static func make(_ target: Int32) -> Pipe? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return Pipe(reader: ends[0], writer: ends[1], target: target)
  }

  /// This process reads no more of what goes to `target`.
  func closeReader(to target: Int32) {
    for pipe in [output, errors] where pipe.target == target { close(pipe.reader) }
  }

  func closeWriters() {
    close(output.writer)
    close(errors.writer)
  }

  /// Passes on until both ends are closed, and hands each line to `line`.
  ///
  /// Where the passed-on text is no longer read, the command notices as it would without us: its
  /// end of the pipe breaks, once `onBroken` has closed that of the other process too.
  func startPassing(
    _ line: (@Sendable (RecordedValue, Bool) -> Void)? = nil,
    onBroken: @escaping @Sendable (Int32) -> Void = { _ in }
  ) {
    let (underWay, say) = (underWay, say)
    for (pipe, isError) in [(output, false), (errors, true)] {
      DispatchQueue(label: "lifetrace.output").async(group: group) {
        var lines = PrintedLines()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isBroken = false
        var hasComplained = false
        // Otherwise it was not read further, and the last line may have more.
        var isAtEnd = false
        while !isBroken, !underWay.state.withLock(\.isOver) {
          let count = read(pipe.reader, &buffer, buffer.count)
          if count < 0, errno == EINTR { continue }
          isAtEnd = count == 0
          guard count > 0 else { break }
          underWay.state.withLock { $0.blocks += 1 }
          defer {
            underWay.state.withLock {
              $0.blocks -= 1
              $0.passed += count
            }
          }
          let problem = buffer.withUnsafeBytes {
            Descriptor.write(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: pipe.target)
          }
          isBroken = problem == EPIPE
          if problem != 0, !isBroken, !hasComplained {
            hasComplained = true
            say(
              "what the command prints cannot be passed on: \(errnoText(problem))"
                + (line == nil ? "" : "; it is recorded all the same")
            )
          }
          guard let line else { continue }
          lines.take(buffer[0..<count]) { line($0, isError) }
        }
        if let line { lines.end(isWhole: isAtEnd) { line($0, isError) } }
        if isBroken {
          onBroken(pipe.target)
          close(pipe.reader)
        }
      }
    }
  }

  /// Waits for the text printed until now, however slowly it is read; then only for a moment: a
  /// process that lives on may hold the pipe open, and print without end.
  func finish() {
    let before = underWay.state.withLock(\.passed)
    while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut, hasMore,
      underWay.state.withLock(\.passed) - before < Self.openBytesMax
    {}
    underWay.state.withLock { $0.isOver = true }
  }

  /// No more than this was printed and not passed on: what two pipes and two buffers hold.
  private static let openBytesMax = 4 * 65_536

  private var hasMore: Bool {
    var polled = [output, errors].map { pollfd(fd: $0.reader, events: Int16(POLLIN), revents: 0) }
    let isWaiting = poll(&polled, 2, 0) > 0 && polled.contains { $0.revents & Int16(POLLIN) != 0 }
    return isWaiting || underWay.state.withLock { $0.blocks > 0 }
  }

  private final class UnderWay: Sendable {
    struct State {
      /// Blocks that are read, and not yet passed on.
      var blocks = 0
      /// Bytes that were passed on.
      var passed = 0
      /// Nothing more is read: the recording ends.
      var isOver = false
    }
    let state = Mutex(State())
  }
}
