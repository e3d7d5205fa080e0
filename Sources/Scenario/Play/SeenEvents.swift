// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// The events of the trace since the last step that did something, for steps that wait for one.
///
/// An event answers one wait: two waits for the same need two events.
struct SeenEvents {
  /// What was seen in the stream of an app.
  struct Seen {
    var app: Int
    var sighting: Sighting
  }

  /// More events than this are forgotten, the oldest first.
  private let seenMax: Int
  private var seen: [Seen] = []
  /// By app: how many events nobody looked at.
  private var missed: [Int: Int] = [:]
  /// By app and kind: how many were forgotten.
  private var forgotten: [Int: [EventKind: Int]] = [:]
  /// Earlier events belong to an earlier step.
  private var since = Int64.min

  /// The kinds that are watched so far.
  var kinds: Set<EventKind> = []

  /// Has seen nothing yet.
  init(seenMax: Int = 10_000) { self.seenMax = seenMax }

  mutating func add(_ sighting: Sighting, of app: Int) {
    guard sighting.time.rawValue >= since else { return }
    if seen.count >= seenMax { forget(seenMax / 10) }
    seen.append(Seen(app: app, sighting: sighting))
  }

  private mutating func forget(_ count: Int) {
    for one in seen.prefix(count) {
      forgotten[one.app, default: [:]][one.sighting.kind, default: 0] += one.sighting.count
    }
    seen.removeFirst(count)
  }

  /// Events of an app came too fast to be looked at.
  mutating func miss(_ count: Int, of app: Int) { missed[app, default: 0] += count }

  /// What is said where events of an app were not looked at since the last step that did something.
  func missedWords(of app: Int) -> String? {
    missed[app].map {
      "\(Quantity.count($0, "event")) of it came too fast to be looked at: it may have been one of them"
    }
  }

  /// What is said where more events of that kind were seen since then than are kept.
  func forgottenWords(_ condition: EventCondition, of app: Int) -> String? {
    forgotten[app]?[condition.kind].map {
      "\(Quantity.count($0, "event")) of that kind were seen and are forgotten, as more than "
        + "\(Quantity.grouped(seenMax)) were: it may have been one of them"
    }
  }

  /// A step that does something begins: what waits for its consequences follows.
  mutating func begin(at time: Int64) {
    since = time
    (missed, forgotten) = ([:], [:])
    seen.removeAll { $0.sighting.time.rawValue < time }
  }

  /// Takes the first event of the app that the condition means; false when there is none.
  mutating func take(_ condition: EventCondition, of app: Int) -> Bool {
    let place = seen.firstIndex {
      $0.app == app && $0.sighting.kind == condition.kind && condition.holds($0.sighting.words)
    }
    guard let place else { return false }
    seen.remove(at: place)
    return true
  }

  /// What an app did in the meantime: kinds and names with their counts, in order.
  func summary(of app: Int) -> String {
    var lines: [(text: String, count: Int)] = []
    for one in seen where one.app == app {
      var text = one.sighting.kind.info?.name ?? "an unknown event"
      if !one.sighting.words.isEmpty { text += " " + one.sighting.words.joined(separator: " ") }
      if let place = lines.firstIndex(where: { $0.text == text }) {
        lines[place].count += one.sighting.count
      } else {
        lines.append((text, one.sighting.count))
      }
    }
    guard !lines.isEmpty else { return "nothing" }
    let named = lines.suffix(Self.namedMax).map {
      $0.count == 1 ? $0.text : "\($0.text) ×\($0.count)"
    }
    return (lines.count > named.count ? "…, " : "") + named.joined(separator: ", ")
  }

  /// At most this many kinds are named in a failure.
  private static let namedMax = 8
}
