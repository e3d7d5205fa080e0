// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The events of a recording as a page lists them.
///
/// Most say what others have said: what is listed is a time and a *shape*, which is the writer, the
/// thread, the kind, the sentence and the line of source.
struct PageEvents {
  /// Around each event that explains a violation, in a recording that is larger than a page.
  static let aroundMax = 500

  private let player: Player
  /// The streams that the page knows.
  private let streams: Int
  /// What events and texts may take together.
  private let bytesMax: Int
  /// Of this only events that come first may take anything.
  var kept = 0
  /// Events that were wanted and found no room, at least.
  private(set) var leftOut = 0
  private var shapes: [Key: UInt32] = [:]
  private var shapeColumns = PageColumns()
  private var shapeCount = 0
  private var lastTime: Int64 = 0
  private var nextSequence: [UInt64]
  /// Where what is open began: its end carries no name of its own.
  private var begun: [Span: SiteID] = [:]
  private(set) var columns = PageColumns()
  private(set) var listed = 0

  /// Whether an event is to be listed.
  enum Wish { case not, asRoomAllows, first }

  /// What makes two events read alike.
  private struct Key: Hashable {
    var stream: UInt32
    var thread: UInt32
    var site: UInt32
    var kind: UInt8
    var flags: UInt8
    var identity: UInt64
    var arguments: [UInt64]
  }

  /// What ties an end to its begin.
  private struct Span: Hashable {
    var stream: StreamID
    var kind: EventKind
    var identity: UInt64
  }

  /// No more begins are remembered: then ends stand without a name.
  private static let begunMax = 1 << 18

  init(_ player: Player, streams: Int, bytesMax: Int) {
    (self.player, self.streams, self.bytesMax) = (player, streams, bytesMax)
    nextSequence = Array(repeating: 0, count: player.timeline.streams.count)
  }

  /// Lists events in their order, as `wish` says and as long as there is room.
  mutating func add(
    _ strings: inout PageStrings,
    progress: (Int) -> Void,
    _ wish: (Event, EventPlace) -> Wish
  ) throws(SearchInterrupted) {
    let timeline = player.timeline
    var position = timeline.start
    while let place = timeline.stepForward(&position) {
      if position.ordinal & 0xfff == 0 {
        if player.isInterrupted() { throw SearchInterrupted() }
        progress(position.ordinal)
      }
      let event = named(timeline.event(at: place))
      if event.stream.rawValue >= streams { continue }
      let wish = wish(event, place)
      if wish == .not || wish == .asRoomAllows && leftOut > 0 { continue }
      let most = wish == .first ? bytesMax : bytesMax - kept
      guard strings.bytes + bytes + Self.eventBytesMax <= most else {
        leftOut += 1
        // Nothing comes first that might still find room.
        if kept == 0 { return }
        continue
      }
      add(event, place, &strings)
    }
  }

  /// What they take in the page.
  var bytes: Int {
    PageColumns.letters(columns.bytes.count) + PageColumns.letters(shapeColumns.bytes.count)
  }

  /// No event takes more, its texts aside: its time, its shape, its number, six numbers of a shape.
  private static let eventBytesMax = 128

  /// An end with the name of what it ends.
  private mutating func named(_ event: Event) -> Event {
    guard let begin = event.kind.begin else {
      switch event.kind {
      case .callbackBegin, .turnBegin, .workBegin:
        let span = Span(stream: event.stream, kind: event.kind, identity: event.identity)
        if begun.count < Self.begunMax { begun[span] = event.site }
      default: break
      }
      return event
    }
    let span = Span(stream: event.stream, kind: begin, identity: event.identity)
    guard let site = begun.removeValue(forKey: span), player.names[event.site].name == .empty else {
      return event
    }
    var named = event
    named.site = site
    return named
  }

  private mutating func add(
    _ event: Event,
    _ place: EventPlace,
    _ strings: inout PageStrings
  ) {
    let time = max(lastTime, player.timeline.time(of: event).rawValue)
    columns.number(UInt64(time - lastTime))
    lastTime = time
    let shape = shape(of: event, &strings)
    let stream = Int(event.stream.rawValue)
    // One bit says whether the number follows that of the event before.
    let isNext = event.sequence == nextSequence[stream]
    columns.number(UInt64(shape) << 1 | (isNext ? 0 : 1))
    if !isNext { columns.number(event.sequence) }
    nextSequence[stream] = event.sequence &+ 1
    listed += 1
  }

  private mutating func shape(of event: Event, _ strings: inout PageStrings) -> UInt32 {
    let key = key(of: event)
    if let known = shapes[key] { return known }
    let names = player.names
    let sentence = EventText.sentence(event, names).line
    let shape = UInt32(shapeCount)
    shapes[key] = shape
    shapeCount += 1
    shapeColumns.number(event.stream.rawValue)
    shapeColumns.number(event.thread.rawValue)
    shapeColumns.number(strings.place(of: EventText.kind(event.kind, names)))
    shapeColumns.number(event.kind.family.rawValue)
    shapeColumns.number(strings.place(of: sentence))
    let source = SourcePlace(event.site, names).map { "\($0)" } ?? ""
    shapeColumns.number(strings.place(of: source))
    return shape
  }

  private func key(of event: Event) -> Key {
    var key = Key(
      stream: event.stream.rawValue,
      thread: event.thread.rawValue,
      site: event.site.rawValue,
      kind: event.kind.rawValue,
      flags: event.flags.rawValue,
      identity: 0,
      arguments: []
    )
    switch event.kind {
    // Their sentences say the name alone, which the site has.
    case .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .workEnd, .waitEnd: break
    case .workBegin: key.arguments = [event[0]]
    default:
      key.identity = event.identity
      key.arguments = (0..<min(Int(event.argumentCount), 3)).map { event[$0] }
    }
    return key
  }

  /// Puts both tables among the columns of the page.
  func json(_ all: inout PageColumns) -> JSON {
    let shapesAt = all.add { $0.append(shapeColumns) }
    let eventsAt = all.add { $0.append(columns) }
    return .object([
      ("shapes", .array([JSON(shapesAt), JSON(shapeCount)])),
      ("events", .array([JSON(eventsAt), JSON(listed)])),
    ])
  }
}
