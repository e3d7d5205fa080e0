// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
package import LifetraceTrace

/// A place at which going on stops, in either direction: where a condition holds, or a value changes.
package struct Stop {
  /// No more than this at once: each costs a search a move.
  package static let countMax = 64

  /// How users call it.
  package let number: Int
  /// What it waits for; made anew where writers come to a recording that is being made.
  package var asking: Asking
  /// The writer about which it was set: a watch is about all of its lives.
  package let home: StreamID
  /// Whether it is gone when it was reached once.
  package let isTemporary: Bool
  /// Whether it counts.
  package var isEnabled = true
  /// So many times it is passed over yet.
  package var ignores = 0
  /// How often it was reached.
  package var hits = 0
  /// What is run when it is reached.
  package var commands: [String] = []

  /// Whether it waits for a change of a value.
  package var isWatch: Bool { if case .change = asking.aim { true } else { false } }
}

/// The stops of a player, in order of their numbers.
package struct Stops {
  /// In order of their numbers.
  package private(set) var all: [Stop] = []
  private var last = 0

  /// Where nobody is to stop.
  package init() {}

  /// Adds one; nil where there are too many.
  package mutating func add(_ asking: Asking, about home: StreamID, isTemporary: Bool = false)
    -> Stop?
  {
    guard all.count < Stop.countMax else { return nil }
    last += 1
    let stop = Stop(number: last, asking: asking, home: home, isTemporary: isTemporary)
    all.append(stop)
    return stop
  }

  /// The stop of that number; nil where there is none.
  package subscript(number: Int) -> Stop? { all.first { $0.number == number } }

  /// Changes one; false where there is none of that number.
  package mutating func change(_ number: Int, _ body: (inout Stop) -> Void) -> Bool {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return false }
    body(&all[index])
    return true
  }

  /// Forgets one; false where there is none of that number.
  package mutating func delete(_ number: Int) -> Bool {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return false }
    all.remove(at: index)
    return true
  }
}

extension Player {
  /// The nearest event at which an enabled stop waits, and the stops that do; does not move.
  ///
  /// One that is to be passed over some times more is, and counts them. Without `start` it begins here.
  package func nextStop(
    _ direction: Direction,
    from start: Position? = nil
  ) throws(SearchInterrupted) -> (place: EventPlace, stops: [Int])? {
    var best: (place: EventPlace, stops: [Int])?
    var passed: [Int: Int] = [:]
    for stop in stops.all where stop.isEnabled {
      var from = start
      var ignores = stop.ignores
      while let place = try find(stop.asking.filter, direction, from: from) {
        if let known = best?.place, place != known,
          timeline.isBefore(place, known) == (direction == .backward)
        {
          break
        }
        guard ignores == 0 else {
          ignores -= 1
          passed[stop.number, default: 0] += 1
          var behind = position(at: place)
          if direction == .backward { timeline.stepBackward(&behind) }
          from = behind
          continue
        }
        if best?.place == place {
          best?.stops.append(stop.number)
        } else {
          best = (place, [stop.number])
        }
        break
      }
    }
    for (number, count) in passed { _ = stops.change(number) { $0.ignores -= count } }
    return best
  }

  /// Counts that stops were reached; temporary ones are gone.
  package func reached(_ numbers: [Int]) {
    for number in numbers {
      _ = stops.change(number) { $0.hits += 1 }
      if stops[number]?.isTemporary == true { _ = stops.delete(number) }
    }
  }

  /// The streams of an app from one of its lives on: those that a watch is about.
  package func lives(from stream: StreamID) -> Set<StreamID> {
    var lives: Set<StreamID> = [stream]
    for other in timeline.startOrder {
      if let previous = labels.previous(of: other), lives.contains(timeline.streams[previous].id) {
        lives.insert(timeline.streams[other].id)
      }
    }
    return lives
  }

  /// The streams of all lives of an app.
  package func allLives(of stream: StreamID) -> Set<StreamID> {
    var first = stream
    while let previous = self.previous(of: first) { first = previous }
    return lives(from: first)
  }

  /// Whether events are missing just before this one.
  package func isBehindGap(_ place: EventPlace) -> Bool {
    let stream = timeline.streams[Int(place.stream.rawValue)]
    let chunk = stream.chunk(holding: place.index)
    return place.index == stream.firstIndices[chunk] && stream.hasGap(before: chunk)
  }
}
