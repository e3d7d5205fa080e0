// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

extension LifeState {
  /// Folds the next events of the stream in, as ``apply(_:names:)`` does one by one.
  public mutating func apply(_ events: Span<Event>, names: borrowing Names) {
    events.withUnsafeBufferPointer { events in
      for index in events.indices { fold(events.baseAddress.unsafelyUnwrapped + index, names) }
    }
  }

  /// Folds those of the next events in that are of `kinds`; of the others only numbers and times.
  ///
  /// What events of other kinds open or end is not known any more; what they do not touch is as after
  /// ``apply(_:names:)``. Where few are of those kinds it takes a few instructions an event.
  package mutating func apply(
    _ events: Span<Event>,
    of kinds: KindSet,
    names: borrowing Names
  ) {
    events.withUnsafeBufferPointer { events in
      for index in events.indices {
        fold(events.baseAddress.unsafelyUnwrapped + index, of: kinds, names)
      }
    }
  }

  /// The same of the next event.
  package mutating func apply(_ event: borrowing Event, of kinds: KindSet, names: borrowing Names) {
    withUnsafePointer(to: event) { fold($0, of: kinds, names) }
  }

  @inline(__always)
  private mutating func fold(
    _ place: UnsafePointer<Event>,
    of kinds: KindSet,
    _ names: borrowing Names
  ) {
    if kinds.contains(place.pointee.kind) { fold(place, names) } else { note(place) }
  }

  /// Notes the number and the time of an event, and what is missing before it.
  @inline(__always)
  private mutating func note(_ place: UnsafePointer<Event>) {
    if place.pointee.sequence != nextSequence { meet(place.pointee) }
    nextSequence = place.pointee.sequence &+ 1
    if place.pointee.time > lastTime { lastTime = place.pointee.time }
  }

  /// Folds the next event of the stream in.
  ///
  /// Cheap: one jump by kind, then a small flat table; no allocation while few things are open. Any
  /// event is accepted, in any order: finding those that do not fit (an end without a begin) is the
  /// work of the rules.
  public mutating func apply(_ event: borrowing Event, names: borrowing Names) {
    withUnsafePointer(to: event) { fold($0, names) }
  }

