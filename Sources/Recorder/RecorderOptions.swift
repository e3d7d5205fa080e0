// SPDX-License-Identifier: Apache-2.0
package import LifetracePlatform
import LifetraceTrace

/// What to record and where to keep it.
///
///     var options = RecorderOptions(output: "run.lifetrace")
///     options.retention = .duration(nanoseconds: 30_000_000_000)
package struct RecorderOptions: Sendable {
  /// What an app does when its pool is full.
  package enum OnFull: Hashable, Sendable {
    /// The newest event is dropped and counted by family.
    case drop
    /// The emitting thread waits, at most so long, while the recorder is alive.
    case block(nanoseconds: UInt64)
  }

  /// How much of the past a flight recorder keeps.
  package enum Retention: Hashable, Sendable {
    /// The whole recording.
    case all
    /// The chunks that reach into the last N nanoseconds.
    case duration(nanoseconds: Int64)
    /// The newest chunks of at most N bytes together.
    case bytes(Int)
  }

  /// The path of the trace file.
  package var output: String
  /// Replaces an existing trace instead of refusing.
  package var overwrite = false
  /// Forces every chunk to disk before its events count as written.
  package var sync = false
  /// A clean end makes large chunks of small ones; not where chunks travel, by what they are known.
  package var compacts = true
  /// A chunk whose columns and names have this size is sealed though it is not full, in bytes before
  /// compression; nil for no such limit.
  package var chunkBytesMax: Int?
  /// The size at which the recording stops growing; later events are a counted loss.
  package var sizeMax: Int?
  /// Who keeps chunks that have left this machine; nil where nobody does.
  package var custody: Custody?
  /// No recording has room for the ends of its processes in less.
  package static let sizeMaxMin = 16 << 10
  /// How much of the past is kept.
  package var retention = Retention.all
  /// What apps do when their pool is full.
  package var onFull = OnFull.drop
  /// Which strings are replaced before they are written.
  package var redactions: [Redaction] = []
  /// The name of the profile that goes into each writer's attributes.
  package var profile = ""
  /// Real nanoseconds per 1,000 nominal ones, see ``WriterAttributes/timeScale``.
  package var timeScale: UInt32 = 1000
  /// Makes this process the reaper of all its orphaned descendants, so that their wait status is exact.
  ///
  /// It then waits for *every* child: only for a process that does nothing else.
  package var reapsDescendants = false
  /// Kills every launched process, and all below it, when the recorder ends in any way.
  package var launchedDieWithRecorder = false
  /// Launches each process into a cgroup of its own, where it can be frozen; where that is not
  /// permitted, suspensions are by SIGSTOP all the same.
  package var suspendsByFreezer = false
  /// What a library between each process and the C library looks at; nil for no such library.
  package var observation: Observation?
  /// Follows descendants that do not link the SDK, as bystander streams.
  package var seesBystanders = false
  /// Bytes that the pool of one process may grow to.
  package var poolBytesMax: UInt64 = 64 << 20
  /// Where to make the session directory, instead of the usual places.
  package var sessionParents: [String]?
  /// The age at which a chunk is sealed though it is not full.
  package var sealAfterNanoseconds: Int64 = 5_000_000_000
  /// Settles the order of what was recorded every 250 ms, so that others can follow.
  package var settles = false
  /// What the recording belongs to together with those of other machines; empty for nothing.
  package var run = RecordingOrigin.runOfEnvironment

  /// So much text of names is kept in memory, beside what is in use; chunks hold their own.
  package var namesBytesMax = 32 << 20

  /// How many bytes of the kernel's messages about processes are kept until they are read.
  package var kernelEventsBytes: Int32 = 4 << 20

  /// So long a trace that no file has any more is held at the end, for want of a place to write it.
  package var holdSecondsMax = 60

  /// Options with every default but the file.
  package init(output: String) { self.output = output }
}
