// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What became of the data of each process, and of the processes themselves.
struct PageLedger {
  /// More objects are counted.
  private static let rowsMax = 1_000

  let player: Player
  /// Of what there was more than is followed, by process; known once the rows are.
  private(set) var bounds: [Bound] = []
  /// Which rules about data each object has broken, in each life.
  private var broken: [Key: [String]] = [:]

  /// Of what there was more in a process than is followed.
  struct Bound {
    let label: String
    /// All of it, in words.
    let words: String
    /// The same of data objects alone; nil where all of them are followed.
    let ofObjects: String?
  }

  private struct Key: Hashable {
    let stream: StreamID
    let object: String
  }

  init(_ player: Player, _ findings: Findings) {
    self.player = player
    for finding in findings.violations.prefix(PageFindings.listedMax)
    where finding.rule.hasPrefix("DS") && !finding.object.isEmpty {
      let key = Key(stream: finding.stream, object: finding.object)
      if broken[key]?.contains(finding.rule) != true {
        broken[key, default: []].append(finding.rule)
      }
    }
  }

  /// A row for each object of each life: the newest edit, the last save, and what became of it; the
  /// losses first.
  ///
  /// Where objects had no room in a life, they are at least those that there are.
  mutating func json(_ room: inout PageRoom) -> JSON {
    var rows: [(rank: Int, time: Int64, row: JSON)] = []
    for stream in player.timeline.streams {
      let state = player.state(of: stream.id, after: stream.count)
      if let words = Wording.bounds(of: state) {
        let ofObjects = Wording.bounds(of: state, [.data])
        bounds.append(
          Bound(label: player.labels[stream.id], words: words, ofObjects: ofObjects)
        )
      }
      for object in state.data.values {
        if let edit = object.dirty { rows.append(row(object, edit, state, stream.id)) }
      }
    }
    rows.sort { ($0.rank, $0.time) < ($1.rank, $1.time) }
    let listed = room.fit(rows.prefix(Self.rowsMax).map(\.row), share: 0.25, "ledger row")
    return .object([
      ("rows", .array(listed)), ("more", JSON(rows.count - listed.count)),
      ("bounds", .array(objectBounds.map(JSON.string))),
    ])
  }

  /// More processes with bounds are counted.
  private static let boundsMax = 8

  /// Why the rows are at least those that there are, a sentence for each process; nothing where they are all.
  private var objectBounds: [String] {
    Self.limited(
      bounds.filter { $0.ofObjects != nil }
        .map { "\(Printable.line($0.label)): at least these; \($0.ofObjects ?? "")." }
    )
  }

  /// The same of all that the page says, for which the numbers of a process are the least that there is.
  var remarks: [String] {
    Self.limited(bounds.map { "\($0.label): at least what is shown; \($0.words)." })
  }

  private static func limited(_ sentences: [String]) -> [String] {
    let more = sentences.count - boundsMax
    return sentences.prefix(boundsMax)
      + (more > 0 ? ["The same of \(Quantity.count(more, "process")) more."] : [])
  }

  private func row(
    _ object: DataObject,
    _ edit: DataObject.Edit,
    _ state: LifeState,
    _ stream: StreamID
  ) -> (rank: Int, time: Int64, row: JSON) {
    let names = player.names
    let level = state.endLevel(names)
    let isUnsaved = object.isUnsaved(at: level)
    let isCertain = object.survival(at: level) == nil && state.doubt(.data, since: edit.time) == nil
    let (rank, fate) =
      switch (isUnsaved, state.losesAtEnd(names)) {
      case (false, _):
        object.saveOfOtherBytes == nil ? (3, "saved") : (1, "saved with other bytes")
      case (true, false): (2, "unsaved")
      case (true, true): isCertain ? (0, "lost") : (1, "may be lost")
      }
    let first = object.firstUnsaved ?? edit
    let end = state.process.ending?.time ?? state.lastTime
    let time = player.timeline.alignment.traceTime(edit.time, of: stream).rawValue
    let source = SourcePlace(edit.site, names).map { Printable.line("\($0)") } ?? ""
    let key = Key(stream: stream, object: names[object.name])
    let saved = object.lastSave.map { save in
      JSON.object([
        ("version", JSON(save.version)), ("seq", JSON(save.sequence)),
        ("level", .string(Wording.level(save.level))),
      ])
    }
    return (
      rank, time,
      .object([
        ("object", .string(Printable.line(names[object.name]))),
        ("life", JSON(Int(stream.rawValue))), ("version", JSON(edit.version)),
        ("bytes", JSON(edit.bytes)), ("seq", JSON(edit.sequence)), ("time", .int(time)),
        ("source", .string(source)), ("saved", saved ?? .null), ("fate", .string(fate)),
        ("rules", .array((broken[key] ?? []).map(JSON.string))),
        ("for", isUnsaved ? .int(end - first.time) : .null),
      ])
    )
  }

  /// The processes with a stream, by its number.
  var lives: [JSON] {
    let timeline = player.timeline
    return timeline.streams.map { stream in
      let state = player.state(of: stream.id, after: stream.count)
      let first = timeline.alignment
        .traceTime(stream.chunks.first?.firstTime ?? HostTime(rawValue: 0), of: stream.id)
      let last = timeline.alignment
        .traceTime(stream.chunks.last?.lastTime ?? HostTime(rawValue: 0), of: stream.id)
      let ending = state.process.ending
      let how = ending.flatMap { ending in
        timeline.place(of: stream.id, sequence: ending.sequence)
          .map { EventText.sentence(timeline.event(at: $0), player.names).line }
      }
      return .object([
        ("label", .string(player.labels[stream.id])),
        ("pid", JSON(Int(stream.attributes.pid))),
        ("role", .string("\(stream.attributes.role)")),
        ("previous", player.previous(of: stream.id).map { JSON(Int($0.rawValue)) } ?? .null),
        ("begin", .int(first.rawValue)), ("end", .int(last.rawValue)),
        ("events", JSON(stream.count)),
        ("first", stream.chunks.first.map { JSON($0.firstSequence) } ?? .null),
        ("how", .string(how ?? (ending == nil ? "still running at the end" : "ended"))),
      ])
    }
  }
}
