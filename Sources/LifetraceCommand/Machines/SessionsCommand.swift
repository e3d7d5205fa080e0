// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import LifetraceWords

struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists the recordings in a folder of lifetrace collect.",
    discussion: """
      A line for each: its name, the host, the apps, how many processes and events are there, how \
      many events are missing before others that are there, and whether all of it has come. \
      lifetrace extract makes one file of one.
      """
  )

  @Argument(help: "The folder.", completion: .directory)
  var directory: String

  @Flag(help: "Print a JSON object for each, one a line.")
  var json = false

  func run() throws {
    let readers = try Self.segments(directory)
    let catalogue = Catalogue(readers)
    if json {
      for session in catalogue.sessions { print(Self.json(session).text) }
    } else {
      var table = Table()
      for session in catalogue.sessions { table.add(Self.cells(session)) }
      for line in table.lines(Paint(isOn: false)) { print(line) }
    }
    if try Self.tellDamage(readers) { throw TraceOpening.damaged }
  }

  /// Opens what a collector has written, also while it writes.
  static func segments(_ directory: String) throws -> [TraceReader] {
    let paths = Collection.segments(in: directory)
    guard !paths.isEmpty else {
      Failure.say(
        "\(Printable.line(directory)): no recording is there; lifetrace collect makes the folder"
      )
      throw TraceOpening.io
    }
    return try paths.map { try TraceOpening.open($0) }
  }

  /// Says what is damaged; whether something is.
  static func tellDamage(_ readers: [TraceReader]) throws -> Bool {
    var isDamaged = false
    for reader in readers {
      for problem in reader.problems where problem.isDamage && problem.kind != .gap {
        Failure.say("\(Printable.line(reader.path)): \(problem.text)")
        isDamaged = true
      }
    }
    return isDamaged
  }

  private static func apps(_ session: Catalogue.Session) -> [String] {
    Set(
      session.writers.map { $0.attributes.app.isEmpty ? $0.attributes.process : $0.attributes.app }
    )
    .filter { !$0.isEmpty }.sorted()
  }

  private static func host(_ session: Catalogue.Session) -> String {
    session.writers.lazy.map(\.attributes.host).first { !$0.isEmpty } ?? ""
  }

  private static func state(_ session: Catalogue.Session) -> String {
    if session.missing > 0 { return "\(session.missing) missing" }
    return session.isWhole ? "whole" : "no end yet"
  }

  private static func cells(_ session: Catalogue.Session) -> [Cell] {
    [
      Cell(session.name), Cell(Printable.line(host(session))),
      Cell(Printable.line(apps(session).joined(separator: ", "))),
      Cell(Quantity.count(session.writers.count, "process"), right: true),
      Cell(Quantity.count(session.events, "event"), right: true), Cell(state(session)),
    ]
  }

  private static func json(_ session: Catalogue.Session) -> JSON {
    .object([
      ("session", .string(session.name)), ("host", .string(host(session))),
      ("apps", .array(apps(session).map { .string($0) })),
      ("writers", .array(session.writers.map { .string($0.id.text) })),
      ("events", JSON(session.events)), ("missing", JSON(session.missing)),
      ("chunks", JSON(session.chunks.count)), ("files", JSON(session.files)),
      ("whole", .bool(session.isWhole)),
    ])
  }
}
