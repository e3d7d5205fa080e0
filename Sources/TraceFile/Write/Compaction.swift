// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Merges neighbouring small chunks of a stream, once its recording has ended.
///
/// Chunks are sealed every few seconds, so that little is lost and followers see much; a quiet
/// process leaves many small ones, which cost more bytes and more time to open. The new file takes
/// the old one's place in one step, so there is a whole trace at any moment. It takes the place of
/// that file only: another file that was put there meanwhile is put back.
enum Compaction {
  /// Fewer chunks than this are left alone.
  static let chunksMin = 4

  /// Chunks of one stream that become one.
  struct Group {
    var chunks: [ChunkInfo]
    var events: Int
  }

  /// Groups of neighbours, in sequence order.
  static func groups(_ chunks: [ChunkInfo]) -> [Group] {
    var groups: [Group] = []
    for chunk in chunks {
      if let last = groups.last, last.events + chunk.eventCount <= Chunk.rowsMax,
        chunk.missingBefore == 0, chunk.losses.isEmpty
      {
        groups[groups.count - 1].chunks.append(chunk)
        groups[groups.count - 1].events += chunk.eventCount
      } else {
        groups.append(Group(chunks: [chunk], events: chunk.eventCount))
      }
    }
    return groups
  }

  /// Writes the compacted trace beside the old one and puts it in its place; nil where that is
  /// not worth the while, or where something else than `file` stands there.
  static func run(_ file: File, sync: Bool) throws(TraceFileError) -> TraceWriter? {
    guard file.stands(at: file.path) else { return nil }
    let reader = try TraceReader(path: file.path)
    let groups = reader.streams.map { Compaction.groups($0.chunks) }
    let before = reader.streams.reduce(0) { $0 + $1.chunks.count }
    let after = groups.reduce(0) { $0 + $1.count }
    guard before >= chunksMin, after * 4 <= before * 3, !reader.problems.contains(where: \.isDamage)
    else { return nil }
    let temporary = SideFile.compact.path(beside: file.path)
    let writer = try TraceWriter(path: temporary, options: .init(.create, compacts: false))
    do throws(TraceFileError) {
      try writer.file.change(mode: file.status().mode)
      let order = groups.joined().sorted { $0.chunks[0].offset < $1.chunks[0].offset }
      for group in order {
        try append(group, of: reader, among: groups, to: writer)
      }
      try writer.finish(end: reader.hasEnd)
      if sync { try writer.synchronize() }
      guard try writer.file.takePlace(of: file) else {
        writer.file.remove()
        return nil
      }
    } catch {
      writer.file.remove()
      throw error
    }
    return writer
  }

  private static func append(
    _ group: Group,
    of reader: TraceReader,
    among groups: [[Group]],
    to writer: TraceWriter
  ) throws(TraceFileError) {
    let first = group.chunks[0]
    let place = place(of: first, among: groups[Int(first.stream.rawValue)])
    if group.chunks.count == 1, place == first.keyframe {
      try writer.append(copying: first, of: reader)
      return
    }
    reader.forgetNames()
    var encoder = ChunkEncoder()
    var keyframe: [UInt8] = []
    var header: ChunkHeader?
    for chunk in group.chunks {
      let decoded = try reader.decode(chunk)
      if header == nil {
        header = decoded.header
        keyframe = decoded.keyframe
      }
      for event in decoded.events { encoder.append(event) }
      header?.attributes = decoded.header.attributes
      if chunk.offset != first.offset {
        header?.clocks += decoded.header.clocks
        header?.fit += decoded.header.fit
        header?.consumed += decoded.header.consumed
      }
    }
    guard var header else { return }
    header.keyframe = place
    // They were said of another chunk.
    header.unknownTags = []
    header.clocks = ClockBracket.thinned(header.clocks)
    header.fit = ClockPiece.joined(header.fit)
    header.consumed = highest(header.consumed)
    try writer.append(encoder.finish(header: header, keyframe: keyframe, names: reader.names))
  }

  /// Where the keyframe of a group's first chunk is after compaction: a chunk that it continues
  /// from may have become part of a larger one, which begins earlier.
  private static func place(of chunk: ChunkInfo, among groups: [Group]) -> KeyframePlace {
    var place = chunk.keyframe
    while case .continued(let from) = place {
      guard
        let group = groups.last(where: { $0.chunks[0].firstSequence <= from }),
        group.chunks[0].firstSequence < chunk.firstSequence
      else { break }
      guard case .continued(let earlier) = group.chunks[0].keyframe, earlier < from else {
        return .continued(from: group.chunks[0].firstSequence)
      }
      place = .continued(from: earlier)
    }
    return place
  }

  private static func highest(_ consumed: [ConsumedPosition]) -> [ConsumedPosition] {
    var records: [UInt64: UInt32] = [:]
    for position in consumed {
      records[position.serial] = max(records[position.serial] ?? 0, position.records)
    }
    return records.sorted { $0.key < $1.key }.map { .init(serial: $0.key, records: $0.value) }
  }
}
