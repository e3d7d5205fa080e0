// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A callback, run-loop turn, span of work or wait that has begun and not ended.
public struct OpenSpan: Hashable, Sendable, BitwiseCopyable {
  /// What kind of extent.
  public var kind = EventKind(rawValue: 0)
  /// `WorkKind` of work; the awaited name of a wait; else 0.
  public var detail = UInt64(0)
  /// The queue of work; else 0.
  public var queue = UInt64(0)
  /// Where in the source it began, and so its name.
  public var site = SiteID.none
  /// The thread it began on.
  public var thread = ThreadID(rawValue: 0)
  /// When it began, on the clock of the host.
  public var time = HostTime(rawValue: 0)
  /// The event that began it.
  public var sequence = UInt64(0)
  /// For how long the process had been suspended in all when it began.
  public var suspendedBefore = Int64(0)
}

extension OpenSpan {
  /// A save that has begun, as an extent.
  package init(_ flush: DataObject.Flush) {
    kind = .dataFlushing
    (site, thread, time, sequence) = (flush.site, flush.thread, flush.time, flush.sequence)
  }
}

/// Begin and end of an extent meet by this: identities of one kind are unique, of several are not.
@frozen
public struct SpanKey: FlatKey, Hashable {
  /// The identity of the event.
  public var identity: UInt64
  /// The kind that begins the extent.
  public var kind: EventKind

  /// The key of an extent of `kind`.
  @inlinable
  public init(_ identity: UInt64, _ kind: EventKind) {
    self.identity = identity
    self.kind = kind
  }

  /// The key of the extent that an event ends; nil for an event that ends none.
  @inline(__always)
  init?(endedBy event: borrowing Event) {
    switch event.kind {
    case .callbackEnd: self.init(event.identity, .callbackBegin)
    case .turnEnd: self.init(event.identity, .turnBegin)
    case .workEnd: self.init(event.identity, .workBegin)
    case .waitEnd: self.init(event.identity, .waitBegin)
    default: return nil
    }
  }

  /// The kinds that begin an extent.
  static let begins = KindSet([.callbackBegin, .turnBegin, .workBegin, .waitBegin])

  /// Identity and kind, spread by splitmix64.
  @inlinable public var mixed: UInt64 { mix(identity &+ UInt64(kind.rawValue) << 56) }
  /// By kind, then identity.
  public var order: (UInt64, UInt64) { (UInt64(kind.rawValue), identity) }
}

/// A background task that was granted and not ended.
public struct OpenTask: Hashable, Sendable, BitwiseCopyable {
  /// The name it was begun with.
  public var name = NameID.empty
  /// When it was granted.
  public var time = HostTime(rawValue: 0)
  /// The sequence number of the event that reported it.
  public var sequence = UInt64(0)
  /// Where in the source.
  public var site = SiteID.none
  /// The thread on which it began.
  public var thread = ThreadID(rawValue: 0)
  /// The time granted, 0 for not said.
  public var granted = Int64(0)
  /// Whether it has an expiration handler.
  public var hasHandler = false
  /// When its expiration handler was called.
  public var expired: HostTime?
  /// When the app left the foreground with it, or began it outside.
  public var backgroundSince: HostTime?
  /// For how long the process had been suspended in all when it began.
  public var suspendedBefore = Int64(0)

  /// The time granted where none is up: in a background mode that lasts.
  public static let grantedWithoutLimit: Int64 = 9_000_000_000_000_000_000

  /// Whether its time is never up.
  public var isUnlimited: Bool { granted >= Self.grantedWithoutLimit }

  /// Whether the task was begun for something that went on when it was ended, as far as events show.
  ///
  /// What began with the event `work` on `thread` has its task begun before it, or in the midst of it;
  /// and what ends the task is not another piece of work, `item`, on a thread of its own: that ended the
  /// task of its own.
  public func isFor(
    _ work: UInt64,
    on thread: ThreadID,
    endedOn ending: ThreadID,
    in item: OpenSpan?
  ) -> Bool {
    let isSame = ending == thread && thread != .main
    guard sequence < work || isSame && self.thread == thread else { return false }
    return isSame || ending == .main || item == nil
  }
}

extension Payload.TaskBegin {
  /// Whether the task was refused, as no time was left: nothing is open then.
  public var isRefused: Bool { id == 0 && granted == 0 }
}

/// A notification that was posted and not yet delivered.
public struct PendingNotification: Hashable, Sendable, BitwiseCopyable {
  /// The name of its type.
  public var type = NameID.empty
  /// What it is about: one accessory, one screen; may be empty.
  public var key = NameID.empty
  /// The value posted first.
  public var firstValue = NameID.empty
  /// The value posted last.
  public var lastValue = NameID.empty
  /// How many posts it stands for.
  public var posts = UInt64(0)
  /// When it was posted first.
  public var time = HostTime(rawValue: 0)
  /// The event of the first post.
  public var sequence = UInt64(0)
  /// Whether it was first posted while the process was suspended.
  public var whileSuspended = false
}

