// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceLayout
import LifetraceTrace

/// A layout as a page draws it: each lane at several levels of detail, so that any zoom draws about
/// as much as the screen has pixels.
struct PageLanes {
  /// A level is made of lanes with more items than this.
  private static let itemsMin = 300
  /// From level to level things may be as many times as near to each other and still be one.
  private static let step: Int64 = 4
  /// More levels are not made.
  private static let levelsMax = 12

  private let layout: Layout
  private let names: Names
  private var groups: [Group] = []
  private var lanes: [Packing] = []
  /// The lanes in the order in which they find room.
  private var order: [Int] = []

  /// What stands above lanes.
  private struct Group {
    let head: [(String, JSON)]
    var isTaken = false
  }

  /// A lane on its way into the page.
  private struct Packing {
    let group: Int
    let head: [(String, JSON)]
    /// The finest first.
    let levels: [Lane]
    /// Those that found room, from the coarsest on: any zoom can be drawn with that one.
    var packed: [JSON] = []
  }

  /// Of the streams before `streams`; the lanes of processes that stand early in `first` find room
  /// before others.
  init(_ layout: Layout, _ names: Names, streams: Int, first: [StreamID]) {
    (self.layout, self.names) = (layout, names)
    var ranks: [StreamID: Int] = [:]
    for (rank, stream) in first.enumerated() where ranks[stream] == nil { ranks[stream] = rank }
    var rankOfLane: [Int] = []
    for group in layout.groups where group.lives.allSatisfy({ $0.stream.rawValue < streams }) {
      let rank = group.lives.compactMap { ranks[$0.stream] }.min() ?? .max
      for lane in group.lanes {
        lanes.append(
          Packing(group: groups.count, head: Self.head(of: lane), levels: levels(of: lane))
        )
        rankOfLane.append(rank)
      }
      groups.append(
        Group(head: [
          ("name", .string(Printable.line(group.name))),
          ("lives", .array(group.lives.map { JSON(Int($0.stream.rawValue)) })),
        ])
      )
    }
    order = lanes.indices.sorted { (rankOfLane[$0], $0) < (rankOfLane[$1], $1) }
  }

  private static func head(of lane: Lane) -> [(String, JSON)] {
    [
      ("kind", .string("\(lane.kind)")), ("name", .string(Printable.line(lane.name))),
      ("rows", JSON(lane.depth)),
    ]
  }

  /// Takes room for lanes, of at most `most` bytes: each at its coarsest before one is finer.
  ///
  /// What finds none now may find some in a later call. Numbers go into `columns`, names into
  /// `strings`.
  mutating func pack(
    _ columns: inout PageColumns,
    _ strings: inout PageStrings,
    _ room: inout PageRoom,
    most: Int
  ) {
    var most = most
    var isFuller = true
    while isFuller {
      isFuller = false
      for lane in order where lanes[lane].packed.count < lanes[lane].levels.count {
        if packNext(lane, &columns, &strings, &room, &most) { isFuller = true }
      }
    }
  }

  /// The next finer level of a lane, where there is room for it.
  private mutating func packNext(
    _ lane: Int,
    _ columns: inout PageColumns,
    _ strings: inout PageStrings,
    _ room: inout PageRoom,
    _ most: inout Int
  ) -> Bool {
    let packing = lanes[lane]
    var frame = Self.frameBytes
    if packing.packed.isEmpty {
      frame += PageText.bytes(of: .object(packing.head)) + Self.frameBytes
      if !groups[packing.group].isTaken {
        frame += PageText.bytes(of: .object(groups[packing.group].head)) + Self.frameBytes
      }
    }
    guard frame <= min(most, room.left) else { return false }
    var own = PageColumns()
    let level = packing.levels[packing.levels.count - 1 - packing.packed.count]
    let json = self.level(level, from: columns.bytes.count, &own, &strings)
    let bytes = PageColumns.letters(own.bytes.count) + frame
    guard room.take(bytes, most: most) else { return false }
    most -= bytes
    columns.append(own)
    groups[packing.group].isTaken = true
    lanes[lane].packed.append(json)
    return true
  }

