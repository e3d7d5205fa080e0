// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceInterop
import LifetracePlatform
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// The files of `Traces/vectors` and what they hold, for whoever writes another reader; in `releases`
/// what each release has recorded of the sample app.
///
/// They are never rewritten: a version that cannot read them any more has broken the format. A
/// missing one is made from its seed, and the test of its text fails saying so.
@Suite("Test vectors read as they always did")
struct VectorTests {
  /// A recording of each release, named after it.
  private static var releases: [String] {
    namesInDirectory("\(Golden.root)/Traces/vectors/releases").filter { $0.hasSuffix(".lifetrace") }
      .map { "releases/" + $0.dropLast(".lifetrace".count) }
  }

  @Test(
    arguments: [
      "one-event", "two-writers", "two-strides", "no-index", "torn", "damaged", "cat",
      "origin", "clocks", "messages", "message-columns", "strings",
    ] + releases
  )
  func vector(name: String) throws {
    let path = "\(Golden.root)/Traces/vectors/\(name).lifetrace"
    if access(path, R_OK) != 0 { try make(name, path) }
    let reader = try TraceReader(path: path)
    try reader.verify()
    var lines: [String] = []
    for stream in reader.streams {
      let label = "app\(stream.writer.low)"
      var writer = StoryWriter()
      lines.append(writer.header(for: stream.writer, stream.attributes, label: label))
      for chunk in stream.chunks {
        guard let decoded = try? reader.decode(chunk) else { continue }
        let place = "keyframe=\(decoded.keyframe) losses=\(decoded.header.losses.count)"
        lines.append("# chunk at byte \(chunk.offset): events=\(chunk.eventCount) \(place)")
        lines += tags(decoded.header, table: name == "message-columns" ? 35 : 34)
        // Of a long chunk every 500th event will do.
        let step = decoded.events.count > 100 ? 500 : 1
        for index in Swift.stride(from: 0, to: decoded.events.count, by: step) {
          lines.append(writer.next(decoded.events[index], names: reader.names, label: label))
        }
      }
    }
    lines += reader.problems.map { "# \($0)" }
    // In the order of the list.
    if name == "strings", let strings = reader.strings {
      let quoted = strings.map { "\"\($0)\"" }.joined(separator: " ")
      lines.append("# \(strings.count) strings: \(quoted)")
    }
    lines.append(reader.hasEnd ? "# ended well" : "# no end")
    let text = lines.joined(separator: "\n") + "\n"
    let difference = Golden.difference(text, "Traces/vectors/\(name).txt")
    #expect(difference == nil, "\(difference ?? "")")
  }

  /// Two readings, the second of which took no known time.
  private static let clocks = [
    ClockBracket(tick: 2_400, monotonic: 1_000, boottime: 1_500, real: 9_000, width: 80),
    ClockBracket(tick: 4_800, monotonic: 2_000, boottime: 2_500, real: 10_000),
  ]

  /// A counter of 2.4 GHz that is bent, stands, and begins anew.
  private static let fit = [
    ClockPiece(tick: 2_400, nanoseconds: 1_000, rate: 0x6aaa_aaaa),
    ClockPiece(tick: 4_800, nanoseconds: 2_000, rate: 0),
    ClockPiece(tick: 100, nanoseconds: 2_500, rate: 0x6aab_0000, run: 1),
  ]

  /// What the tags from 32 on say of a chunk whose fit is known, a line each.
  private func tags(_ header: ChunkHeader, table: Int) -> [String] {
    guard !header.fit.isEmpty else { return [] }
    let messages = header.messages ?? []
    return [
      "# 32: " + header.clocks.map { "\($0.width)" }.joined(separator: " "),
      "# 33: "
        + header.fit.map { "\($0.tick) \($0.nanoseconds) \($0.rate) \($0.run)" }
        .joined(separator: ", "),
      "# \(table): "
        + messages.map { edge in
          let flow = String(edge.flow, radix: 16)
          return "\(edge.row) \(edge.time.rawValue) \(flow) \(edge.isSend ? "sent" : "received") "
            + "\(edge.lateness) late"
        }.joined(separator: ", "),
    ]
  }

  private func make(_ name: String, _ path: String) throws {
    let folder = try TestFolder()
    let sizes =
      switch name {
      case "one-event": [1]
      case "two-strides": [5_000]
      case "clocks", "messages", "message-columns": [40, 40]
      default: [5, 4, 7, 2]
      }
    let origin = RecordingOrigin(
      session: WideID(high: 1, low: 2),
      run: "nightly 42",
      machine: WideID(high: 0x4000, low: 2 << 62),
      recorder: WideID(high: 5, low: 6)
    )
    let sample = try Sample(
      folder: folder,
      sizes: sizes,
      seed: 42,
      origin: name == "origin" ? origin : RecordingOrigin(),
      clocks: sizes == [40, 40] ? Self.clocks : [],
      fit: sizes == [40, 40] ? Self.fit : [],
      talks: name.hasPrefix("message"),
      keyframe: name == "strings" ? [] : Sample.strangeKeyframe
    )
    let last = try #require(sample.chunks.last?.end)
    var bytes = sample.bytes
    switch name {
    case "no-index": bytes = Array(bytes[..<last])
    case "torn": bytes = Array(bytes[..<(last - 20)])
    case "damaged": bytes[sample.chunks[1].end - 9] ^= 4
    case "cat": bytes += bytes
    default: break
    }
    let copy = try folder.write(bytes, to: "copy")
    try #require(rename(copy, path) == 0 || system("cp '\(copy)' '\(path)'") == 0)
  }
}
