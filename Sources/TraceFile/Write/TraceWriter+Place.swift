// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform

/// What stands at the path of a trace that is being written.
package enum TracePlace: Hashable, Sendable {
  /// The trace, with all that was written.
  case here
  /// The trace; it was cut to this.
  case shorter(bytes: UInt64)
  /// Nothing, and the trace stands nowhere else.
  case gone
  /// Another file, and the trace stands nowhere else.
  case replaced
  /// The trace was moved: it stands there.
  case moved(to: String)
}

/// Where a trace is, once it was looked for.
package enum TraceWhereabouts: Hashable, Sendable {
  /// At its path, where it was all the time.
  case inPlace
  /// At its path, where it was written again.
  case writtenAgain
  /// At another path, because it was moved.
  case moved
  /// Beside its path, at which another file stands.
  case beside
}

extension TraceWriter {
  /// Looks at the path: two questions to the system, whatever the size.
  package func place() throws(TraceFileError) -> TracePlace {
    let own = try file.status()
    let there = File.status(of: path)
    // A directory that was closed to us hides the file, and does not take its name.
    let isHidden = there == nil && errno != ENOENT && errno != ENOTDIR
    if there.map(own.isOfSameFile) ?? (isHidden && own.links > 0 && file.hasKnownName) {
      return own.bytes < bytes ? .shorter(bytes: own.bytes) : .here
    }
    if own.links > 0, let path = file.presentPath { return .moved(to: path) }
    return File.statusOfName(path) == nil ? .gone : .replaced
  }

  /// Where a copy can be taken from as long as this process lives, whatever became of the path.
  package var openPath: String { file.openPath }

  /// Sees to it that the trace has a name: all that was written is still in the open file.
  ///
  /// No other file is overwritten. Where nothing stands at the path, the trace is written there
  /// again. A copy of its beginning is continued, if it is a file with this name alone. Beside
  /// anything else it is written as `PATH.saved-PID`. Where it was moved, it is finished there.
  package func bringBack() throws(TraceFileError) -> TraceWhereabouts {
    switch try place() {
    case .here, .shorter: return .inPlace
    case .moved(let now):
      file.path = now
      return .moved
    case .gone:
      makeDirectory(of: path)
      try copy(to: File(path, .create))
      return .writtenAgain
    case .replaced:
      if let copy = copyOfBeginning() {
        try self.copy(to: copy, isNew: false)
        return .writtenAgain
      }
      try copy(to: File("\(path).saved-\(getpid())", .create))
      return .beside
    }
  }

  /// Writes the trace to a new file, the place where it is from now on.
  package func save(to path: String) throws(TraceFileError) { try copy(to: File(path, .create)) }

  /// As `mkdir -p`; whether it worked shows when a file is made there.
  private func makeDirectory(of path: String) {
    let parts = path.split(separator: "/").dropLast()
    for count in parts.indices {
      mkdir("/" + parts[...count].joined(separator: "/"), 0o777)
    }
  }

  private static var copyBytes: Int { 1 << 20 }

  /// What stands at the path, if it may be gone on with.
  ///
  /// A file with a second name, or behind a link, may be a copy that was kept on purpose; a pipe
  /// must not even be opened. An empty file is no copy of anything: another process may have it
  /// open, and what that process writes later would be lost.
  private func copyOfBeginning() -> File? {
    guard let named = File.statusOfName(path), named.isRegular, named.links == 1,
      let copy = try? File(path, .append), let opened = try? copy.status(),
      opened.isOfSameFile(as: named), opened.links == 1, (try? copy.lock()) != nil,
      (try? isBeginning(copy)) == true
    else { return nil }
    return copy
  }

  /// Whether the other file holds nothing but the beginning of this one.
  private func isBeginning(_ other: File) throws(TraceFileError) -> Bool {
    let status = try other.status()
    guard (1...max(1, bytes)).contains(status.bytes) else { return false }
    var offset: UInt64 = 0
    while offset < status.bytes {
      let count = min(Self.copyBytes, Int(status.bytes - offset))
      guard try other.read(count, at: offset) == file.read(count, at: offset) else { return false }
      offset += UInt64(count)
    }
    return true
  }

  /// Writes what the other file does not have yet, and goes on with it; it is as it was where that fails.
  private func copy(to other: File, isNew: Bool = true) throws(TraceFileError) {
    let begin = try other.status().bytes
    do throws(TraceFileError) {
      if isNew {
        try other.lock()
        try other.change(mode: file.status().mode)
      }
      var offset = begin
      while offset < bytes {
        let part = try file.read(min(Self.copyBytes, Int(bytes - offset)), at: offset)
        // Bytes that were cut off are gone, and so is a hole in the copy.
        if part.isEmpty { break }
        try other.write(part, at: offset)
        offset += UInt64(part.count)
      }
      try other.truncate(to: bytes)
      try other.synchronize()
    } catch {
      try? other.truncate(to: begin)
      if isNew { other.remove() }
      throw error
    }
    file = other
  }
}
