// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

extension RecordingSummary {
  /// What a scenario without a finding does not show.
  var unjudged: String? {
    if processes == 0 { return "no app has joined: nothing was judged" }
    return !hasData && losses == 0
      ? "no data object was declared: nothing about losses was judged" : nil
  }

  /// The text at the end of a recording: remarks, and last what is in the file.
  func lines(path: String) -> [String] {
    remarks + hints + ["\(Printable.line(path)): " + facts.joined(separator: ", ")]
  }

  /// What would have recorded more of a program without the SDK.
  private var hints: [String] {
    guard processes == 0, bystanders > 0, notJoined == 0, poolsLeft == 0, !isObserved else {
      return []
    }
    return [
      """
      no process links Lifetrace: of the others it is known only that they ran
        For their files and locks: lifetrace record --observe, and in lifetrace.yml a line such as
          data: ["*.json", "*.sqlite"]
      """
    ]
  }

  private var facts: [String] {
    var parts = [Quantity.count(processes, "process")]
    if bystanders > 0 { parts.append("\(bystanders) seen from outside") }
    if isSampled {
      parts.append("others looked for by samples (short ones may be missing)")
    }
    if processEventsMissed > 0 {
      let missed = Quantity.count(Int(clamping: processEventsMissed), "event")
      parts.append("\(missed) about processes missed (lifetrace dump --where log tells)")
    }
    if notFollowed > 0 {
      parts.append("\(Quantity.count(notFollowed, "process")) too many to be followed")
    }
    let events = Int(clamping: events)
    parts.append(Quantity.count(events, "event"))
    if losses > 0 { parts.append("\(Quantity.grouped(losses)) lost") }
    if gone > 0 {
      parts.append("\(Quantity.grouped(gone)) taken out of the file by another program")
    }
    if elsewhere > 0 {
      parts.append("\(Quantity.grouped(elsewhere)) written before and not in it")
    }
    if losses == 0, gone == 0, elsewhere == 0, poolsLeft == 0 { parts.append("none lost") }
    if letGo > 0 {
      let early =
        crowdedOut == 0
        ? "" : "; \(Quantity.grouped(crowdedOut)) of them early, for want of room"
      parts.append("\(Quantity.count(letGo, "event")) let go (--last\(early))")
    }
    if released > 0 { parts.append("\(Quantity.grouped(released)) at the collector alone") }
    parts.append(Quantity.fileBytes(bytes, events: events))
    if poolsRefused > 0 {
      let refused = Quantity.count(poolsRefused, "process")
      parts.append("\(refused) not readable (lifetrace dump --where log tells)")
    }
    if poolsLeft > 0 {
      parts.append("\(Quantity.count(poolsLeft, "process")) not read and not in it")
    }
    if notJoined > 0 {
      let absent = Quantity.count(notJoined, "process")
      parts.append("\(absent) could not join (lifetrace dump --where log tells why)")
    }
    if stillRunning > 0 {
      let running = Quantity.count(stillRunning, "process")
      parts.append("\(running) still running, no longer recorded")
    }
    if namesLost > 0 {
      parts.append(
        "\(Quantity.grouped(namesLost)) without their names (no room for them)"
      )
    }
    // A save may be among the events that are lost, or have come through at the last moment.
    let isWhole = losses == 0 && gone == 0 && elsewhere == 0
    let least = hasMoreObjects ? "at least " : ""
    if unsavedObjects > 0 {
      parts.append(
        (isWhole && survivingObjects == 0 ? "unsaved data lost: " : "unsaved data may be lost: ")
          + "\(least)\(Quantity.count(unsavedObjects, "object")), "
          + Quantity.bytes(unsavedBytes)
      )
    }
    if openObjects > 0 {
      parts.append(
        "\(isWhole ? "" : "may be ")unsaved when the recording ended: "
          + "\(least)\(Quantity.count(openObjects, "object")), \(Quantity.bytes(openBytes))"
      )
    }
    return parts
  }
}
