// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// What the trace knows of one object that the app keeps: its versions in
/// memory and on their way to the disk.
///
///     object.isUnsaved(at: .kernel)     // would a purge lose something?
///
/// Versions count up from 1. *Unsaved at a level* means: the newest dirty
/// version is newer than the newest one durable at that level. A flush that
/// began before an edit does not cover the edit, and an older flush that
/// completes late lowers nothing.
public struct DataObject: Hashable, Sendable, BitwiseCopyable {
  /// Its name.
  public var name: NameID
  /// The newest version made in memory, 0 for none in this incarnation.
  public var dirty: Edit?
  /// The oldest edit that no completed save covers, at kernel level.
  public var firstUnsaved: Edit?
  /// The first edit made after the newest save began.
  public var firstAfterFlush: Edit?
  /// The save in progress that began last.
  public var flushing: Flush?
  /// The highest version durable, by ``DurabilityLevel``.
  public var durable = Durable()
  /// The last version that reached any level.
  public var lastSave: Save?
  /// The highest version the app gave up on purpose.
  public var discarded: UInt64 = 0
  /// How many saves failed, and the last of them.
  public var failures: UInt32 = 0
  /// The last save that failed.
  public var lastFailure: Failure?
  /// The version found by the launch.
  public var restored: Restored?
  /// What the incarnation before this one left.
  public var inherited: Inherited?

  /// An object of which nothing is known but its name.
  public init(name: NameID) { self.name = name }

  /// A version that came to be in memory.
  public struct Edit: Hashable, Sendable, BitwiseCopyable {
    /// Its number.
    public var version: UInt64
    /// The size of the object in this version.
    public var bytes: UInt64
    /// The hash of the content, 0 for unknown.
    public var hash: UInt64
    /// When.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
    /// The source line that made it.
    public var site: SiteID
    /// The thread that made it.
    public var thread: ThreadID
  }

  /// A save that has begun.
  public struct Flush: Hashable, Sendable, BitwiseCopyable {
    /// The version being saved.
    public var version: UInt64
    /// When it began.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
    /// The source line.
    public var site: SiteID
    /// The thread.
    public var thread: ThreadID
  }

  /// The highest durable version at each level.
  public struct Durable: Hashable, Sendable, BitwiseCopyable {
    private var versions: [4 of UInt64] = [0, 0, 0, 0]

    /// Nothing is durable.
    public init() {}

    /// The highest version that survives what `level` survives, 0 for none.
    public subscript(level: DurabilityLevel) -> UInt64 {
      get { versions[Int(level.rawValue)] }
      set { versions[Int(level.rawValue)] = newValue }
    }

    /// `version` has reached `level`, and so the levels below it.
    mutating func reach(_ version: UInt64, _ level: DurabilityLevel) {
      for lower in 0...Int(level.rawValue) { versions[lower] = max(versions[lower], version) }
    }

    /// The same versions at every level.
    public static func == (left: Durable, right: Durable) -> Bool {
      DurabilityLevel.allCases.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes all levels.
    public func hash(into hasher: inout Hasher) {
      for level in DurabilityLevel.allCases { hasher.combine(self[level]) }
    }
  }

  /// A version that reached a level.
  public struct Save: Hashable, Sendable, BitwiseCopyable {
    /// The version.
    public var version: UInt64
    /// The level it reached.
    public var level: DurabilityLevel
    /// Its size.
    public var bytes: UInt64
    /// The hash of the content, 0 for unknown.
    public var hash: UInt64
    /// When.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
  }

  /// A save that failed.
  public struct Failure: Hashable, Sendable, BitwiseCopyable {
    /// The version it was for.
    public var version: UInt64
    /// The error number, 0 for unknown.
    public var errno: Int64
    /// When.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
  }

  /// What a launch read back.
  public struct Restored: Hashable, Sendable, BitwiseCopyable {
    /// The version found.
    public var version: UInt64
    /// The hash of what was found, 0 for unknown.
    public var hash: UInt64
    /// When.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
  }

  /// What the incarnation before this one left of the object.
  public struct Inherited: Hashable, Sendable, BitwiseCopyable {
    /// The newest version that survived, 0 for none.
    public var version: UInt64
    /// The hash of it, 0 for unknown.
    public var hash: UInt64
    /// The newest version there had been in memory; more than `version` when something was lost.
    public var newest: UInt64
    /// The size of that one.
    public var bytes: UInt64
  }

  /// Whether the newest version would be lost by what `level` does not survive.
  public func isUnsaved(at level: DurabilityLevel) -> Bool {
    guard let dirty else { return false }
    return dirty.version > max(durable[level], discarded)
  }
}

extension DataObject {
  mutating func edited(_ edit: Edit) {
    var edit = edit
    let newest = dirty?.version ?? 0
    if edit.version == 0 { edit.version = max(newest, durable[.process], discarded) &+ 1 }
    if firstUnsaved == nil { firstUnsaved = edit }
    if flushing != nil && firstAfterFlush == nil { firstAfterFlush = edit }
    if edit.version >= newest { dirty = edit }
  }

  mutating func beganFlush(_ flush: Flush) {
    flushing = flush
    if flush.version == 0 { flushing?.version = dirty?.version ?? 0 }
    firstAfterFlush = nil
  }

  mutating func saved(_ save: Save) {
    var save = save
    if save.version == 0 { save.version = flushing?.version ?? dirty?.version ?? 0 }
    durable.reach(save.version, save.level)
    lastSave = save
    if save.level >= .kernel { settle(upTo: save.version) }
    if let flush = flushing, flush.version <= save.version { flushing = nil }
  }

  mutating func failed(_ failure: Failure) {
    failures &+= 1
    lastFailure = failure
    if let flush = flushing, failure.version == 0 || flush.version == failure.version {
      flushing = nil
    }
  }

  mutating func gaveUp(_ version: UInt64) {
    discarded = max(discarded, version == 0 ? dirty?.version ?? 0 : version)
    settle(upTo: discarded)
  }

  /// Versions up to `version` need no save any more: moves the oldest unsaved edit forward.
  private mutating func settle(upTo version: UInt64) {
    guard let dirty, dirty.version > version else {
      firstUnsaved = nil
      firstAfterFlush = nil
      return
    }
    guard let first = firstUnsaved, first.version <= version else { return }
    let next = firstAfterFlush.flatMap { $0.version > version ? $0 : nil }
    firstUnsaved = next ?? dirty
  }

  /// The object as the next incarnation finds it when `level` is what survived.
  func inherited(at level: DurabilityLevel) -> DataObject {
    var next = DataObject(name: name)
    let newest = max(dirty?.version ?? 0, durable[.process], inherited?.newest ?? 0)
    let isLast = lastSave.map { $0.version == durable[level] && $0.level >= level } ?? false
    let surviving = durable[level]
    next.inherited = Inherited(
      version: surviving > 0 ? surviving : inherited?.version ?? 0,
      hash: isLast ? lastSave?.hash ?? 0 : surviving > 0 ? 0 : inherited?.hash ?? 0,
      newest: newest,
      bytes: dirty?.bytes ?? lastSave?.bytes ?? inherited?.bytes ?? 0
    )
    return next
  }
}
