// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The list of all events as documents of the client: a line an event, so that any line can be gone to.
///
/// A document holds 10,000 events. It is named by its number, from 1, as a source is that has no file.
enum EventDocument {
  /// Events of one document.
  static let linesMax = 10_000
  /// More documents are not listed, though events in them are shown.
  static let listedMax = 1_000

  /// The document of an event, and its line there, from 1; the start is shown at the first event.
  static func place(of number: Int) -> (document: Int, line: Int) {
    let index = max(0, number - 1)
    return (index / linesMax + 1, index % linesMax + 1)
  }

  /// The events of a document of a recording of `count`; nil where there is none of that number.
  static func numbers(of document: Int, count: Int) -> ClosedRange<Int>? {
    guard document >= 1, (document - 1).multipliedReportingOverflow(by: linesMax).overflow == false,
      (document - 1) * linesMax < count
    else { return nil }
    let first = (document - 1) * linesMax + 1
    return first...min(count, first + linesMax - 1)
  }
}

extension DebugAdapter {
  /// The members of a place in the list of events.
  func recordSource(_ number: Int) -> [(String, JSON)] {
    let (document, line) = EventDocument.place(of: number)
    return [("source", source(ofDocument: document)), ("line", JSON(client.line(line)))]
  }

  private func source(ofDocument document: Int) -> JSON {
    let count = opened?.player.timeline.count ?? 0
    let numbers = EventDocument.numbers(of: document, count: count) ?? 1...1
    let range = "\(Quantity.grouped(numbers.lowerBound)) to \(Quantity.grouped(numbers.upperBound))"
    return .object([
      ("name", .string("events \(range)")), ("sourceReference", JSON(document)),
      ("origin", .string("the events of the recording")),
    ])
  }

  func showSource(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let source = arguments.object("source").number("sourceReference")
    guard let document = source ?? arguments.number("sourceReference"),
      let numbers = EventDocument.numbers(of: document, count: session.player.timeline.count)
    else { throw Refusal("There is no such source: loadedSources lists them.") }
    let text = try session.lines(ofEvents: numbers).joined(separator: "\n") + "\n"
    return Reply([("content", .string(text)), ("mimeType", .string("text/plain"))])
  }

  func listSources(_ arguments: Arguments) throws -> Reply {
    let count = try session().player.timeline.count
    let documents = (count + EventDocument.linesMax - 1) / EventDocument.linesMax
    let list = (1..<min(documents, EventDocument.listedMax) + 1).map(source(ofDocument:))
    return Reply([("sources", .array(list))])
  }

  // MARK: - Clicking

  /// Where a line leads: in the list of events to its event, in a source file to the events before and
  /// behind that came from there.
  func listTargets(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let player = session.player
    guard let line = arguments.number("line").map(client.own(line:)) else {
      throw Refusal("gotoTargets takes a line.")
    }
    let source = arguments.object("source")
    var targets: [(number: Int, label: String)] = []
    if let document = source.number("sourceReference"), document > 0 {
      let numbers = EventDocument.numbers(of: document, count: player.timeline.count)
      if let numbers, 1...numbers.count ~= line {
        let number = numbers.lowerBound + line - 1
        targets.append((number, try session.lines(ofEvents: number...number).joined()))
      }
    } else if let path = source.text("path"), let files = sourceFiles(at: path, session) {
      let question = try session.question(
        Breakpoints.question(files, line: line),
        isCondition: true,
        ofEvents: true
      )
      let asking = Asking(question, player)
      for direction in [Direction.forward, .backward] {
        guard let place = try player.find(asking.filter, direction) else { continue }
        let number = player.timeline.number(of: place)
        targets.append((number, try session.lines(ofEvents: number...number).joined()))
      }
    }
    let list = targets.map { target in
      JSON.object([
        ("id", JSON(target.number)), ("label", .string(target.label)),
        ("line", JSON(client.line(line))),
      ])
    }
    return Reply([("targets", .array(list))])
  }

  /// Goes to an event, by its number.
  func goTo(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let number = arguments.number("targetId"), 1..<session.player.timeline.count + 1 ~= number
    else { throw Refusal("There is no such target: gotoTargets lists them.") }
    try session.go(to: "\(number)")
    finding = nil
    return Reply { [self] in stopped(.at("goto")) }
  }
}
