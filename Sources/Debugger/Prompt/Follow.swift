// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A recording that goes on while it is replayed.
///
/// What is shown is settled: it has the number that it keeps. So nothing that was said before is made
/// wrong by what comes, and the place where one stands stays, unless one goes along.
final class Follow {
  private let look: () -> FollowedFile
  private(set) var file = FollowedFile.live
  /// Whether the prompt goes along with what comes, as long as it stands at the end.
  var goesAlong = false

  /// The file is looked at this often while somebody waits for more.
  private static let intervalMilliseconds: Int32 = 50

  init(_ look: @escaping () -> FollowedFile) { self.look = look }

  /// Whether more may come by itself.
  var isLive: Bool { file == .live }

  /// Takes in what came since; what there is to say of the file, once.
  func look(_ player: Player) -> (hasGrown: Bool, news: String?) {
    if case .lost = file { return (false, nil) }
    if file == .ended { return (false, nil) }
    let before = file
    file = look()
    let hasGrown = player.grow()
    return (hasGrown, file == before ? nil : words(player.timeline.count))
  }

  private func words(_ count: Int) -> String? {
    switch file {
    case .live: "It is being recorded again."
    case .ended: "The recording has ended, with \(Quantity.count(count, "event"))."
    case .abandoned:
      "The recorder was killed. What it had read is here; the rest comes in with: "
        + "lifetrace record --recover"
    case .lost(let why): why
    }
  }

  static func pause() { _ = poll(nil, 0, intervalMilliseconds) }
}

extension Session {
  /// Takes in what was recorded since the last look; what is to be said of it.
  func lookForMore() -> String? {
    guard let follow else { return nil }
    let wasAtEnd = player.here.ordinal == player.timeline.count
    let streams = player.timeline.streams.count
    let (hasGrown, news) = follow.look(player)
    guard hasGrown else { return news }
    if player.timeline.streams.count != streams {
      knownSchema = nil
      askings = []
      if let onlyNamed, let found = try? self.streams(named: onlyNamed), !found.isEmpty {
        player.only = Set(found.map(id))
      }
      askAnew()
    }
    guard follow.goesAlong, wasAtEnd else { return news }
    player.open(atEvent: player.timeline.count)
    return news
  }

  /// Waits until there is more; false where none comes any more.
  func awaitMore() throws(SearchInterrupted) -> Bool {
    guard let follow else { return false }
    let count = player.timeline.count
    var hasSaid = false
    defer { if hasSaid { _ = Descriptor.write(Paint.clearLine, to: STDOUT_FILENO) } }
    while true {
      if player.isInterrupted() { throw SearchInterrupted() }
      let news = lookForMore()
      if player.timeline.count > count { return true }
      if let news { newsKept.append(news) }
      guard follow.isLive else { return false }
      if isWatched, !hasSaid {
        hasSaid = true
        let there = Quantity.count(count, "event")
        _ = Descriptor.write(
          "\(Paint.clearLine)Waiting for more than \(there); Ctrl-C stops",
          to: STDOUT_FILENO
        )
      }
      Follow.pause()
    }
  }

  /// What is said at the end.
  var endWords: String {
    follow?.isLive == true
      ? "This is the end of what is recorded so far." : "This is the end of the recording."
  }

  /// What comes above the prompt: news of the file, and the events that it goes along with.
  func newsOfFollowing() -> String? {
    guard let follow else { return nil }
    let from = player.here
    let news = lookForMore()
    var lines: [String] = []
    if follow.goesAlong, player.here.ordinal > from.ordinal { lines = newLines(since: from) }
    if let news { lines.append(news) }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }

  /// The last events up to here, as many as a list has, and how many others there were.
  private func newLines(since from: Position) -> [String] {
    let came = player.here.ordinal - from.ordinal
    let shown = min(came, settings.listSize)
    var answer = Answer()
    if came > shown { answer.say("\(Quantity.count(came - shown, "event")) more") }
    var position = player.timeline.position(ordinal: player.here.ordinal - shown)
    var rows: [Listing.Row] = []
    while let place = player.timeline.stepForward(&position) {
      rows.append(.event(EventPoint(place: place, number: position.ordinal), marker: ""))
    }
    answer.list(nil, rows)
    return answer.lines(self)
  }
}