  /// The event by pointer: as a value, all of it would be copied before its kind is looked at.
  @inline(__always)
  private mutating func fold(_ place: UnsafePointer<Event>, _ names: borrowing Names) {
    note(place)
    switch place.pointee.kind.rawValue {
    case EventKind.callbackBegin.rawValue, EventKind.turnBegin.rawValue:
      open(place.pointee)
    case EventKind.workBegin.rawValue:
      let work = Payload.WorkBegin(place.pointee)
      let queue = names.known(work.queue ?? .empty)
      open(place.pointee, detail: work.kind.rawValue, queue: queue.word)
    case EventKind.waitBegin.rawValue:
      open(place.pointee, detail: names.known(Payload.WaitBegin(place.pointee).on).word)
    case EventKind.callbackEnd.rawValue, EventKind.turnEnd.rawValue,
      EventKind.workEnd.rawValue, EventKind.waitEnd.rawValue:
      close(place.pointee)

    case EventKind.notificationPosted.rawValue:
      let posted = Payload.NotificationPosted(place.pointee)
      let key = NotificationKey(names.known(posted.type), names.known(posted.key))
      post(key, names.known(posted.value), place.pointee)
    case EventKind.notificationCoalesced.rawValue:
      let net = Payload.NotificationCoalesced(place.pointee)
      let key = NotificationKey(names.known(net.type), names.known(net.key))
      coalesce(key, names.known(net.value), posts: net.posts, place.pointee)
    case EventKind.notificationDelivered.rawValue:
      let delivered = Payload.NotificationDelivered(place.pointee)
      let key = NotificationKey(names.known(delivered.type), names.known(delivered.key))
      settle(key, isDelivered: true, names: names)
    case EventKind.notificationDropped.rawValue:
      let dropped = Payload.NotificationDropped(place.pointee)
      let key = NotificationKey(names.known(dropped.type), names.known(dropped.key))
      settle(key, isDelivered: false, names: names)

    case EventKind.dataDirty.rawValue, EventKind.dataFlushing.rawValue,
      EventKind.dataDurable.rawValue, EventKind.dataRestored.rawValue,
      EventKind.dataFailed.rawValue, EventKind.dataDiscarded.rawValue,
      EventKind.dataUnchanged.rawValue, EventKind.dataCopied.rawValue,
      EventKind.dataRead.rawValue:
      applyData(place.pointee, names: names)

    case EventKind.memorySample.rawValue:
      footprint = Payload.MemorySample(place.pointee).footprint
      footprintTime = place.pointee.time

    case EventKind.taskBegin.rawValue, EventKind.taskExpire.rawValue, EventKind.taskEnd.rawValue:
      applyTask(place.pointee, names: names)
    case EventKind.wakeBegin.rawValue, EventKind.wakeCompletion.rawValue:
      applyWake(place.pointee, names: names)
    case EventKind.deadlineOpen.rawValue, EventKind.deadlineClose.rawValue:
      applyDeadline(place.pointee, names: names)
    case EventKind.resourceAcquire.rawValue, EventKind.resourceRelease.rawValue:
      applyResource(place.pointee, names: names)

    case EventKind.processStart.rawValue, EventKind.processConfig.rawValue,
      EventKind.processExit.rawValue, EventKind.purge.rawValue:
      applyProcess(place.pointee, names: names)
    case EventKind.transition.rawValue, EventKind.suspend.rawValue, EventKind.resume.rawValue:
      let cause: NameID =
        switch place.pointee.kind {
        case .transition: names.known(Payload.Transition(place.pointee).cause)
        case .resume: names.known(Payload.Resume(place.pointee).reason)
        default: .empty
        }
      if let state = destination(of: place.pointee) { enter(state, place.pointee, cause: cause) }
    case EventKind.device.rawValue: applyDevice(place.pointee, names: names)
    case EventKind.loss.rawValue:
      let loss = Payload.Loss(place.pointee)
      if let family = loss.family.value {
        lose(FamilySet(family), count: loss.count, since: place.pointee.time)
        // Events of an unknown family may have been of any: a chunk that cannot be read, say.
        if family == .unknown { lose(.all, since: place.pointee.time) }
        // It stands for that many numbers: they are not missing besides.
        if place.pointee.flags.contains(.inferred), loss.count > 1 {
          nextSequence = place.pointee.sequence &+ loss.count
        }
      }
    default: break
    }
  }

  /// Notes the events that are missing before `event`, which is not folded yet.
  ///
  /// `apply(_:names:)` does so itself; to judge an event by the facts before it, call this first.
  public mutating func meet(_ event: borrowing Event) {
    defer { nextSequence = event.sequence }
    guard let expected = nextSequence else {
      // The lowest of all times stands for a table that was full.
      let begin = HostTime(rawValue: max(event.time.rawValue, .min + 1))
      completeness.begin(event.kind == .processStart ? .birth : .time(begin))
      // What came before is missing: a keyframe would have said where to begin.
      completeness[.unknown].lost &+= event.sequence
      return
    }
    guard event.sequence > expected else { return }
    lose(.all, count: 0, since: event.time)
    completeness[.unknown].lost &+= event.sequence - expected
  }

  /// Events of `families` are missing, at the latest just before `since`.
  ///
  /// Taints only their ledgers; without state events the state is unknown. `count` are known to be
  /// missing of each family, or in all when it may have been any.
  public mutating func lose(_ families: FamilySet, count: UInt64 = 0, since lossTime: HostTime) {
    let since = behind(lossTime)
    for family in EventFamily.allCases where families.contains(family) {
      completeness[family].since = .time(since)
      if families != .all || family == .unknown { completeness[family].lost &+= count }
    }
    if families.contains(.state) && appState != .unknown {
      let time = max(lossTime, lastTime)
      setState(.unknown, at: time, sequence: nextSequence ?? 0, cause: .empty)
    }
  }

