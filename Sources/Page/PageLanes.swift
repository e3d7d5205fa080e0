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

  init(_ layout: Layout, _ names: Names) { (self.layout, self.names) = (layout, names) }

  /// The groups with their lanes; numbers go into `columns`, names into `strings`.
  func json(_ columns: inout PageColumns, _ strings: inout PageStrings) -> JSON {
    .array(
      layout.groups.map { group in
        .object([
          ("name", .string(Printable.line(group.name))),
          ("lives", .array(group.lives.map { JSON(Int($0.stream.rawValue)) })),
          (
            "lanes",
            .array(
              group.lanes.map { lane in
                .object([
                  ("kind", .string("\(lane.kind)")), ("name", .string(Printable.line(lane.name))),
                  ("rows", JSON(lane.depth)),
                  ("levels", .array(levels(of: lane, &columns, &strings))),
                ])
              }
            )
          ),
        ])
      }
    )
  }

  private func levels(
    of lane: Lane,
    _ columns: inout PageColumns,
    _ strings: inout PageStrings
  ) -> [JSON] {
    var levels = [level(lane, &columns, &strings)]
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
      levels.append(level(next, &columns, &strings))
      last = next
    }
    return levels
  }

  /// Packs the bars and the instants of one level.
  ///
  /// Of bars: begin, length, look and row, stream, number of the event, name, count, how much of it
  /// is empty; of instants: time, kind, stream, number, count. Begins and numbers as differences.
  private func level(
    _ lane: Lane,
    _ columns: inout PageColumns,
    _ strings: inout PageStrings
  ) -> JSON {
    var (time, sequence) = (layout.span.lowerBound, Int64(0))
    let barsAt = columns.bytes.count
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
    let instantsAt = columns.bytes.count
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
  func flows(_ columns: inout PageColumns) -> JSON {
    let at = columns.bytes.count
    for flow in layout.flows {
      for end in [flow.from, flow.to] {
        columns.number(end.stream.rawValue)
        columns.number(end.sequence)
        columns.signed(end.time)
      }
    }
    return .array([JSON(at), JSON(layout.flows.count)])
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
