// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension EventText {
  /// What becomes of the app's data.
  static func data(_ event: Event, _ names: Names) -> Sentence? {
    func object(_ id: NameID) -> Sentence {
      let name = names[id]
      return name.isEmpty ? "data" : "\(object: name)"
    }
    func version(_ id: NameID, _ version: UInt64) -> Sentence { "\(object(id)) version \(version)" }
    switch event.kind {
    case .dataDirty:
      let edit = Payload.DataDirty(event)
      let size: Sentence = event.argumentCount > 1 ? ", \(bytes: edit.bytes)" : ""
      return version(edit.object, edit.version) + size + ", in memory only"
    case .dataFlushing:
      let flush = Payload.DataFlushing(event)
      let replaced: Sentence =
        flush.foreign.map {
          " in place of \(bytes: $0) of another program, which this process has not read"
        } ?? flush.unread.map { " in place of version \($0), which this process has not read" }
        ?? ""
      return "\(version(flush.object, flush.version)) is being saved\(replaced)"
    case .dataDurable:
      let save = Payload.DataDurable(event)
      let level = Wording.level(save.level.value ?? .process)
      return "\(version(save.object, save.version)) has reached \(level)"
    case .dataRestored:
      let found = Payload.DataRestored(event)
      if found.version == 0 {
        return found.bytes == 0
          ? "nothing of \(object(found.object)) found on disk"
          : "\(object(found.object)) read back, of no known version"
      }
      return "\(version(found.object, found.version)) read back"
    case .dataFailed:
      let failure = Payload.DataFailed(event)
      let errno = failure.errno == 0 ? "" : ", errno \(ErrorNumber.words(failure.errno))"
      guard names[failure.why] != "read" else {
        return "\(object(failure.object)) could not be read\(errno)"
      }
      return "\(version(failure.object, failure.version)) could not be saved\(errno)"
    case .dataDiscarded:
      let discarded = Payload.DataDiscarded(event)
      return "\(version(discarded.object, discarded.version)) given up on purpose"
    case .dataUnchanged:
      let same = Payload.DataUnchanged(event)
      return "\(version(same.object, same.version)) needs no save: its bytes stand there"
    case .dataCopied:
      let copy = Payload.DataCopied(event)
      return "\(version(copy.object, copy.version)) written to another file"
    case .dataRead:
      let read = Payload.DataRead(event)
      if read.version == 0 { return "a copy of \(object(read.object)) read" }
      return "\(version(read.object, read.version)) read from another file"
    default: return nil
    }
  }

  /// What becomes of a notification.
  static func notification(_ event: Event, _ names: Names) -> Sentence? {
    func about(_ type: NameID, _ key: NameID) -> Sentence {
      "\(name: names[type])\(with(names[key]))"
    }
    func value(_ id: NameID) -> Sentence { names[id].isEmpty ? "" : ": \(name: names[id])" }
    switch event.kind {
    case .notificationPosted:
      let posted = Payload.NotificationPosted(event)
      return "\(about(posted.type, posted.key)) posted\(value(posted.value))"
    case .notificationCoalesced:
      let coalesced = Payload.NotificationCoalesced(event)
      let last = value(coalesced.value)
      return "\(about(coalesced.type, coalesced.key)) coalesced of \(coalesced.posts)\(last)"
    case .notificationDelivered:
      let delivered = Payload.NotificationDelivered(event)
      return "\(about(delivered.type, delivered.key)) delivered\(value(delivered.value))"
    case .notificationHandled:
      let handled = Payload.NotificationHandled(event)
      return "\(about(handled.type, handled.key)) handled"
    case .notificationDropped:
      let dropped = Payload.NotificationDropped(event)
      return "\(about(dropped.type, dropped.key)) dropped\(value(dropped.value))"
    default: return nil
    }
  }
}
