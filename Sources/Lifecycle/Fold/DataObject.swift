// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// What the trace knows of one object that the app keeps: its versions in
/// memory and on their way to the disk.
///
///     object.isUnsaved(at: .kernel)     // would a purge lose something?
///
/// Versions count up from 1. *Unsaved at a level* means: the newest dirty
/// version is newer than the newest one durable at that level, and its bytes
/// are not those that stand there (``DataObject/standing(at:)``): who types a
/// letter and takes it back has nothing to lose. A flush that began before an
/// edit does not cover the edit, and an older flush that completes late lowers
/// nothing.
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
  /// Saves in progress.
  public var openFlushes = OpenFlushes()
  /// An earlier save was in progress when another began, and one of them is still.
  public var flushesOverlap = false
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

  /// What a file holds.
  public struct Content: Hashable, Sendable, BitwiseCopyable {
    /// Its size.
    public var bytes: UInt64
    /// The hash of it, 0 for unknown.
    public var hash: UInt64

    /// So many bytes with that hash.
    public init(bytes: UInt64, hash: UInt64) {
      self.bytes = bytes
      self.hash = hash
    }

    /// Equal in size and hash, and both are known.
    func isKnown(toBe other: Content) -> Bool { hash != 0 && self == other }
  }

  /// A save that has begun.
  public struct Flush: Hashable, Sendable, BitwiseCopyable {
    /// The version being saved.
    public var version: UInt64
    /// What is written, as far as the edit has told.
    public var content: Content
    /// When it began.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
    /// The source line.
    public var site: SiteID
    /// The thread.
    public var thread: ThreadID
  }

  /// The highest durable version at each level, and what it holds.
  public struct Durable: Hashable, Sendable, BitwiseCopyable {
    private var versions: [4 of UInt64] = [0, 0, 0, 0]
    private var contents = [4 of Content](repeating: Content(bytes: 0, hash: 0))

    /// Nothing is durable.
    public init() {}

    /// The highest version that survives what `level` survives, 0 for none.
    public subscript(level: DurabilityLevel) -> UInt64 {
      get { versions[Int(level.rawValue)] }
      set { versions[Int(level.rawValue)] = newValue }
    }

    /// The content of that version.
    public internal(set) subscript(contentAt level: DurabilityLevel) -> Content {
      get { contents[Int(level.rawValue)] }
      set { contents[Int(level.rawValue)] = newValue }
    }

    /// `version` has reached `level`, and so the levels below it.
    mutating func reach(_ version: UInt64, _ level: DurabilityLevel, _ content: Content) {
      for lower in DurabilityLevel.allCases where lower <= level && version >= self[lower] {
        self[lower] = version
        self[contentAt: lower] = content
      }
    }

    /// The same versions with the same content at every level.
    public static func == (left: Durable, right: Durable) -> Bool {
      DurabilityLevel.allCases.allSatisfy {
        left[$0] == right[$0] && left[contentAt: $0] == right[contentAt: $0]
      }
    }

    /// Hashes all levels.
    public func hash(into hasher: inout Hasher) {
      for level in DurabilityLevel.allCases {
        hasher.combine(self[level])
        hasher.combine(self[contentAt: level])
      }
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
    /// What was found.
    public var content: Content
    /// The hash of what was found, 0 for unknown.
    public var hash: UInt64 { content.hash }
    /// When.
    public var time: HostTime
    /// The event that told.
    public var sequence: UInt64
  }

  /// What the incarnation before this one left of the object.
  public struct Inherited: Hashable, Sendable, BitwiseCopyable {
    /// The newest version that survived, 0 for none.
    public var version: UInt64
    /// What it holds.
    public var content: Content
    /// The hash of that, 0 for unknown.
    public var hash: UInt64 { content.hash }
    /// The level that what survived is known to have reached.
    public var level: DurabilityLevel
    /// The newest version there had been in memory; more than `version` when something was lost.
    public var newest: UInt64
    /// The size of that one.
    public var bytes: UInt64
  }

  /// Whether the newest version would be lost by what `level` does not survive.
  public func isUnsaved(at level: DurabilityLevel) -> Bool {
    guard let dirty else { return false }
    return dirty.version > max(durable[level], discarded) && !stands(dirty, at: level)
  }
}
