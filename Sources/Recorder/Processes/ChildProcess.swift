// SPDX-License-Identifier: Apache-2.0

/// How a process is started.
package struct LaunchOptions: Sendable {
  /// The process group: 0 for a new one of its own, nil for the recorder's.
  package var group: Int32? = 0
  /// Variables added to the recorder's own environment, or replacing its.
  package var environment: [(name: String, value: String)] = []
  /// The working directory; nil for the recorder's.
  package var directory: String?
  /// Descriptors for stdin, stdout and stderr; nil inherits.
  package var input: Int32?
  /// The descriptor that becomes its standard output.
  package var output: Int32?
  /// The descriptor that becomes its standard error.
  package var errorOutput: Int32?

  /// A new group, everything else inherited.
  package init() {}
}

/// A process started by a ``Recorder``.
package final class ChildProcess: Sendable {
  /// Its process id.
  package let pid: Int32
  /// Its process group.
  package let group: Int32
  private let exit: Exit

  init(pid: Int32, group: Int32, exit: Exit) {
    self.pid = pid
    self.group = group
    self.exit = exit
  }

  /// How it ended, or nil while it runs.
  package var status: ExitStatus? { exit.status }

  /// Blocks until it has ended and its exit stands in its stream, at most for `nanoseconds`.
  package func wait(nanoseconds: Int64 = .max) -> ExitStatus? {
    exit.wait(nanoseconds: nanoseconds)
  }
}
