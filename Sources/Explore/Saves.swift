// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
package import LifetraceTrace
import LifetraceWords

// Programs that know nothing of lifetrace do not say what they keep, and so nobody can ask whether a
// launch has found it. What can be asked is whether a save that was cut in the middle has left less than
// there was before it: files are looked at behind the launches, and compared with what they are where
// the process ended before the save, and behind it.

/// A call of an observed program that changes a file of its data.
package struct FileCall: Sendable, Hashable {
  /// `rename`, `write`, as the observing library calls it.
  package var operation: String
  /// `notes.json`, below the folder that is looked at.
  package var file: String
  /// Which of these it is in its step, from 1.
  package var number = 1
  /// It is about to be made; else it is made.
  package var isAhead: Bool

  /// Nil for an event that is no such call.
  package init?(_ event: Event, _ names: Names) {
    guard event.observer == .observe, event.kind == .workBegin || event.kind == .workEnd else {
      return nil
    }
    let name = names[names[event.site].name]
    guard let between = name.firstRange(of: " of ") else { return nil }
    operation = String(name[..<between.lowerBound])
    file = String(name[between.upperBound...])
    isAhead = event.kind == .workBegin
  }

  /// `rename 2`.
  var numbered: String { "\(operation) \(number)" }
}

extension [Point] {
  /// Says which calls of one save each point lies between, and leaves out those that are twice: before
  /// a call is behind the one before it.
  func withSavesNamed() -> [Point] {
    var out: [Point] = []
    var rest = self[...]
    while let first = rest.first {
      let save = rest.prefix { $0.start == first.start && $0.step == first.step }
      rest = rest.dropFirst(save.count)
      out += Self.named(save)
    }
    return out
  }

  /// Points of one step.
  private static func named(_ points: ArraySlice<Point>) -> [Point] {
    var numbers: [String: Int] = [:]
    var out: [Point] = []
    var calls = points.compactMap(\.call).filter { !$0.isAhead }[...]
    var last: FileCall?
    for var point in points {
      guard var call = point.call else {
        out.append(point)
        continue
      }
      let key = call.operation + " " + call.file
      if call.isAhead, last != nil { continue }
      if !call.isAhead {
        numbers[key, default: 0] += 1
        calls = calls.dropFirst()
      }
      call.number = call.isAhead ? 1 : numbers[key, default: 1]
      point.call = call
      if call.isAhead {
        point.phrase = "right before \(call.numbered) of \(call.file)"
      } else if var next = calls.first {
        next.number = numbers[next.operation + " " + next.file, default: 0] + 1
        let isSame = next.file == call.file
        point.phrase =
          "between \(call.numbered)\(isSame ? "" : " of \(call.file)") and \(next.numbered) of \(next.file)"
        point.key.call = point.phrase
      } else {
        point.phrase = "right behind \(call.numbered) of \(call.file)"
      }
      last = call
      out.append(point)
    }
    return out
  }

  /// The points right before and behind the save in whose middle `point` lies; nil for one that lies
  /// in none.
  func around(_ point: Point) -> (before: Point, after: Point)? {
    guard point.key.call != nil else { return nil }
    let save = filter { $0.start == point.start && $0.step == point.step && $0.call != nil }
    guard let before = save.first, let after = save.last else { return nil }
    return (before, after)
  }
}

/// What files of data are where a process ended before a save, and behind it: each behind two launches.
struct FilesAround: Sendable {
  var before: [String: [UInt8]]
  var after: [String: [UInt8]]

  /// What is there of a file that both have, where it is neither; nil where it is one of them, or may be.
  func fault(of file: String, in files: [String: [UInt8]]) -> String? {
    guard let old = before[file], let new = after[file], !old.isEmpty, !new.isEmpty else {
      return nil
    }
    guard let found = files[file] else { return "is missing" }
    guard found != old, found != new, !isDatabase(old), !isDatabase(new) else { return nil }
    // Appended to: what is there of the new may be all that was to be there by then.
    let isAppended = new.starts(with: old)
    if !isAppended, new.starts(with: found) || old.starts(with: found) {
      return found.isEmpty
        ? "is empty" : "is cut off after \(Quantity.bytes(UInt64(found.count)))"
    }
    let same = zip(found, new).prefix { $0 == $1 }.count
    if !isAppended, same > 0, same < found.count, found.count <= old.count,
      found[same...] == old[same..<found.count]
    {
      return "begins as the new one and goes on as the old one"
    }
    return nil
  }

  /// Its journal, which is a file of its own, mends it when it is opened.
  private func isDatabase(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3".utf8) }
}

extension StagedLife {
  /// The step that was being played when the process ended, by its number from 0.
  func lastStep(ofStart start: Int) -> Int? {
    guard streamOfStart.indices.contains(start), let stream = streamOfStart[start] else {
      return nil
    }
    let end = writers[stream].events.first { $0.kind == .purge || $0.kind == .processExit }
    return (end ?? writers[stream].events.last).map { step(at: $0.time) }
  }

  /// The objects that were edited in the step in which the process ended.
  func editedAtLast(start: Int) -> Set<String> {
    guard let last = lastStep(ofStart: start), let stream = streamOfStart[start] else { return [] }
    let edits = writers[stream].events.filter { $0.kind == .dataDirty && step(at: $0.time) == last }
    return Set(edits.map { names[$0.identityName] })
  }

  /// Files that a save has left neither as they were nor as they were to be.
  ///
  /// `phrase` says where the process ended.
  func torn(_ around: FilesAround, ofApp app: Int, start: Int, _ phrase: String) -> [Found] {
    guard files.indices.contains(app) else { return [] }
    let stream = streamOfStart.indices.contains(start) ? streamOfStart[start] : nil
    let last = stream.flatMap { writers[$0].events.last { FileCall($0, names) != nil } }
    let site = last.map { EventText.source($0.site, names) } ?? ""
    return around.before.keys.sorted().compactMap { file in
      around.fault(of: file, in: files[app]).map { fault in
        Found(
          kind: FailureClass(rule: Oracle.whole.rawValue, object: file, site: site),
          title: "\(file) \(fault) after an end \(phrase)",
          advice:
            "Write the new content into a file beside it, sync that, and rename it over the old "
            + "one: at each moment one of the two is there, whole."
        )
      }
    }
  }
}
