// SPDX-License-Identifier: Apache-2.0

/// The lock of a trace's writer, on a file that is not written to: as long as this lives.
package final class TraceLock {
  private let file: File

  /// Takes the lock; throws where a writer is at work on the file.
  package init(_ path: String) throws(TraceFileError) {
    file = try File(path, .append)
    try file.lock()
  }

  /// Whether the file stands there.
  package func stands(at path: String) -> Bool { file.stands(at: path) }
}
