// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
package import LifetraceTimeline
import LifetraceTrace

extension RecordingClocks {
  /// How people call the clocks: by their hosts, with a number where that is not enough.
  var names: [String] {
    let own = clocks.map { clock in
      clock.hosts.isEmpty
        ? "a host without a name" : clock.hosts.map(Printable.line).joined(separator: " and ")
    }
    let counts = Dictionary(own.map { ($0, 1) }, uniquingKeysWith: +)
    return own.enumerated().map { number, name in
      counts[name] == 1 ? name : "\(name) (\(clocks[number].domain) clock \(number + 1))"
    }
  }
}

extension Alignment {
  /// What contradicts the order of events of different clocks, a sentence each; empty where nothing does.
  package var doubts: [String] {
    let names = recording.names
    let odd = recording.graph.contradictions
    var doubts = odd.clocks.map { gone in
      "the clock of \(names[gone.clock]) is set aside: \(gone.against) of "
        + "\(Quantity.count(gone.partners, "clock")) that it has messages with contradict it"
    }
    doubts += odd.pairs.map { pair in
      "\(Quantity.count(pair.evidenceCount, "message")) between \(names[pair.first]) and "
        + "\(names[pair.second]) are set aside: they contradict each other or those of other clocks"
    }
    for piece in odd.pieces.map({ recording.evidence[$0] }) {
      doubts.append(
        "message 0x\(String(piece.label, radix: 16)) from \(names[piece.earlier.clock]) to "
          + "\(names[piece.later.clock]) is set aside: those around it contradict it"
      )
    }
    if !isOrdered { doubts.append("some messages stand before their sends: too many contradict") }
    return doubts
  }

  /// Says which clocks can be compared with no other; nil where all lie on one axis.
  package var unplaced: String? {
    guard !isOneAxis else { return nil }
    let names = recording.names
    let groups = Set(references).sorted().map { reference in
      references.indices.filter { references[$0] == reference }.map { names[$0] }
        .joined(separator: ", ")
    }
    return "clocks that cannot be compared, as no message went between them and not all know the "
      + "real time: \(groups.joined(separator: "; "))"
  }
}

extension Timeline {
  /// More flows are counted.
  private static let refusedMax = 4

  /// What contradicts the order of its events, or why messages have no part in it; a sentence each.
  package var contradictions: [String] {
    let why =
      source.settles ? "it was recorded for followers" : "its messages contradict each other"
    let refused = refusedMessages.prefix(Self.refusedMax).map { "0x\(String($0, radix: 16))" }
    let more = refusedMessages.count - refused.count
    let flows = refused + (more > 0 ? ["\(Quantity.count(more, "more"))"] : [])
    return alignment.doubts
      + (refused.isEmpty
        ? []
        : [
          "received before they were sent by the clock of both, so that they order nothing: messages "
            + "\(flows.joined(separator: ", "))"
        ])
      + (isCausal ? [] : ["\(why): messages are ordered by their times alone"])
  }

  /// Why the order of events of different machines cannot be relied on as far as it is proved; a
  /// sentence each, none where it can.
  package var doubts: [String] {
    contradictions + [alignment.unplaced].compactMap { $0 }
  }
}
