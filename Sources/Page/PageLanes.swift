// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceLayout
import LifetraceTrace

/// A layout as a page draws it: each lane at several levels of detail, so that any zoom draws about
/// as much as the screen has pixels.
struct PageLanes {
  /// A level is made of lanes with more items than this.
  private static let itemsMin = 1_500
  /// From level to level things may be as many times as near to each other and still be one.
  private static let step: Int64 = 4
  /// More levels are not made.
  private static let levelsMax = 12

  private let layout: Layout
  private let names: Names
  /// Streams from this one on are not on the page.
  private let streams: Int
  /// What lanes may still take.
  private var most: Int
  private var lanesOut = 0
  private var lanesCoarse = 0

  init(_ layout: Layout, _ names: Names, streams: Int, bytesMax: Int) {
    (self.layout, self.names, self.streams) = (layout, names, streams)
    most = bytesMax
  }

  /// The groups with their lanes; numbers go into `columns`, names into `strings`.
  mutating func json(
    _ columns: inout PageColumns,
    _ strings: inout PageStrings,
    _ room: inout PageRoom
  ) -> JSON {
    var groups: [JSON] = []
    for group in layout.groups where group.lives.allSatisfy({ $0.stream.rawValue < streams }) {
      let name: [(String, JSON)] = [
        ("name", .string(Printable.line(group.name))),
        ("lives", .array(group.lives.map { JSON(Int($0.stream.rawValue)) })),
      ]
      guard take(PageText.bytes(of: .object(name)) + Self.frameBytes, &room) else {
        lanesOut += group.lanes.count
        continue
      }
      let lanes = group.lanes.compactMap { json(of: $0, &columns, &strings, &room) }
      groups.append(.object(name + [("lanes", .array(lanes))]))
    }
    room.leaveOut(lanesCoarse, "lane in full detail")
    room.leaveOut(lanesOut, "lane")
    return .array(groups)
  }

  /// A lane, as fine as there is room for; nil where there is none.
  private mutating func json(
    of lane: Lane,
    _ columns: inout PageColumns,
    _ strings: inout PageStrings,
    _ room: inout PageRoom
  ) -> JSON? {
    let head: [(String, JSON)] = [
      ("kind", .string("\(lane.kind)")), ("name", .string(Printable.line(lane.name))),
      ("rows", JSON(lane.depth)),
    ]
    let frame = PageText.bytes(of: .object(head)) + Self.levelsMax * Self.frameBytes
    guard frame <= min(most, room.left) else {
      lanesOut += 1
      return nil
    }
    let all = levels(of: lane)
    var packed: [JSON] = []
    // The coarsest first: any zoom can be drawn with it.
    var kept = 0
    for level in all.reversed() {
      var own = PageColumns()
      let json = self.level(level, from: columns.bytes.count, &own, &strings)
      let bytes = PageColumns.letters(own.bytes.count) + Self.frameBytes
      guard take(bytes + (kept == 0 ? frame : 0), &room) else { break }
      columns.append(own)
      packed.insert(json, at: 0)
      kept += 1
    }
    guard kept > 0 else {
      lanesOut += 1
      return nil
    }
    if kept < all.count { lanesCoarse += 1 }
    return .object(head + [("levels", .array(packed))])
  }

  private mutating func take(_ bytes: Int, _ room: inout PageRoom) -> Bool {
    guard room.take(bytes, most: most) else { return false }
    most -= bytes
    return true
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
