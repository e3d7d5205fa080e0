// SPDX-License-Identifier: Apache-2.0

/// What a finished recording holds.
package struct RecordingSummary: Hashable, Sendable {
  /// How many processes joined.
  package var processes = 0
  /// Processes seen without the SDK.
  package var bystanders = 0
  /// Pools of processes that were refused: damaged, or of another version.
  package var poolsRefused = 0
  /// Pools of processes that could not be read to the last: they are kept in the session.
  package var poolsLeft = 0
  /// Processes that link the SDK and said that they could not join.
  package var notJoined = 0
  /// Processes seen without the SDK are looked for every now and then: short ones may be missing.
  package var isSampled = false
  /// Events of the kernel about processes that had no room: short processes may be missing.
  package var processEventsMissed: UInt64 = 0
  /// Processes that were not followed, because too many lived at once.
  package var notFollowed = 0
  /// How many events were written.
  package var events: UInt64 = 0
  /// Events known to be missing.
  package var losses: UInt64 = 0
  /// Events older than what a flight recorder keeps.
  package var letGo: UInt64 = 0
  /// Those of them that went before their time, because the session directory was full.
  package var crowdedOut: UInt64 = 0
  /// Events that a collector keeps and that are not in the file any more.
  package var released: UInt64 = 0
  /// Events that were written and cannot be read in the file any more: something removed them.
  package var gone: UInt64 = 0
  /// Events that the recorder before this one had written and that are not in this file: it was
  /// moved, replaced or cut before it was gone on with.
  package var elsewhere: UInt64 = 0
  /// Bytes of the trace file.
  package var bytes: UInt64 = 0
  /// Where the trace is, by an absolute path.
  package var output = ""
  /// Whether the trace is where it was asked for, with all that was written.
  package var isAsAsked = true
  /// What others have done to the file and what became of it, a sentence each.
  package var remarks: [String] = []
  /// Objects that died unsaved with their process, where the recording did not end it.
  package var unsavedObjects = 0
  /// How many of them may be there all the same.
  package var survivingObjects = 0
  /// The bytes of those objects, as far as they were reported.
  package var unsavedBytes: UInt64 = 0
  /// Objects that were unsaved when the recording ended, or ended their process: nothing was lost.
  package var openObjects = 0
  /// The bytes of these.
  package var openBytes: UInt64 = 0
  /// Whether some process had more data objects than are followed: the counts above are the least.
  package var hasMoreObjects = false
  /// Whether some process that has ended had declared data that it keeps.
  package var hasData = false
  /// Whether programs without the SDK were observed.
  package var isObserved = false
  /// Processes that go on without being recorded any more.
  package var stillRunning = 0
  /// Streams that were in memory at the end: those of ended processes are let go.
  package var streamsKept = 0
  /// Bytes of the names that were in memory at the end.
  package var namesBytes = 0
  /// Uses of names that no longer fitted into the table of their process.
  package var namesLost: UInt64 = 0

  /// The summary of an empty recording.
  package init() {}
}
