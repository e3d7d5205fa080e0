// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
internal import LifetraceJSON

/// What a collector has on its disk of one writer, as it says so: the only word by which a sender
/// gives up a chunk.
///
///     {"writer":"3f…9c","from":0,"to":8192,"gaps":[[4096,4224]]}
///
/// Numbers `from` up to but not including `to` are there, except for those in the gaps. A session that
/// has the room that it is given says `"full":true` as well.
package struct Have: Sendable, Hashable {
  /// More gaps are not told: `to` ends before the next one then.
  package static let gapsMax = 256
  /// A message that says more is refused.
  package static let bytesMax = 64 << 10

  /// Of whom.
  package var writer: WriterID
  /// Which numbers.
  package var held: Held
  /// Whether its session has all the room that it is given: what is not held is not taken.
  package var isFull: Bool

  /// What is held of `writer`.
  package init(_ writer: WriterID, _ held: Held, isFull: Bool = false) {
    self.writer = writer
    self.held = held
    self.isFull = isFull
  }

  /// The message.
  package var body: [UInt8] {
    let stretches = held.stretches.prefix(Self.gapsMax + 1)
    let gaps = zip(stretches, stretches.dropFirst()).map {
      JSON.array([JSON($0.upperBound), JSON($1.lowerBound)])
    }
    var out: [UInt8] = []
    var members: [(String, JSON)] = [
      ("writer", .string(writer.text)), ("from", JSON(stretches.first?.lowerBound ?? 0)),
      ("to", JSON(stretches.last?.upperBound ?? 0)), ("gaps", .array(gaps)),
    ]
    if isFull { members.append(("full", .bool(true))) }
    JSON.write(members, to: &out)
    return out
  }

  /// Reads a message; nil where it is none.
  ///
  /// Whatever it claims costs no more than its own bytes.
  package init?(_ body: [UInt8]) {
    guard body.count <= Self.bytesMax, let json = try? JSON(parsing: body),
      let writer = json["writer"]?.string.flatMap(WriterID.init(text:)),
      let from = json["from"]?.int.flatMap(UInt64.init(exactly:)),
      let to = json["to"]?.int.flatMap(UInt64.init(exactly:)), from <= to,
      let gaps = json["gaps"]?.array, gaps.count <= Self.gapsMax
    else { return nil }
    var stretches: [Range<UInt64>] = []
    var next = from
    for gap in gaps {
      guard let ends = gap.array, ends.count == 2,
        let low = ends[0].int.flatMap(UInt64.init(exactly:)),
        let high = ends[1].int.flatMap(UInt64.init(exactly:)),
        next < low, low < high, high < to
      else { return nil }
      stretches.append(next..<low)
      next = high
    }
    self.init(writer, Held(stretches + [next..<to]), isFull: json["full"]?.bool ?? false)
  }
}

extension WriterID {
  /// Reads what ``text`` has written.
  package init?(text: String) {
    guard let id = WideID(text) else { return nil }
    self.init(high: id.high, low: id.low)
  }
}
