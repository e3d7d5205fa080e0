// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
import LifetraceTimeline
package import LifetraceTrace

/// JSON lines: one event a line, as `dump --json` prints it, with writers and kinds before them.
///
/// It is complete: `import jsonl` makes a recording of it that dumps the same.
package struct LinesFormat: ExportFormat, ~Copyable {
  package static var wantsPicture: Bool { false }
  package static var wantsEvents: Bool { true }

  private var bytes = OutputBytes()
  private var labels: [String] = []
  /// The kinds of later versions that were described.
  private var told = KindSet()

  /// Nothing is written yet.
  package init() {}

  package var pending: Int { bytes.count }

  package mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.take(body)
  }

  package mutating func begin(_ facts: ExportFacts) {
    labels = facts.labels
    for (stream, writer) in facts.writers.enumerated() where facts.isWanted(stream) {
      put(EventJSON.pairs(of: writer.id, writer.attributes, labels[stream]))
    }
  }

  package mutating func event(_ event: borrowing Event, at time: Int64, _ names: borrowing Names) {
    let kind = event.kind
    if kind.info == nil, !told.contains(kind) {
      told.insert(kind)
      if let pairs = names.info(of: kind).flatMap(EventJSON.pairs(of:)) { put(pairs) }
    }
    let label = labels[Int(event.stream.rawValue)]
    put(EventJSON.pairs(copy event, at: TraceTime(rawValue: time), copy names, label))
  }

  package mutating func damage(_ file: String, _ problem: String) {
    put([
      ("kind", .string(EventJSON.damageKind)), ("file", .string(file)),
      ("problem", .string(problem)),
    ])
  }

  private mutating func put(_ pairs: [(String, JSON)]) {
    bytes.put {
      JSON.write(pairs, to: &$0)
      $0.append(UInt8(ascii: "\n"))
    }
  }
}
