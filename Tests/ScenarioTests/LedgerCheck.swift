// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import Testing
import LifetraceTrace

/// Holds what the ledger of each life says of its data against what the next launch has found there.
///
/// Both ways: nothing that it calls safe is missing, and nothing that it calls lost is there; but for
/// what may have come through at the last moment, which it does not call lost without a *may*.
struct LedgerCheck {
  /// Objects whose names begin so are edited by two apps in turns, each of which begins with a look.
  static let shared = "shared"
  /// The object that is saved without a word when it begins; its version stands in the file.
  static let ownFormat = "own-format"

  /// Lives that ended and were followed by a launch that looked.
  private(set) var lives = 0
  private(set) var safe = 0
  private(set) var lost = 0
  /// A save was under way, or a power cut came over what nobody had synced.
  private(set) var open = 0
  private(set) var mistakes: [String] = []

  var text: String {
    "\(lives) lives: \(safe) objects safe, \(lost) lost, \(open) open"
  }

  /// The lives of each app in a recording, in the order in which they came.
  mutating func add(_ streams: [Played.Stream], names: Names) {
    let verdicts = Self.losses(streams, names)
    let apps = Dictionary(grouping: streams.indices) { streams[$0].attributes.app }
    for (app, indices) in apps where app != "device" {
      let order = indices.filter { streams[$0].attributes.role == .app }
        .sorted { streams[$0].attributes.started < streams[$1].attributes.started }
      var state = LifeState()
      for (life, index) in order.enumerated() {
        if life > 0 { state.beginIncarnation(after: state, names: names) }
        for event in streams[index].events { state.apply(event, names: names) }
        guard life + 1 < order.count, state.process.ending != nil else { continue }
        let next = streams[order[life + 1]].events
        let (told, name) = (streams[index].events, "\(app)#\(life + 1)")
        judge(state, told, names, name, verdicts[index] ?? [:]) { object in
          guard names[object.name].hasPrefix(Self.shared) else {
            return next.first { $0.isLook(at: object.name) }
          }
          // Whoever comes next finds what it has left.
          guard let turn = object.restored?.time else { return nil }
          return streams.lazy.flatMap(\.events)
            .filter { $0.isLook(at: object.name) && $0.time > turn }
            .min { $0.time < $1.time }
        }
      }
    }
  }

  /// What DS02 says was lost, by stream and object: the titles.
  private static func losses(_ streams: [Played.Stream], _ names: Names) -> [Int: [String: String]]
  {
    let checker = Judgement().checker(of: Played.source(streams, names))
    var out: [Int: [String: String]] = [:]
    for verdict in checker.finish() where verdict.rule == "DS02" && verdict.outcome == .violated {
      out[Int(verdict.stream.rawValue), default: [:]][verdict.title.subject ?? ""] =
        "\(verdict.title)"
    }
    return out
  }

  private mutating func judge(
    _ state: LifeState,
    _ told: [Event],
    _ names: Names,
    _ life: String,
    _ verdicts: [String: String],
    look: (DataObject) -> Event?
  ) {
    let level = DurabilityLevel.surviving(state.process.ending.map { names[$0.cause] } ?? "")
    var isSeen = false
    for object in state.data.values {
      guard let looked = look(object) else { continue }
      isSeen = true
      let name = names[object.name]
      let why = compare(object, looked, at: level, verdicts[name], name == Self.ownFormat)
      guard let why else { continue }
      let story = told.filter { $0.kind.family == .data && $0.identityName == object.name }
        .map { Self.line($0, names) }
      mistakes.append(
        "\(life) \(name) at \(level) level: \(why)\n\(object)\n\(story.joined(separator: "\n"))"
      )
    }
    if isSeen { lives += 1 }
  }

  private static func line(_ event: Event, _ names: Names) -> String {
    let words = (0..<Int(event.argumentCount)).map { String(event[$0], radix: 16) }
    let kind = event.kind.info?.name ?? ""
    return
      "\(event.sequence) thread \(event.thread.rawValue) \(kind) \(words.joined(separator: " "))"
  }

  /// What is wrong, if anything.
  private mutating func compare(
    _ object: DataObject,
    _ looked: Event,
    at level: DurabilityLevel,
    _ verdict: String?,
    _ isOwnFormat: Bool
  ) -> String? {
    let found = DataObject.Content(bytes: looked[1], hash: looked[2])
    let isUnsaved = object.isUnsaved(at: level)
    if isUnsaved != (verdict != nil) { return "DS02 says \(verdict ?? "nothing")" }
    let isSaid = verdict?.contains(" may have lost ") ?? false
    let mayBeThere = isUnsaved && object.survival(at: level) != nil
    // Where the next launch has found nothing, or an older version, it is certain all the same.
    let isFoundGone = looked[0] < object.dirty?.version ?? 0
    if isSaid ? !mayBeThere : mayBeThere && !isFoundGone {
      return "DS02 says \(verdict ?? "nothing")"
    }
    let standing = object.standing(at: level)
    if let dirty = object.dirty, dirty.version > object.discarded {
      let made = DataObject.Content(bytes: dirty.bytes, hash: dirty.hash)
      let isWritten = isOwnFormat ? looked[0] == dirty.version : dirty.hash != 0 && made == found
      // The app was killed between its save and its word.
      if isOwnFormat, dirty.version > object.durable[.process],
        isWritten || level >= .disk && standing != found
      {
        open += 1
        return nil
      }
      if !isUnsaved {
        safe += 1
        let expected = dirty.version <= object.durable[level] ? standing : made
        if let expected, expected != found { return "safe, and \(found) is there" }
      } else if isSaid || dirty.bytes == 0 {
        // Whether a file is empty because that version is there, nobody can tell.
        open += 1
      } else {
        lost += 1
        if isWritten { return "lost, and it is there" }
      }
    }
    let isOpen = object.flushing != nil || object.flushesOverlap
    if !isOpen, let standing, standing != found {
      return "\(standing) should stand there, and \(found) does"
    }
    return nil
  }
}

extension Event {
  fileprivate func isLook(at object: NameID) -> Bool {
    kind == .dataRestored && identityName == object
  }
}