/// Notifications are pending by type and key.
@frozen
public struct NotificationKey: FlatKey, Hashable {
  /// The name of the type.
  public var type: NameID
  /// The name of the key.
  public var key: NameID
  /// The pair of `type` and `key`.
  @inlinable
  public init(_ type: NameID, _ key: NameID) {
    self.type = type
    self.key = key
  }
  /// Both names, spread by splitmix64.
  @inlinable public var mixed: UInt64 { mix(UInt64(type.rawValue) << 32 | UInt64(key.rawValue)) }
  /// By type, then key.
  public var order: (UInt64, UInt64) { (UInt64(type.rawValue), UInt64(key.rawValue)) }
}

/// A wake whose completion handler was not yet called.
public struct OpenWake: Hashable, Sendable, BitwiseCopyable {
  /// Why: `push`, `fetch`, `location` and so on.
  public var reason = NameID.empty
  /// When it happened, on the clock of the host.
  public var time = HostTime(rawValue: 0)
  /// The sequence number of the event that reported it.
  public var sequence = UInt64(0)
}

/// A time budget that runs.
public struct OpenDeadline: Hashable, Sendable, BitwiseCopyable {
  /// What must be done in it.
  public var what = NameID.empty
  /// How long it is.
  public var budget = Int64(0)
  /// Whether it counts CPU time rather than wall time.
  public var countsCPU = false
  /// When it began, on the clock of the host.
  public var time = HostTime(rawValue: 0)
  /// The sequence number of the event that reported it.
  public var sequence = UInt64(0)
}

/// A resource that is held.
public struct HeldResource: Hashable, Sendable, BitwiseCopyable {
  /// Its name: a path, an address.
  public var name = NameID.empty
  /// The raw value of its `ResourceClass`.
  public var classCode = UInt8(0)
  /// Its protection class, `shared`, `sensitive` and so on; may be empty.
  public var attribute = NameID.empty
  /// When it was acquired.
  public var time = HostTime(rawValue: 0)
  /// The sequence number of the event that reported it.
  public var sequence = UInt64(0)
  /// Where in the source.
  public var site = SiteID.none
  /// The thread on which it was acquired.
  public var thread = ThreadID(rawValue: 0)
  /// How often a lock was taken and not given back; 1 of anything else.
  ///
  /// In ``LifeState/resources`` by all threads, and 0 where the host has seen the lock and nobody said that
  /// it was taken; in ``LifeState/sharedHolds`` by its own thread.
  public var holds = UInt32(1)

  /// The class; an unknown code of a later version reads as `ResourceClass.other`.
  public var resourceClass: ResourceClass { ResourceClass(rawValue: classCode) ?? .other }
}

/// The key of a resource: its name, class and id.
@frozen
public struct ResourceKey: FlatKey, Hashable {
  /// The name of the resource.
  public var name: NameID
  /// The raw value of its `ResourceClass`.
  public var classCode: UInt8
  /// Distinguishes two resources of one name.
  public var id: UInt64

  /// The key of these three parts.
  @inlinable
  public init(_ name: NameID, _ classCode: UInt8, _ id: UInt64) {
    self.name = name
    self.classCode = classCode
    self.id = id
  }

  /// All three parts, spread by splitmix64.
  @inlinable public var mixed: UInt64 {
    mix(UInt64(name.rawValue) | UInt64(classCode) << 40 ^ mix(id))
  }
  /// By name and class, then id.
  public var order: (UInt64, UInt64) { (UInt64(name.rawValue) << 8 | UInt64(classCode), id) }
}

/// The key of what a further thread has of a lock.
@frozen
public struct HolderKey: FlatKey, Hashable {
  /// The name of the lock.
  public var name: NameID
  /// The thread that has it.
  public var thread: ThreadID
  /// Distinguishes two locks of one name.
  public var id: UInt64

  /// The key of these three parts.
  @inlinable
  public init(_ name: NameID, _ thread: ThreadID, _ id: UInt64) {
    self.name = name
    self.thread = thread
    self.id = id
  }

  /// All three parts, spread by splitmix64.
  @inlinable public var mixed: UInt64 {
    mix(UInt64(name.rawValue) | UInt64(thread.rawValue) << 32 ^ mix(id))
  }
  /// By name and thread, then id.
  public var order: (UInt64, UInt64) {
    (UInt64(name.rawValue) << 32 | UInt64(thread.rawValue), id)
  }
  /// The key of the lock.
  public var lock: ResourceKey { ResourceKey(name, ResourceClass.lock.rawValue, id) }
}
