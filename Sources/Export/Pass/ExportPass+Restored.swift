// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

// A recording of the last part begins with what was open then: its first keyframe knows since when.

extension ExportPass where Format: ~Copyable {
  /// Begins all that the keyframe of the first chunk knows to be open, in the order in which it began.
  mutating func restore(_ stream: Int, at time: HostTime, _ names: borrowing Names) {
    let life = processes[stream].life
    for event in life.begun(of: processes[stream].stream) {
      guard let route = SliceRoute(event, names) else { continue }
      selection?.look(before: event.sequence, of: stream)
      let time = processes[stream].clock.trace(event.time).rawValue
      // Whether it is nested is seen only from where the recording begins.
      open(event, route, stream, time, names, isApart: true)
    }
    restoreData(stream, names)
    count(.waiting, Int64(life.notifications.count), stream, shifted(time, stream))
    if life.footprintTime != nil {
      count(.footprint, Int64(clamping: life.footprint), stream, shifted(time, stream))
    }
    count(.unsaved, Int64(clamping: processes[stream].unsavedBytes), stream, shifted(time, stream))
  }

  private func shifted(_ time: HostTime, _ stream: Int) -> Int64 {
    processes[stream].clock.trace(time).rawValue
  }

  private mutating func restoreData(_ stream: Int, _ names: borrowing Names) {
    for object in processes[stream].life.unsaved() {
      guard let bytes = object.unsavedBytes, let edit = object.firstUnsaved ?? object.dirty else {
        continue
      }
      let said = Payload.DataDirty(
        object: object.name,
        version: edit.version,
        bytes: edit.bytes,
        hash: edit.hash
      )
      let event = Event(
        said,
        at: edit.time,
        thread: edit.thread,
        site: edit.site,
        sequence: edit.sequence,
        stream: processes[stream].stream
      )
      let lane = pool(stream, object: object.name, names)
      let title = Title(.unsaved, .dataDirty, object.name)
      let open = begun(event, title, lane, nil, shifted(edit.time, stream), names)
      processes[stream].unsaved.insert(open, for: object.name)
      processes[stream].unsavedBytes &+= bytes
    }
  }
}

extension LifeState {
  /// The events that began what is open, as far as they are known, in the order in which it began.
  func begun(of id: StreamID) -> [Event] {
    var events: [Event] = spans.entries.map { entry in
      let (key, span) = (entry.key, entry.value)
      var event = Event(
        key.kind,
        at: span.time,
        thread: span.thread,
        site: span.site,
        identity: key.identity,
        sequence: span.sequence,
        stream: id
      )
      if key.kind == .workBegin {
        event.arguments = (span.detail, span.queue, 0, 0)
        event.argumentCount = 2
      } else if key.kind == .waitBegin {
        event.arguments.0 = span.detail
        event.argumentCount = 1
      }
      return event
    }
    events += tasks.entries.map { entry in
      let (key, task) = (entry.key, entry.value)
      let said = Payload.TaskBegin(
        id: key,
        name: task.name,
        granted: task.granted,
        handler: task.hasHandler
      )
      return Event(
        said,
        at: task.time,
        thread: task.thread,
        site: task.site,
        sequence: task.sequence,
        stream: id
      )
    }
    events += wakes.entries.map { entry in
      let (key, wake) = (entry.key, entry.value)
      let said = Payload.WakeBegin(id: key, reason: wake.reason)
      return Event(said, at: wake.time, sequence: wake.sequence, stream: id)
    }
    events += deadlines.entries.map { entry in
      let (key, deadline) = (entry.key, entry.value)
      let said = Payload.DeadlineOpen(
        id: key,
        what: deadline.what,
        budget: deadline.budget,
        clock: deadline.countsCPU ? .cpu : .wall
      )
      return Event(said, at: deadline.time, sequence: deadline.sequence, stream: id)
    }
    events += resources.entries.map { entry in
      let (key, resource) = (entry.key, entry.value)
      let said = Payload.ResourceAcquire(
        name: key.name,
        class: resource.resourceClass,
        attribute: resource.attribute,
        id: key.id
      )
      return Event(
        said,
        at: resource.time,
        thread: resource.thread,
        site: resource.site,
        sequence: resource.sequence,
        stream: id
      )
    }
    return events.sorted { $0.sequence < $1.sequence }
  }
}
