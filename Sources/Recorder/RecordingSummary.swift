// SPDX-License-Identifier: Apache-2.0

/// What a finished recording holds.
public struct RecordingSummary: Hashable, Sendable {
  /// Processes that joined.
  public var processes = 0
  /// Processes seen without the SDK.
  public var bystanders = 0
  /// Pools of processes that were refused: damaged, or of another version.
  public var poolsRefused = 0
  /// Processes that link the SDK and said that they could not join.
  public var notJoined = 0
  /// Processes seen without the SDK are looked for every now and then: short ones may be missing.
  public var isSampled = false
  /// Events of the kernel about processes that had no room: short processes may be missing.
  public var processEventsMissed: UInt64 = 0
  /// Processes that were not followed, because too many lived at once.
  public var notFollowed = 0
  /// Events written.
  public var events: UInt64 = 0
  /// Events known to be missing.
  public var losses: UInt64 = 0
  /// Events older than what a flight recorder keeps.
  public var letGo: UInt64 = 0
  /// Those of them that went before their time, because the session directory was full.
  public var crowdedOut: UInt64 = 0
  /// Events that were written and cannot be read in the file any more: somebody took them away.
  public var gone: UInt64 = 0
  /// Events that the recorder before this one had written and that are not in this file: it was
  /// moved, replaced or cut before it was gone on with.
  public var elsewhere: UInt64 = 0
  /// Bytes of the trace file.
  public var bytes: UInt64 = 0
  /// Where the trace is, by an absolute path.
  public var output = ""
  /// Whether the trace is where it was asked for, with all that was written.
  public var isAsAsked = true
  /// What others have done to the file and what became of it, a sentence each.
  public var remarks: [String] = []
  /// Objects that died unsaved with their process.
  public var unsavedObjects = 0
  /// Of these, those of which a save was under way: it may have come through.
  public var beingSavedObjects = 0
  /// The bytes of those objects, as far as they were told.
  public var unsavedBytes: UInt64 = 0
  /// Whether some process that has ended had declared data that it keeps.
  public var hasData = false
  /// Processes that go on without being recorded any more.
  public var stillRunning = 0
  /// Streams that were in memory at the end: those of ended processes are let go.
  package var streamsKept = 0
  /// Bytes of the names that were in memory at the end.
  package var namesBytes = 0
  /// Uses of names that no longer fitted into the table of their process.
  public var namesLost: UInt64 = 0

  /// An empty recording.
  public init() {}
}