  /// The first time about which nothing can be missing any more, where something is that happened at
  /// `time` at the latest.
  ///
  /// What is known already may have the very time of what is missing, in a log of whole seconds for
  /// one, and may have been undone by it.
  func behind(_ time: HostTime) -> HostTime {
    guard time <= lastTime, lastTime.rawValue < .max else { return time }
    return HostTime(rawValue: lastTime.rawValue + 1)
  }

  /// Becomes the state at the start of the incarnation after `previous`: only durable data remain.
  ///
  /// A reboot keeps what had reached the disk, any other end what the kernel had
  /// (`DurabilityLevel.surviving(_:)`). `names` are those of `previous`.
  public mutating func beginIncarnation(after previous: LifeState, names: borrowing Names) {
    let cause = previous.process.ending.map { names[$0.cause] } ?? ""
    let survived = DurabilityLevel.surviving(cause)
    self = LifeState()
    for object in previous.data.values {
      data.insert(object.inherited(at: survived), for: object.name)
    }
  }
}

// MARK: - Spans and notifications, the bulk of a trace

extension LifeState {
  @inline(__always)
  private mutating func open(_ event: borrowing Event, detail: UInt64 = 0, queue: UInt64 = 0) {
    guard spans.count < Self.openMax else { return overflow(event.kind.family) }
    spans.insert(
      OpenSpan(
        kind: event.kind,
        detail: detail,
        queue: queue,
        site: event.site,
        thread: event.thread,
        time: event.time,
        sequence: event.sequence,
        suspendedBefore: suspendedTotal
      ),
      for: SpanKey(event.identity, event.kind)
    )
  }

  @inline(__always)
  private mutating func close(_ event: borrowing Event) {
    if let key = SpanKey(endedBy: event), let place = spans.place(of: key) {
      spans.remove(at: place)
    }
  }

  /// Whether each event of the kinds `ends`, among some that come next, ends a span that is known to have begun.
  ///
  /// False as soon as one of them ends anything else. Nothing may be missing among the events. Costs a copy of the
  /// open spans.
  package func knowsBegins(ofEnds ends: KindSet, among events: Span<Event>) -> Bool {
    guard ends != KindSet() else { return true }
    let begins = SpanKey.begins
    var open = spans
    for place in events.indices {
      let kind = events[place].kind
      if begins.contains(kind) {
        open.insert(OpenSpan(), for: SpanKey(events[place].identity, kind))
      } else if let key = SpanKey(endedBy: events[place]), let known = open.place(of: key) {
        open.remove(at: known)
      } else if ends.contains(kind) {
        return false
      }
    }
    return open.count <= Self.openMax
  }

  private mutating func post(_ key: NotificationKey, _ value: NameID, _ event: borrowing Event) {
    if let place = notifications.place(of: key) {
      notifications.update(at: place) {
        $0.lastValue = value
        $0.posts &+= 1
      }
      return
    }
    guard notifications.count < Self.openMax else { return overflow(.notification) }
    notifications.insert(
      PendingNotification(
        type: key.type,
        key: key.key,
        firstValue: value,
        lastValue: value,
        posts: 1,
        time: event.time,
        sequence: event.sequence,
        whileSuspended: appState == .suspended
      ),
      for: key
    )
  }

  private mutating func coalesce(
    _ key: NotificationKey,
    _ value: NameID,
    posts: UInt64,
    _ event: borrowing Event
  ) {
    guard let place = notifications.place(of: key) else { return post(key, value, event) }
    notifications.update(at: place) {
      $0.lastValue = value
      $0.posts = max($0.posts, posts)
    }
  }

