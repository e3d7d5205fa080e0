// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LifetracePlatform
import LifetraceTrace
import Synchronization

/// The stdout and stderr of a launched process, passed on and read line by line on the way.
///
/// The front process keeps the reading ends open too: if the recorder dies, the
/// command meets no broken pipe, and the front passes its output on.
package struct OutputPipes {
  private struct Pipe {
    var reader: Int32
    var writer: Int32
    var target: Int32
  }
  private var pipes: [Pipe] = []
  private let say: @Sendable (String) -> Void
  private let group = DispatchGroup()
  /// What is on its way.
  private let underWay = UnderWay()

  /// Pipes for what goes to these descriptors; nil where the system gives none.
  package init?(
    to targets: [Int32] = [STDOUT_FILENO, STDERR_FILENO],
    say: @escaping @Sendable (String) -> Void
  ) {
    self.say = say
    for target in targets {
      guard let pipe = Self.make(target) else {
        closeWriters()
        for pipe in pipes { close(pipe.reader) }
        return nil
      }
      pipes.append(pipe)
    }
  }

  private static func make(_ target: Int32) -> Pipe? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return Pipe(reader: ends[0], writer: ends[1], target: target)
  }

  /// This process reads no more of what goes to `target`.
  func closeReader(to target: Int32) {
    for pipe in pipes where pipe.target == target { close(pipe.reader) }
  }

  /// This process prints nothing into them: their ends are those of the launched one.
  package func closeWriters() {
    for pipe in pipes { close(pipe.writer) }
  }

  /// Gives the process that is launched so its ends.
  package func join(_ launch: inout LaunchOptions) {
    launch.output = pipes.first { $0.target == STDOUT_FILENO }?.writer ?? launch.output
    launch.errorOutput = pipes.first { $0.target == STDERR_FILENO }?.writer ?? launch.errorOutput
  }

  /// Passes on until the ends are closed, and records each line as printed by `pid`.
  package func startPassing(
    _ pid: Int32,
    to recorder: Recorder,
    onBroken: @escaping @Sendable (Int32) -> Void = { _ in }
  ) {
    recorder.beginOutput(ofPID: pid, pipes: pipes.count)
    startPassing(
      { PipeReading(recorder, pid: pid, isError: $0) },
      onEnd: { recorder.endOutput(ofPID: pid) },
      onBroken: onBroken
    )
  }

  /// Passes on until the ends are closed, and hands all to what `reading` makes for it.
  ///
  /// Where the passed-on text is no longer read, the command notices as it would without us: its
  /// end of the pipe breaks, once `onBroken` has closed that of the other process too.
  func startPassing(
    _ reading: (@Sendable (_ isError: Bool) -> PipeReading)? = nil,
    onEnd: @escaping @Sendable () -> Void = {},
    onBroken: @escaping @Sendable (Int32) -> Void = { _ in }
  ) {
    let (underWay, say) = (underWay, say)
    for pipe in pipes {
      DispatchQueue(label: "lifetrace.output").async(group: group) {
        var reading = reading?(pipe.target == STDERR_FILENO)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isBroken = false
        var hasComplained = false
        // Otherwise it was not read further, and the last line may have more.
        var isAtEnd = false
        while !isBroken, !underWay.state.withLock(\.isOver) {
          var polled = pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0)
          if poll(&polled, 1, Self.quiet) == 0 {
            // Its process is gone: what holds the pipe open is something that it has left behind.
            if underWay.state.withLock(\.isLeft) { break }
            continue
          }
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
                + (reading == nil ? "" : "; it is recorded all the same")
            )
          }
          reading?.take(buffer[0..<count])
        }
        reading?.end(isWhole: isAtEnd)
        if isBroken { onBroken(pipe.target) }
        underWay.state.withLock { _ = $0.ended.insert(pipe.target) }
        close(pipe.reader)
        onEnd()
      }
    }
  }

  /// The process has ended: its pipes are read until nothing comes for a moment, whoever holds them.
  package func leave() { underWay.state.withLock { $0.isLeft = true } }

  /// Milliseconds.
  private static var quiet: Int32 { 500 }

  /// Waits for the text printed until now, however slowly it is read; then only for a moment: a
  /// process that lives on may hold the pipe open, and print without end.
  package func finish() {
    let before = underWay.state.withLock(\.passed)
    while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut, hasMore,
      underWay.state.withLock(\.passed) - before < Self.openBytesMax
    {}
    underWay.state.withLock { $0.isOver = true }
  }

  /// No more than this was printed and not passed on: what two pipes and two buffers hold.
  private static let openBytesMax = 4 * 65_536

  private var hasMore: Bool {
    underWay.state.withLock { state in
      var polled = pipes.filter { !state.ended.contains($0.target) }
        .map { pollfd(fd: $0.reader, events: Int16(POLLIN), revents: 0) }
      let isWaiting =
        poll(&polled, nfds_t(polled.count), 0) > 0
        && polled.contains { $0.revents & Int16(POLLIN) != 0 }
      return isWaiting || state.blocks > 0
    }
  }

  private final class UnderWay: Sendable {
    struct State {
      /// Blocks that are read, and not yet passed on.
      var blocks = 0
      /// What came to its end, and is not open any more.
      var ended: Set<Int32> = []
      /// Bytes that were passed on.
      var passed = 0
      /// The process has ended.
      var isLeft = false
      /// Nothing more is read: the recording ends.
      var isOver = false
    }
    let state = Mutex(State())
  }
}
