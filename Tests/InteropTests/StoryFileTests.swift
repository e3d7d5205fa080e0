// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import LifetraceJudging
import LifetraceReports
import LifetraceRules
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

@testable import LifetraceInterop

/// Stories as files of which a part is lost.
@Suite struct StoryFileTests {
  /// Without the first of two chunks the second one knows nothing of the edit that it loses.
  @Test(arguments: ["contents", "first byte", "head"])
  func whatALostChunkMayHaveHeldIsUndecidable(_ part: String) throws {
    let story = try Story.parse(
      """
      app notes#1 profile=ios13
      +0s notes#1 main process.start reason=icon app=notes
      +1s notes#1 main data.dirty draft.txt version=1 bytes=900 @Editor.swift:41
      +2s notes#1 main mark "here"
      +3s notes#1 main state.purge cause=purge

      """
    )
    let path =
      "\(TestProgram.temporary)/lifetrace-lost-chunk-\(getpid())-\(part.prefix(4)).lifetrace"
    let repaired = path + ".repaired"
    defer {
      unlink(path)
      unlink(repaired)
    }
    let file = try TraceWriter(path: path, options: .create)
    let writer = try #require(story.writers.first)
    for (rows, keyframe) in [(0..<3, KeyframePlace.full), (3..<4, .continued(from: 0))] {
      var encoder = ChunkEncoder()
      for event in writer.events[rows] { encoder.append(event) }
      let header = ChunkHeader(
        writer: writer.id,
        attributes: writer.attributes,
        firstSequence: UInt64(rows.lowerBound),
        keyframe: keyframe
      )
      let state = keyframe == .full ? LifeState().encode(names: story.names) : []
      try file.append(encoder.finish(header: header, keyframe: state, names: story.names))
    }
    try file.finish(end: true)
    let second = Int(try TraceReader(path: path).streams[0].chunks[1].offset)
    var bytes = try #require(Self.read(path))
    switch part {
    case "contents": bytes[second - 3] ^= 0x10
    case "first byte": bytes[0] ^= 0x10
    default: bytes.removeFirst(second / 2)
    }
    Self.write(bytes, path)
    _ = try TraceCopy.make(repaired, from: [path])
    for path in [path, repaired] {
      let recording = try JoinedTraces([try TraceReader(path: path)])
      let text = CheckFacts(recording, by: Judgement(), named: "trace").text()
      #expect(text.contains("undecidable:\n  DS02  notes#1"), "\(text)")
      #expect(text.contains("an edit may be missing: 3 events"), "\(text)")
      #expect(text.contains("3 events lost: what they held was not judged."), "\(text)")
    }
    let copy = try TraceReader(path: repaired)
    try copy.verify()
    #expect(copy.problems.filter { $0.kind != .noEnd }.isEmpty, "\(copy.problems)")
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    return bytes
  }

  private static func write(_ bytes: [UInt8], _ path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
