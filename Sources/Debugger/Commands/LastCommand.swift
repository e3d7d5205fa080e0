// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `last`: where something changed last, without going there.
enum LastCommand {
  static func run(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    let what = words.isEmpty ? "state" : try session.plainName(words.joined(separator: " "))
    let change = try change(of: what, session)
    let search = try change ?? session.search(kind: what, orWord: true)
    guard var filter = search?.filter else {
      throw CommandError.usage("For violations: prev violation.")
    }
    if what == "state" { filter.streams = [player.focus] }
    // Standing on the change itself, it is the last one.
    guard let place = try player.find(filter, .backward, from: player.here) else {
      throw CommandError.no(
        "There is no \(search?.words ?? what) up to here.\(change == nil ? session.didYouMean(what) : "")"
      )
    }
    let number = player.timeline.number(of: place)
    let age = player.time - player.timeline.time(of: player.timeline.event(at: place))
    let ago = number == player.here.ordinal ? "here" : "\(Quantity.duration(age)) before here"
    var answer = Answer(
      .line(nil, [Fact("what", .text(what))]),
      .event("last", EventPoint(place: place, number: number), .line)
    )
    if let question = change?.asking?.question {
      let (old, new) = player.values(of: question, at: place)
      let (before, after) = (
        old.text(question.type, player.names), new.text(question.type, player.names)
      )
      answer.say(
        "\(Printable.line(what)): \(before) -> \(after, .strong)",
        [Fact(data: "before", .text(before)), Fact(data: "after", .text(after))]
      )
    }
    answer.say("That is \(ago). To go there: goto \(number)")
    return answer
  }

  /// The changes of a value of the state, or of a data object; nil for what does not change, but happens.
  private static func change(of what: String, _ session: Session) throws -> Search? {
    let player = session.player
    // The words of help kinds are kinds, though some are values of the state too.
    guard KindWord.find(what) == nil else { return nil }
    if let question = try value(what, session) {
      guard !question.moves else {
        throw CommandError.usage("\(what) changes all the time; last is of what events change.")
      }
      let streams = session.streams(of: question, own: player.allLives(of: player.focus))
      let asking = Asking(question, player, aim: .change, of: streams)
      return Search(filter: asking.filter, asking: asking, words: "change of \(what)")
    }
    let filter = Player.changes(ofData: what)
    // One that changes only later is a data object too.
    guard
      try player.find(filter, .backward, from: player.here) != nil
        || player.find(filter, .forward) != nil
    else { return nil }
    return Search(filter: filter, words: "change of \(what)")
  }

  /// A value of the state; nil for all else.
  private static func value(_ what: String, _ session: Session) throws -> Question? {
    do {
      let question = try session.question(what, isCondition: false)
      return question.needsState && !question.needsEvent ? question : nil
    } catch {
      // What has the form of one, and a mistake in it, is no name.
      let isMeant = StateTable.all.contains { table in
        ["\(table.singular)(", "\(table.word)(", "count \(table.word)"].contains {
          what.hasPrefix($0)
        }
      }
      if isMeant { throw error }
      return nil
    }
  }
}
