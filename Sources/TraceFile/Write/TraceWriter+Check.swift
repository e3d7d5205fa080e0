// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What a look at the path of a finished trace finds, against what was written.
package struct WrittenCheck: Equatable, Sendable {
  /// Events that cannot be read there any more.
  package var eventsMissing: UInt64 = 0
  /// The damage of the file, in a few words; nil where it is as it was written.
  package var problem: String?
  /// Why the file could not be opened at its path, though it has its name: the open file was
  /// compared instead.
  package var unopened: TraceFileError?
}

extension TraceWriter {
  /// In a larger trace the payloads of the last part are read, and all headers.
  package static let checkedBytesMax: UInt64 = 1 << 30

  /// Opens the path anew and compares what is there with what was written: the file, its size, the
  /// checksum of every chunk, the index.
  package func check(
    payloadBytesMax: UInt64 = TraceWriter.checkedBytesMax
  ) throws(TraceFileError) -> WrittenCheck {
    let again: File
    do throws(TraceFileError) {
      again = try File(path, .read)
    } catch {
      switch try place() {
      case .here, .shorter:
        var result = try compare(file, payloadBytesMax)
        result.unopened = error
        return result
      case .gone, .replaced, .moved:
        return WrittenCheck(problem: "nothing stands there any more")
      }
    }
    guard try again.status().isOfSameFile(as: try file.status()) else {
      return WrittenCheck(problem: "another file stands there")
    }
    return try compare(again, payloadBytesMax)
  }

  private func compare(
    _ again: File,
    _ payloadBytesMax: UInt64
  ) throws(TraceFileError) -> WrittenCheck {
    let status = try again.status()
    let from = bytes > payloadBytesMax ? bytes - payloadBytesMax : 0
    var result = WrittenCheck()
    result.eventsMissing = try written.eventsMissing(in: again, payloadsFrom: from)
    if status.bytes != bytes {
      let there = Quantity.count(status.bytes, "byte")
      result.problem = "it has \(there), and \(Quantity.grouped(bytes)) were written"
    } else if result.eventsMissing > 0 {
      result.problem = "its bytes are not those that were written"
    } else if let (offset, footer) = written.footer,
      try again.read(footer.count, at: offset) != footer
    {
      result.problem = "its index is not the one that was written"
    }
    return result
  }
}