  /// A post is answered, and so are those of its class that were netted with it.
  private mutating func settle(
    _ key: NotificationKey,
    isDelivered: Bool,
    names: borrowing Names
  ) {
    if let place = notifications.place(of: key) { notifications.remove(at: place) }
    guard !notifications.isEmpty, let kind = NotificationClass.named(names[key.type]) else {
      return
    }
    for place in (0..<notifications.count).reversed() {
      let other = notifications.entries[place].value
      guard other.whileSuspended else { continue }
      let isMate =
        kind.rule.joinsKeys
        ? other.type == key.type
        // Where one half of a pair is dropped, the other may still be delivered.
        : isDelivered && other.key == key.key
          && NotificationClass.named(names[other.type]) == kind
      if isMate { notifications.remove(at: place) }
    }
  }

  /// A table is full: of what is in it nothing is missing, but more may be open.
  mutating func overflow(_ family: EventFamily) { completeness[family].overflow() }
}

// MARK: - Data

extension LifeState {
  private mutating func applyData(_ event: borrowing Event, names: borrowing Names) {
    let name = names.known(event.identityName)
    let place: Int
    if let known = data.place(of: name) {
      place = known
    } else {
      guard data.count < Self.objectsMax else { return overflow(.data) }
      place = data.insert(DataObject(name: name), for: name)
    }
    let (time, sequence) = (event.time, event.sequence)
    switch event.kind.rawValue {
    case EventKind.dataDirty.rawValue:
      let dirty = Payload.DataDirty(event)
      let edit = DataObject.Edit(
        version: dirty.version,
        bytes: dirty.bytes,
        hash: dirty.hash,
        time: time,
        sequence: sequence,
        site: event.site,
        thread: event.thread
      )
      data.update(at: place) { $0.edited(edit) }
    case EventKind.dataFlushing.rawValue:
      let flush = DataObject.Flush(
        version: Payload.DataFlushing(event).version,
        content: .unknown,
        time: time,
        sequence: sequence,
        site: event.site,
        thread: event.thread
      )
      data.update(at: place) { $0.beganFlush(flush) }
    case EventKind.dataDurable.rawValue:
      let durable = Payload.DataDurable(event)
      let save = DataObject.Save(
        version: durable.version,
        level: durable.level.value ?? .process,
        content: DataObject.Content(bytes: durable.bytes, hash: durable.hash),
        time: time,
        sequence: sequence
      )
      data.update(at: place) { $0.saved(save) }
    case EventKind.dataUnchanged.rawValue:
      let unchanged = Payload.DataUnchanged(event)
      let save = DataObject.Save(
        version: unchanged.version,
        level: unchanged.level.value ?? .process,
        content: DataObject.Content(bytes: unchanged.bytes, hash: unchanged.hash),
        time: time,
        sequence: sequence
      )
      data.update(at: place) { $0.confirmed(save) }
    case EventKind.dataCopied.rawValue:
      let copied = Payload.DataCopied(event)
      let copy = DataObject.Copy(version: copied.version, time: time, sequence: sequence)
      data.update(at: place) { $0.lastCopy = copy }
    case EventKind.dataRestored.rawValue:
      let found = Payload.DataRestored(event)
      let restored = DataObject.Restored(
        version: found.version,
        content: DataObject.Content(bytes: found.bytes, hash: found.hash),
        time: time,
        sequence: sequence
      )
      data.update(at: place) { $0.wasRestored(restored) }
    case EventKind.dataRead.rawValue:
      let read = Payload.DataRead(event)
      let content = DataObject.Content(bytes: read.bytes, hash: read.hash)
      data.update(at: place) { $0.readElsewhere(content) }
    case EventKind.dataFailed.rawValue:
      let failed = Payload.DataFailed(event)
      let failure = DataObject.Failure(
        version: failed.version,
        errno: failed.errno,
        time: time,
        sequence: sequence
      )
      data.update(at: place) { $0.failed(failure, isAside: failed.aside == true) }
    default:
      let discarded = Payload.DataDiscarded(event)
      data.update(at: place) { $0.gaveUp(discarded.version) }
    }
  }
}
