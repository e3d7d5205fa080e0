// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// What the trace knows of one object that the app keeps: its versions in
/// memory and on their way to the disk.
///
///     object.isUnsaved(at: .kernel)     // would a purge lose something?
///
/// Versions count up from 1. *Unsaved at a level* means: the newest dirty
/// version is newer than the newest one durable at that level, and its bytes
/// are not those that stand there (``DataObject/standing(at:)``): a letter that
/// is typed and taken back is nothing to lose. A flush that began before an
/// edit does not cover the edit, and an older flush that completes late lowers
/// nothing. Its own file counts, not what was written to another one.
public struct DataObject: Hashable, Sendable, BitwiseCopyable {
  /// The name of the object, unique in its app.
  public var name: NameID
  /// The newest version made in memory, 0 for none in this incarnation.
  public var dirty: Edit?
  /// The oldest edit that no completed save covers, at kernel level.
  public var firstUnsaved: Edit?
  /// The first edit made after the newest save began.
  public var firstAfterFlush: Edit?
  /// The save in progress that began last.
  public var flushing: Flush?
  /// The saves that have begun and not ended.
  public var openFlushes = OpenFlushes()
  /// An earlier save was in progress when another began, and one of them is still.
  public var flushesOverlap = false
  /// The highest version durable, by `DurabilityLevel`.
  public var durable = Durable()
  /// What its file holds.
  public var standing = Standing()
  /// What stands there is not certain: versions were given up, and the file may have been deleted
  /// with them, or the end of a save was not reported.
  public var isDoubtful = false
  /// A look at the file, or versions that were given up, came while saves were under way: which of
  /// them was last is not known.
  public var isCrossed = false
  /// The hash of an edit, of this process or one before it, was seen to be that of its file.
  ///
  /// Its form in the file is that in memory. Else a save may have other bytes than its edit, and be right.
  public var isPlain = false
  /// What may stand there at a level above that of ``standing``, or where it is not certain.
  public var candidates = Candidates()
  /// The last version that reached any level.
  public var lastSave: Save?
  /// The last version that was written to another file.
  public var lastCopy: Copy?
  /// The highest version the app gave up on purpose.
  public var discarded: UInt64 = 0
  /// How many saves failed, and the last of them.
  public var failures: UInt32 = 0
  /// The last save that failed.
  public var lastFailure: Failure?
  /// What the app found when it last looked.
  public var restored: Restored?
  /// What it found when it looked for the first time, before any save.
  public var foundAtLaunch: Restored?
  /// What the incarnation before this one left.
  public var inherited: Inherited?

  /// An object of which nothing is known but its name.
  public init(name: NameID) { self.name = name }

  /// A version that came to be in memory.
  public struct Edit: Hashable, Sendable, BitwiseCopyable {
    /// The number of the version.
    public var version = UInt64(0)
    /// The size of the object in this version.
    public var bytes = UInt64(0)
    /// The hash of the content, 0 for unknown.
    public var hash = UInt64(0)
    /// When the edit was made, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the edit's event.
    public var sequence = UInt64(0)
    /// The source line that made it.
    public var site = SiteID.none
    /// The thread that made it.
    public var thread = ThreadID(rawValue: 0)
  }

  /// What a file holds.
  public struct Content: Hashable, Sendable, BitwiseCopyable {
    /// The size in bytes.
    public var bytes: UInt64
    /// The hash of it, 0 for unknown.
    public var hash: UInt64

    /// Content of that many bytes with that hash.
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
    public var version = UInt64(0)
    /// The content that is written, as far as the edit reported it.
    public var content = Content.unknown
    /// When the save began, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the event that reported it.
    public var sequence = UInt64(0)
    /// The source line that began the save.
    public var site = SiteID.none
    /// The thread that saves.
    public var thread = ThreadID(rawValue: 0)
  }

  /// The highest durable version at each level.
  public struct Durable: Hashable, Sendable, BitwiseCopyable {
    private var versions: [4 of UInt64] = [0, 0, 0, 0]

    /// Levels without a durable version.
    public init() {}

    /// The highest version that survives what `level` survives, 0 for none.
    public subscript(level: DurabilityLevel) -> UInt64 {
      get { versions[Int(level.rawValue)] }
      set { versions[Int(level.rawValue)] = newValue }
    }

    /// `version` has reached `level`, and so the levels below it.
    mutating func reach(_ version: UInt64, _ level: DurabilityLevel) {
      for lower in DurabilityLevel.allCases where lower <= level {
        self[lower] = max(self[lower], version)
      }
    }

    /// The same versions at every level.
    public static func == (left: Durable, right: Durable) -> Bool {
      DurabilityLevel.allCases.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes the versions of all levels.
    public func hash(into hasher: inout Hasher) {
      for level in DurabilityLevel.allCases { hasher.combine(self[level]) }
    }
  }

  /// A version that reached a level.
  public struct Save: Hashable, Sendable, BitwiseCopyable {
    /// The version that was saved.
    public var version = UInt64(0)
    /// The level it reached.
    public var level = DurabilityLevel.process
    /// The content that was saved.
    public var content = Content.unknown
    /// When the save ended, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the event that reported it.
    public var sequence = UInt64(0)
  }

  /// A version that was written to another file than the object's own.
  public struct Copy: Hashable, Sendable, BitwiseCopyable {
    /// The version that was copied.
    public var version = UInt64(0)
    /// When it was copied, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the event that reported it.
    public var sequence = UInt64(0)
  }

  /// A save that failed.
  public struct Failure: Hashable, Sendable, BitwiseCopyable {
    /// The version it was for.
    public var version = UInt64(0)
    /// The error number, 0 for unknown.
    public var errno = Int64(0)
    /// When the save failed, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the event that reported it.
    public var sequence = UInt64(0)
  }

  /// What was read back from its file.
  public struct Restored: Hashable, Sendable, BitwiseCopyable {
    /// The version that was found.
    public var version = UInt64(0)
    /// The content that was found.
    public var content = Content.unknown
    /// The hash of what was found, 0 for unknown.
    public var hash: UInt64 { content.hash }
    /// When it was read, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the event that reported it.
    public var sequence = UInt64(0)
  }

  /// What the incarnation before this one left of the object.
  public struct Inherited: Hashable, Sendable, BitwiseCopyable {
    /// The newest version that survived, 0 for none.
    public var version = UInt64(0)
    /// The newest version there had been in memory; more than `version` when something was lost.
    public var newest = UInt64(0)
    /// The size of that one.
    public var bytes = UInt64(0)
  }

  /// Whether the newest version would be lost by what `level` does not survive.
  public func isUnsaved(at level: DurabilityLevel) -> Bool {
    guard let dirty else { return false }
    return dirty.version > max(durable[level], discarded) && !stands(dirty, at: level)
  }
}