  /// The groups with their lanes, the finest level first; says what found no room.
  func json(_ room: inout PageRoom) -> JSON {
    var shown: [[JSON]] = Array(repeating: [], count: groups.count)
    for lane in lanes where !lane.packed.isEmpty {
      shown[lane.group].append(.object(lane.head + [("levels", .array(lane.packed.reversed()))]))
    }
    let coarse = lanes.count { !$0.packed.isEmpty && $0.packed.count < $0.levels.count }
    room.leaveOut(coarse, "lane", part: "the full detail of ")
    room.leaveOut(lanes.count { $0.packed.isEmpty }, "lane")
    return .array(
      zip(groups, shown).compactMap { group, lanes in
        guard group.isTaken else { return nil }
        return .object(group.head + [("lanes", .array(lanes))])
      }
    )
  }

  /// What the names of a level's or a group's parts take.
  private static let frameBytes = 120

  /// The lane, and with ever less detail where it holds much.
  private func levels(of lane: Lane) -> [Lane] {
    var levels = [lane]
    var last = lane
    var grain = max(1_000, (layout.span.upperBound - layout.span.lowerBound) >> 22, lane.grain * 2)
    while last.bars.count + last.instants.count > Self.itemsMin, levels.count < Self.levelsMax {
      let next = last.detail(grain)
      grain *= Self.step
      let (before, now) = (
        last.bars.count + last.instants.count, next.bars.count + next.instants.count
      )
      // A level that draws nearly as much is not worth its bytes.
      guard now * 2 < before else {
        if grain > layout.span.upperBound - layout.span.lowerBound { break }
        continue
      }
      levels.append(next)
      last = next
    }
    return levels
  }

  /// Packs the bars and the instants of one level.
  ///
  /// Of bars: begin, length, look and row, stream, number of the event, name, count, how much of it
  /// is empty; of instants: time, kind, stream, number, count. Begins and numbers as differences.
  /// They will stand at `start` among those of the page.
  private func level(
    _ lane: Lane,
    from start: Int,
    _ columns: inout PageColumns,
    _ strings: inout PageStrings
  ) -> JSON {
    var (time, sequence) = (layout.span.lowerBound, Int64(0))
    let barsAt = start + columns.bytes.count
    for bar in lane.bars {
      columns.number(UInt64(bar.begin - time))
      columns.number(UInt64(bar.length))
      columns.number(UInt64(bar.look.rawValue) << 3 | UInt64(bar.depth))
      columns.number(bar.stream.rawValue)
      columns.signed(Int64(clamping: bar.sequence) - sequence)
      columns.number(strings.place(of: names[bar.name]))
      columns.number(bar.count)
      columns.number(255 - bar.fill)
      (time, sequence) = (bar.begin, Int64(clamping: bar.sequence))
    }
    (time, sequence) = (layout.span.lowerBound, 0)
    let instantsAt = start + columns.bytes.count
    for instant in lane.instants {
      columns.number(UInt64(instant.time - time))
      columns.number(instant.kind.rawValue)
      columns.number(instant.stream.rawValue)
      columns.signed(Int64(clamping: instant.sequence) - sequence)
      columns.number(instant.count)
      (time, sequence) = (instant.time, Int64(clamping: instant.sequence))
    }
    return .object([
      ("grain", JSON(Int(lane.grain))),
      ("bars", .array([JSON(barsAt), JSON(lane.bars.count)])),
      ("marks", .array([JSON(instantsAt), JSON(lane.instants.count)])),
    ])
  }

  /// The arrows of messages: where each left and arrived, as stream, number and time.
  func flows(_ columns: inout PageColumns, _ room: inout PageRoom) -> JSON {
    var flows = PageColumns()
    for flow in layout.flows {
      for end in [flow.from, flow.to] {
        flows.number(end.stream.rawValue)
        flows.number(end.sequence)
        flows.signed(end.time)
      }
    }
    guard room.take(PageColumns.letters(flows.bytes.count), most: room.left / 4) else {
      room.leaveOut(layout.flows.count, "message arrow")
      return .array([JSON(0), JSON(0)])
    }
    return .array([JSON(columns.add { $0.append(flows) }), JSON(layout.flows.count)])
  }

  /// The axis: of each piece its begin and end, whether it is cut, and its share of the width.
  var axis: JSON {
    let axis = layout.axis(cutsMax: Self.cutsMax)
    return .array(
      zip(axis.pieces, axis.shares).map { piece, share in
        .array([.int(piece.begin), .int(piece.end), .bool(piece.isCut), .double(share)])
      }
    )
  }

  private static let cutsMax = 200
}
