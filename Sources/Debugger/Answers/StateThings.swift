// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Something that a process is or has, in words that are the same as long as it is the same.
struct StateThing {
  /// The part of the state, as the command that lists it is called.
  var part: Part
  /// What it is, and not which form it has: two of the same id are one thing at two instants.
  var id: String
  /// What it is called.
  var name: String
  /// Its form; empty where it only is there or not.
  var form: String

  /// The parts, in the order in which they are told.
  enum Part: String, CaseIterable {
    case state, process, data, tasks, queue, spans, wakes, deadlines, resources, memory, device
  }
}

extension Session {
  /// All that a process is and has in a state; ages, which change by themselves, are left out.
  func things(of state: LifeState, _ stream: StreamID)
    throws(SearchInterrupted) -> [StateThing]
  {
    var things: [StateThing] = []
    var done = 0
    func add(_ part: StateThing.Part, _ id: String, _ name: String, _ form: String = "")
      throws(SearchInterrupted)
    {
      try goOn(&done)
      things.append(StateThing(part: part, id: id, name: Printable.line(name), form: form))
    }
    let names = player.names
    let isBegun = state.nextSequence != nil
    try add(.state, "", "", isBegun ? word(for: state, of: stream) : "not started")
    if let ending = state.process.ending {
      let cause = Printable.line(Wording.endCause(names[ending.cause]))
      try add(.process, "", "", "ended (\(cause))")
    }
    for object in state.data.values {
      try add(.data, names[object.name], names[object.name], words(object))
    }
    for entry in state.tasks.entries {
      let form = entry.value.expired == nil ? "held" : "expired"
      let id = "\(entry.key) \(entry.value.sequence)"
      try add(.tasks, id, "\"\(names[entry.value.name])\"", form)
    }
    for pending in state.notifications.values {
      let name = [names[pending.type], names[pending.key]].filter { !$0.isEmpty }
      let value = Printable.line(names[pending.lastValue])
      let posts = Quantity.count(pending.posts, "post")
      let form = value.isEmpty ? posts : "\(posts), \(value)"
      try add(.queue, name.joined(separator: "\n"), name.joined(separator: " "), form)
    }
    for span in state.spans.values {
      let kind = span.kind.info?.name.split(separator: ".").first.map(String.init) ?? "span"
      let thread = Wording.thread(span.thread)
      try add(.spans, "\(span.sequence)", "\(kind) \(name(of: span))", "open on \(thread)")
    }
    for wake in state.wakes.values {
      try add(.wakes, "\(wake.sequence)", Self.words(of: wake, names), "not completed")
    }
    for deadline in state.deadlines.values {
      let form =
        "\(Quantity.duration(deadline.budget)) of \(deadline.countsCPU ? "CPU" : "wall") time"
      try add(.deadlines, "\(deadline.sequence)", names[deadline.what], form)
    }
    for resource in state.everyHold {
      let name = "\(resource.resourceClass) \(names[resource.name])"
      let attribute = Printable.line(names[resource.attribute])
      let holds = state.holds(of: resource)
      let count = holds > 1 ? " \(holds) times" : ""
      try add(
        .resources,
        "\(resource.sequence)",
        name,
        attribute.isEmpty ? "held\(count)" : "held\(count), \(attribute)"
      )
    }
    if state.footprintTime != nil { try add(.memory, "", "", Quantity.bytes(state.footprint)) }
    if let isLocked = state.isDeviceLocked {
      try add(.device, "", "", isLocked ? "locked" : "unlocked")
    }
    return things
  }

  /// Which version there is, and which is kept.
  private func words(_ object: DataObject) -> String {
    let kept = object.durable[.kernel]
    let saved = kept > 0 ? "version \(kept) saved" : "never saved"
    guard let edit = object.dirty, object.isUnsaved(at: .kernel) else { return saved }
    let flush = object.flushing.map { ", version \($0.version) being saved" } ?? ""
    return "version \(edit.version) unsaved, \(Quantity.bytes(edit.bytes)), \(saved)\(flush)"
  }
}
