// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

extension LifeState {
  /// Folds the next events of the stream in, as ``apply(_:names:)`` does one by one.
  public mutating func apply(_ events: Span<Event>, names: borrowing Names) {
    events.withUnsafeBufferPointer { events in
      for index in events.indices { fold(events.baseAddress.unsafelyUnwrapped + index, names) }
    }
  }

  /// Folds the next event of the stream in.
  ///
  /// Cheap: one jump by kind, then a small flat table; no allocation while what
  /// is open stays small. Any event is accepted, in any order: what does not fit
  /// (an end without a begin) is what the rules are for.
  public mutating func apply(_ event: borrowing Event, names: borrowing Names) {
    withUnsafePointer(to: event) { fold($0, names) }
  }

  /// The event by pointer: as a value, all of it would be copied before its kind is looked at.
  @inline(__always)
  private mutating func fold(_ place: UnsafePointer<Event>, _ names: borrowing Names) {
    if place.pointee.sequence != nextSequence { meet(place.pointee) }
    nextSequence = place.pointee.sequence &+ 1
    if place.pointee.time > lastTime { lastTime = place.pointee.time }
    switch place.pointee.kind.rawValue {
    case EventKind.callbackBegin.rawValue, EventKind.turnBegin.rawValue,
      EventKind.workBegin.rawValue, EventKind.waitBegin.rawValue:
      open(place.pointee, names: names)
    case EventKind.callbackEnd.rawValue, EventKind.turnEnd.rawValue,
      EventKind.workEnd.rawValue, EventKind.waitEnd.rawValue:
      close(place.pointee)

    case EventKind.notificationPosted.rawValue: post(place.pointee, names: names)
    case EventKind.notificationCoalesced.rawValue: coalesce(place.pointee, names: names)
    case EventKind.notificationDelivered.rawValue, EventKind.notificationDropped.rawValue:
      settle(place.pointee, names: names)

    case EventKind.dataDirty.rawValue, EventKind.dataFlushing.rawValue,
      EventKind.dataDurable.rawValue, EventKind.dataRestored.rawValue,
      EventKind.dataFailed.rawValue, EventKind.dataDiscarded.rawValue,
      EventKind.dataUnchanged.rawValue, EventKind.dataCopied.rawValue,
      EventKind.dataRead.rawValue:
      applyData(place.pointee, names: names)

    case EventKind.memorySample.rawValue:
      footprint = place.pointee.arguments.0
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
        case .transition: names.known(place.pointee.argumentName(2))
        case .resume: names.known(place.pointee.argumentName(0))
        default: .empty
        }
      if let state = destination(of: place.pointee) { enter(state, place.pointee, cause: cause) }
    case EventKind.device.rawValue: applyDevice(place.pointee, names: names)
    case EventKind.loss.rawValue:
      if let family = EventFamily(rawValue: UInt8(clamping: place.pointee.arguments.0)) {
        lose(FamilySet(family), count: place.pointee.arguments.1, since: place.pointee.time)
        // Events of an unknown family may have been of any: a chunk that cannot be read, say.
        if family == .unknown { lose(.all, since: place.pointee.time) }
        // It stands for that many numbers: they are not missing besides.
        if place.pointee.flags.contains(.inferred), place.pointee.arguments.1 > 1 {
          nextSequence = place.pointee.sequence &+ place.pointee.arguments.1
        }
      }
    default: break
    }
  }

  /// Takes note of what is missing before `event`, which is not folded yet.
  ///
  /// ``apply(_:names:)`` does so itself; who wants to judge an event by the facts before it calls this first.
  public mutating func meet(_ event: borrowing Event) {
    defer { nextSequence = event.sequence }
    guard let expected = nextSequence else {
      let begin = HostTime(rawValue: event.time.rawValue)
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
  public mutating func lose(_ families: FamilySet, count: UInt64 = 0, since: HostTime) {
    let since = max(since, lastTime)
    for family in EventFamily.allCases where families.contains(family) {
      completeness[family].since = .time(since)
      if families != .all || family == .unknown { completeness[family].lost &+= count }
    }
    if families.contains(.state) && appState != .unknown {
      setState(.unknown, at: since, sequence: nextSequence ?? 0, cause: .empty)
    }
  }

  /// Becomes the state at the start of the incarnation after `previous`: nothing is open, what was durable is known.
  ///
  /// A reboot keeps what had reached the disk, any other end what the kernel had
  /// (``LifetraceTrace/DurabilityLevel/surviving(_:)``). `names` are those of `previous`.
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
  private mutating func open(_ event: borrowing Event, names: borrowing Names) {
    guard spans.count < Self.openMax else { return overflow(event.kind.family, event.time) }
    spans.insert(
      OpenSpan(
        kind: event.kind,
        detail: event.kind == .waitBegin
          ? UInt64(names.known(event.argumentName(0)).rawValue) : event.arguments.0,
        queue: event.kind == .workBegin
          ? UInt64(names.known(event.argumentName(1)).rawValue) : event.arguments.1,
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
    let begin: EventKind =
      switch event.kind {
      case .callbackEnd: .callbackBegin
      case .turnEnd: .turnBegin
      case .workEnd: .workBegin
      default: .waitBegin
      }
    if let place = spans.place(of: SpanKey(event.identity, begin)) { spans.remove(at: place) }
  }

  private mutating func post(_ event: borrowing Event, names: borrowing Names) {
    let key = NotificationKey(names.known(event.identityName), names.known(event.argumentName(0)))
    let value = names.known(event.argumentName(1))
    if let place = notifications.place(of: key) {
      notifications.update(at: place) {
        $0.lastValue = value
        $0.posts &+= 1
      }
      return
    }
    guard notifications.count < Self.openMax else { return overflow(.notification, event.time) }
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

  private mutating func coalesce(_ event: borrowing Event, names: borrowing Names) {
    let key = NotificationKey(names.known(event.identityName), names.known(event.argumentName(0)))
    guard let place = notifications.place(of: key) else { return post(event, names: names) }
    let value = names.known(event.argumentName(1))
    let posts = event.arguments.2
    notifications.update(at: place) {
      $0.lastValue = value
      $0.posts = max($0.posts, posts)
    }
  }

  /// A post is answered, and so are those of its class that were netted with it.
  private mutating func settle(_ event: borrowing Event, names: borrowing Names) {
    let key = NotificationKey(names.known(event.identityName), names.known(event.argumentName(0)))
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
        // Of a pair that is dropped, the other half may still be delivered.
        : event.kind == .notificationDelivered && other.key == key.key
          && NotificationClass.named(names[other.type]) == kind
      if isMate { notifications.remove(at: place) }
    }
  }

  /// A table is full: what is not kept is missing.
  private mutating func overflow(_ family: EventFamily, _ time: HostTime) {
    completeness[family].since = .time(max(time, lastTime))
    completeness[family].lost &+= 1
  }
}

// MARK: - Data

extension LifeState {
  private mutating func applyData(_ event: borrowing Event, names: borrowing Names) {
    let name = names.known(event.identityName)
    let place: Int
    if let known = data.place(of: name) {
      place = known
    } else {
      guard data.count < Self.objectsMax else { return overflow(.data, event.time) }
      place = data.insert(DataObject(name: name), for: name)
    }
    let version = event.arguments.0
    let (time, sequence) = (event.time, event.sequence)
    switch event.kind.rawValue {
    case EventKind.dataDirty.rawValue:
      let edit = DataObject.Edit(
        version: version,
        bytes: event.arguments.1,
        hash: event.arguments.2,
        time: time,
        sequence: sequence,
        site: event.site,
        thread: event.thread
      )
      data.update(at: place) { $0.edited(edit) }
    case EventKind.dataFlushing.rawValue:
      let flush = DataObject.Flush(
        version: version,
        content: .unknown,
        time: time,
        sequence: sequence,
        site: event.site,
        thread: event.thread
      )
      data.update(at: place) { $0.beganFlush(flush) }
    case EventKind.dataDurable.rawValue, EventKind.dataUnchanged.rawValue:
      let save = DataObject.Save(
        version: version,
        level: DurabilityLevel(rawValue: UInt8(clamping: event.arguments.1)) ?? .process,
        content: DataObject.Content(bytes: event.arguments.2, hash: event.arguments.3),
        time: time,
        sequence: sequence
      )
      if event.kind == .dataDurable {
        data.update(at: place) { $0.saved(save) }
      } else {
        data.update(at: place) { $0.confirmed(save) }
      }
    case EventKind.dataCopied.rawValue:
      let copy = DataObject.Copy(version: version, time: time, sequence: sequence)
      data.update(at: place) { $0.lastCopy = copy }
    case EventKind.dataRestored.rawValue:
      let restored = DataObject.Restored(
        version: version,
        content: DataObject.Content(bytes: event.arguments.1, hash: event.arguments.2),
        time: time,
        sequence: sequence
      )
      data.update(at: place) { $0.wasRestored(restored) }
    case EventKind.dataRead.rawValue:
      let content = DataObject.Content(bytes: event.arguments.1, hash: event.arguments.2)
      data.update(at: place) { $0.readElsewhere(content) }
    case EventKind.dataFailed.rawValue:
      let failure = DataObject.Failure(
        version: version,
        errno: Int64(bitPattern: event.arguments.1),
        time: time,
        sequence: sequence
      )
      let isAside = event.arguments.3 != 0
      data.update(at: place) { $0.failed(failure, isAside: isAside) }
    default:
      data.update(at: place) { $0.gaveUp(version) }
    }
  }
}

extension Event {
  /// The argument at `index` as a name.
  package func argumentName(_ index: Int) -> NameID {
    NameID(rawValue: UInt32(truncatingIfNeeded: self[index]))
  }
}
