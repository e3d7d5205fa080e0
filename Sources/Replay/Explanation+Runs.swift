// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// How one run of a piece of work, or of a callback, differs from other runs of the same in its process.
extension Player {
  /// What others have inside and this one has not, and the other way round; nothing where they agree, or
  /// there are no others.
  ///
  /// It looks at the ``CauseGraph/eventsMax`` events around it.
  func comparison(from begin: EventPlace, to end: EventPlace) -> [Sentence] {
    let first = timeline.event(at: begin)
    guard first.kind == .workBegin || first.kind == .callbackBegin, !first.isAsynchronousWork else {
      return []
    }
    let stream = begin.stream
    let count = timeline.streams[Int(stream.rawValue)].count
    let last = min(count, end.index + CauseGraph.eventsMax / 2)
    var runs = Runs(first, names)
    CauseGraph(player: self).scan(stream, 0..<last, Runs.kinds) { runs.add($0, $1) }
    guard let own = runs.ended.first(where: { $0.begin == begin }) else { return [] }
    let others = runs.ended.filter { $0.begin != begin }
    guard let nearest = others.min(by: { own.distance(to: $0) < own.distance(to: $1) }) else {
      return []
    }
    let inAll = others.dropFirst().reduce(nearest.inside) { $0.intersection($1.inside) }
      .intersection(others[0].inside)
    let missing = inAll.subtracting(own.inside)
    let added = others.reduce(own.inside) { $0.subtracting($1.inside) }
    guard !missing.isEmpty || !added.isEmpty else { return [] }
    let lengths = others.map(\.length).sorted()
    let many = others.count > 1
    var said: [Sentence] = [
      "\(count: UInt64(others.count), of: "other run") of it took \(duration: lengths[lengths.count / 2])"
        + (many ? " (median)" : "") + ", this one \(duration: own.length)."
    ]
    if !missing.isEmpty {
      let verb = many ? "Each of them has" : "It has"
      said.append("\(verb) \(list(missing)) inside, and this one has not.")
    }
    if !added.isEmpty {
      said.append("This one has \(list(added)) inside, and none of them has.")
    }
    said.append("To compare: goto \(event: name(of: nearest.begin), of: stream)")
    return said
  }

  /// No more of what is inside is named.
  private static let namedMax = 4

  private func list(_ inside: Set<Runs.Inside>) -> Sentence {
    let sorted = inside.sorted { $0.site.rawValue < $1.site.rawValue }
    var parts: [Sentence] = sorted.prefix(Self.namedMax).map { one in
      let noun = one.kind == .waitBegin ? "a wait" : one.kind == .workBegin ? "work" : "callback"
      let place: Sentence = SourcePlace(one.site, names).map { " (\($0))" } ?? ""
      return "\(noun) \"\(name: names[names[one.site].name])\"\(place)"
    }
    if sorted.count > Self.namedMax { parts.append("\(sorted.count - Self.namedMax) more") }
    return parts.joined(separator: ", ")
  }
}

/// The runs of one piece of work, each on its thread, as far as they have ended.
private struct Runs {
  static let kinds = KindSet([.workBegin, .workEnd, .callbackBegin, .callbackEnd, .waitBegin])

  /// What began inside of a run, on its thread.
  struct Inside: Hashable {
    var kind: EventKind
    var site: SiteID
  }

  struct Run {
    var begin: EventPlace
    var identity: UInt64
    var time: HostTime
    var length = Int64(0)
    var inside: Set<Inside> = []

    func distance(to other: Run) -> Int { abs(begin.index - other.begin.index) }
  }

  private let kind: EventKind
  private let name: NameID
  private let names: Names
  private var open: [ThreadID: Run] = [:]
  private(set) var ended: [Run] = []

  init(_ first: Event, _ names: Names) {
    (kind, name, self.names) = (first.kind, names[first.site].name, names)
  }

  mutating func add(_ event: Event, _ place: EventPlace) {
    if var run = open[event.thread] {
      if event.kind.begin == kind, event.identity == run.identity {
        run.length = max(0, event.time - run.time)
        ended.append(run)
        open[event.thread] = nil
      } else if event.kind.begin == nil {
        open[event.thread]?.inside.insert(Inside(kind: event.kind, site: event.site))
      }
    } else if event.kind == kind, names[event.site].name == name {
      open[event.thread] = Run(begin: place, identity: event.identity, time: event.time)
    }
  }
}
