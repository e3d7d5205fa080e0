// SPDX-License-Identifier: Apache-2.0

/// Nanoseconds on one host's clock.
///
/// Two hosts' times cannot be compared as they
/// are; which clock it is stands in ``WriterAttributes/clock``.
@frozen
public struct HostTime: RawRepresentable, Hashable, Comparable, Sendable {
  /// Nanoseconds on the clock of the host.
  public var rawValue: Int64

  /// A time of `rawValue` nanoseconds.
  @inlinable
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Whether the left time is the earlier one.
  @inlinable
  public static func < (left: HostTime, right: HostTime) -> Bool { left.rawValue < right.rawValue }

  /// Nanoseconds from `right` to `left`; saturates, because both may come from a hostile file.
  @inlinable
  public static func - (left: HostTime, right: HostTime) -> Int64 {
    let (difference, overflow) = left.rawValue.subtractingReportingOverflow(right.rawValue)
    return overflow ? (left.rawValue < right.rawValue ? .min : .max) : difference
  }

  /// The time `nanoseconds` later; saturates.
  @inlinable
  public func advanced(by nanoseconds: Int64) -> HostTime {
    let (sum, overflow) = rawValue.addingReportingOverflow(nanoseconds)
    return HostTime(rawValue: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }
}

/// One incarnation of one process (or of one simulated app): 128 random bits
/// made at attach, at exec and in a forked child; a hash for imports.
@frozen
public struct WriterID: Hashable, Comparable, Sendable {
  /// The upper 64 bits.
  public var high: UInt64
  /// The lower 64 bits.
  public var low: UInt64

  /// The id of the two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// By number, so that listings are stable.
  @inlinable
  public static func < (left: WriterID, right: WriterID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The id as 32 hexadecimal digits.
  public var text: String { WideID(high: high, low: low).text }
}

/// A writer's stream, numbered by the reader in order of first appearance.
@frozen
public struct StreamID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The index into the reader's streams.
  public var rawValue: UInt32
  /// The stream with that index.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Whether the left id has the smaller number.
  @inlinable
  public static func < (left: StreamID, right: StreamID) -> Bool { left.rawValue < right.rawValue }
}

/// A thread of a stream: 0 is the main thread, others are kernel thread ids
/// (imports: the log's thread ids).
@frozen
public struct ThreadID: RawRepresentable, Hashable, Comparable, Sendable {
  /// 0 for main, else the kernel's id.
  public var rawValue: UInt32
  /// The thread with that id.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The id of the main thread.
  @inlinable
  public static var main: ThreadID { ThreadID(rawValue: 0) }
  /// Whether the left id has the smaller number.
  @inlinable
  public static func < (left: ThreadID, right: ThreadID) -> Bool { left.rawValue < right.rawValue }
}

/// An interned string of a ``Names``; 0 is the empty string.
@frozen
public struct NameID: RawRepresentable, Hashable, Sendable {
  /// The index into the table.
  public var rawValue: UInt32
  /// The name with that index.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The id of the empty string.
  @inlinable
  public static var empty: NameID { NameID(rawValue: 0) }
}

/// A call site of a ``Names``; 0 is none.
@frozen
public struct SiteID: RawRepresentable, Hashable, Sendable {
  /// The index into the table.
  public var rawValue: UInt32
  /// The site with that index.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// No site: an event of the recorder or of the system.
  @inlinable
  public static var none: SiteID { SiteID(rawValue: 0) }
}

/// The clock that a writer's times are on.
public enum ClockDomain: UInt8, Sendable {
  /// Nanoseconds of CLOCK_MONOTONIC of one boot of one host.
  case monotonic = 0
  /// Nanoseconds since 1970 in UTC (imports).
  case real = 1
  /// Virtual nanoseconds of a simulator, from 0.
  case virtual = 2
  /// Nanoseconds since local midnight: a log whose lines carry no date.
  case timeOfDay = 3
}

/// How the recorder knows of a process, best first.
public enum EvidenceTier: UInt8, Sendable {
  /// Own or re-parented child: the exact wait status.
  case child = 0
  /// It joined: a pidfd; the cause of its death may be unknown.
  case joined = 1
  /// Kernel events (proc connector).
  case kernelEvents = 2
  /// Samples of /proc, ±20 ms.
  case sampled = 3
  /// The lines of an imported log.
  case log = 4
  /// A simulator or a hand-written story: complete by construction.
  case simulated = 5
}

/// What is known of a writer as a whole.
///
/// Each chunk carries it.
public struct WriterAttributes: Hashable, Sendable {
  /// The bundle id or, without one, the executable's name.
  public var app: String
  /// The name of the process's executable.
  public var process: String
  /// App, extension, daemon, server or harness.
  public var role: ProcessRole
  /// 0 where there is none.
  public var pid: UInt32
  /// The name of the machine.
  public var host: String
  /// The kernel's boot id, empty where unknown.
  public var boot: String
  /// Counts simulated reboots of one device, from 0: they change no kernel boot id.
  public var deviceBoot: UInt32
  /// When the process started.
  public var started: HostTime
  /// The incarnation before this one of the same app, stitched into one app life.
  public var previous: WriterID?
  /// How it is known.
  public var evidence: EvidenceTier
  /// The clock of its times.
  public var clock: ClockDomain
  /// Add to a time on that clock to get nanoseconds since 1970; 0 where unknown.
  ///
  /// The clock of a log with dates needs none: there it is how far the log's zone is ahead of UTC.
  public var realOffset: Int64
  /// The profile the recording was made under (`ios13`), empty for none.
  public var profile: String
  /// Real nanoseconds per 1,000 nominal ones.
  ///
  /// 1000 for real time, 10 when the host plays a 5 s deadline in 50 ms. Rules scale their budgets by it.
  public var timeScale: UInt32
  /// In which recording and on which machine.
  public var origin = RecordingOrigin()
  /// What a later version says of the writer.
  package var unknownTags: [HeaderTag] = []

  /// Attributes with everything unknown but the app.
  public init(app: String, process: String = "", role: ProcessRole = .app) {
    self.app = app
    self.process = process.isEmpty ? app : process
    self.role = role
    pid = 0
    host = ""
    boot = ""
    deviceBoot = 0
    started = HostTime(rawValue: 0)
    previous = nil
    evidence = .joined
    clock = .monotonic
    realOffset = 0
    profile = ""
    timeScale = 1000
  }

  /// A nominal length of time as it passes on the clock of this writer.
  package func scaled(_ nominal: Int64) -> Int64 { Self.scaled(nominal, by: timeScale) }

  /// The same at a scale in thousandths: who has attributes need not hand all of them over.
  package static func scaled(_ nominal: Int64, by timeScale: UInt32) -> Int64 {
    guard timeScale != 1000 else { return nominal }
    let (high, low) = nominal.multipliedFullWidth(by: Int64(timeScale))
    guard high == 0, low < UInt64(Int64.max) else { return .max }
    return Int64(low) / 1000
  }
}
