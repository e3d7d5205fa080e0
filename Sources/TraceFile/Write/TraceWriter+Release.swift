// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension TraceWriter {
  /// Gives up chunks that stand elsewhere, while the file is written.
  ///
  ///     let isGone = try writer.release { id, chunk in collected[id]?.contains(chunk) == true }
  ///
  /// The others are copied as they stand to a file beside this one, which is synced and takes its
  /// place in one step. So whenever this process is killed or the power fails, a file with every
  /// chunk that is not given up stands at ``path``; readers that have the old one open keep it.
  /// False, and all is as it was, where something else stands at the path or part of the file is
  /// damaged. It costs a pass over the headers, and a copy of the rest.
  package func release(
    _ isGiven: (WriterID, ChunkInfo) -> Bool
  ) throws(TraceFileError) -> Bool {
    guard file.stands(at: path) else { return false }
    let reader = try TraceReader(path: path, comparesPayloads: false)
    guard !reader.problems.contains(where: { $0.isDamage && $0.kind != .gap }) else { return false }
    let rest = reader.streams.flatMap { stream in
      stream.chunks.filter { !isGiven(stream.writer, $0) }
    }
    let copy = try TraceWriter(
      path: SideFile.compact.path(beside: path),
      options: .init(.create, compacts: false)
    )
    do throws(TraceFileError) {
      try copy.file.change(mode: file.status().mode)
      for chunk in rest.sorted(by: { $0.offset < $1.offset }) {
        try copy.append(copying: chunk, of: reader)
      }
      try copy.synchronize()
      guard try copy.file.takePlace(of: file) else {
        copy.file.remove()
        return false
      }
    } catch {
      copy.file.remove()
      throw error
    }
    goOn(in: copy)
    // What is written from here on is synced as part of a file that must have its name then.
    try TracePath.synchronizeFolder(of: path)
    return true
  }
}
