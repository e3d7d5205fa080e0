// SPDX-License-Identifier: Apache-2.0

/// What an event says: one byte on disk and in the pool.
///
///     event.kind == .dataDirty
///     EventKind.dataDirty.info?.name        // "data.dirty"
///
/// The set is open. A reader that meets a number it does not know keeps the
/// event, prints it by the name the chunk carries, and goes on.
/// The numbers are part of the format: never reuse one.
@frozen
public struct EventKind: RawRepresentable, Hashable, Sendable {
  /// The number on disk and in `lifetrace.h` (`LT_KIND_…`).
  public let rawValue: UInt8

  /// Any byte is a kind, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable
  init(_ rawValue: UInt8) { self.rawValue = rawValue }
}

extension EventKind {
  // Process.
  /// A process came to life; who, why and after whom.
  public static let processStart = EventKind(1)
  /// A configuration key of the app: plist keys, modes, linked SDK, scenes.
  public static let processConfig = EventKind(2)
  /// The process ended; the cause, its code and what tells so.
  public static let processExit = EventKind(3)

  // State.
  /// The app went from one state to another.
  public static let transition = EventKind(10)
  /// The process was stopped; stamped after the stop was confirmed.
  public static let suspend = EventKind(11)
  /// The process will run again; stamped before the continue is sent.
  public static let resume = EventKind(12)
  /// The system took the memory of the app, without notice.
  public static let purge = EventKind(13)

  // Callbacks of the delegate, and turns of the main run loop.
  /// A delegate method was entered.
  public static let callbackBegin = EventKind(20)
  /// A delegate method returned.
  public static let callbackEnd = EventKind(21)
  /// The main run loop took an item of work.
  public static let turnBegin = EventKind(22)
  /// The main run loop is done with the item.
  public static let turnEnd = EventKind(23)

  // Notifications.
  /// A system change was announced to the app.
  public static let notificationPosted = EventKind(30)
  /// Several posts became one pending value while the app was suspended.
  public static let notificationCoalesced = EventKind(31)
  /// The app was handed the notification.
  public static let notificationDelivered = EventKind(32)
  /// An observer in the app dealt with the notification.
  public static let notificationHandled = EventKind(33)
  /// A pending notification died with its app.
  public static let notificationDropped = EventKind(34)

  // Wakes.
  /// The system woke or launched the app in the background.
  public static let wakeBegin = EventKind(40)
  /// The app called the completion handler of a wake.
  public static let wakeCompletion = EventKind(41)

  // Work and waits.
  /// A span of work began.
  public static let workBegin = EventKind(50)
  /// A span of work ended, perhaps on another thread.
  public static let workEnd = EventKind(51)
  /// A thread began to wait for somebody.
  public static let waitBegin = EventKind(52)
  /// The wait is over.
  public static let waitEnd = EventKind(53)

  // Background tasks.
  /// A background task was granted.
  public static let taskBegin = EventKind(60)
  /// The expiration handler of a background task was called.
  public static let taskExpire = EventKind(61)
  /// A background task was ended by the app.
  public static let taskEnd = EventKind(62)

  // Deadlines.
  /// A time budget began to run.
  public static let deadlineOpen = EventKind(65)
  /// What the budget was for is done.
  public static let deadlineClose = EventKind(66)

  // Data.
  /// A new version of an object exists in memory only.
  public static let dataDirty = EventKind(70)
  /// A save of a version began.
  public static let dataFlushing = EventKind(71)
  /// A version has reached a durability level.
  public static let dataDurable = EventKind(72)
  /// A version was read back after a launch.
  public static let dataRestored = EventKind(73)
  /// A save failed.
  public static let dataFailed = EventKind(74)
  /// The app gave up unsaved versions on purpose.
  public static let dataDiscarded = EventKind(75)

  // Resources and samples.
  /// A lock, file, timer, socket … is held or open from here.
  public static let resourceAcquire = EventKind(80)
  /// The resource is given back.
  public static let resourceRelease = EventKind(81)
  /// A timer fired, a cache was read, a frame was drawn.
  public static let resourceUse = EventKind(82)
  /// The memory footprint at this time.
  public static let memorySample = EventKind(85)
  /// CPU time used over a span of wall time.
  public static let cpuSample = EventKind(86)

  // Device and user.
  /// Something happened to the device: lock, orientation, battery, reboot and so on.
  public static let device = EventKind(90)
  /// The user touched a view.
  public static let touch = EventKind(91)

  // Messages between processes.
  /// A message left for another process.
  public static let messageSend = EventKind(100)
  /// A message arrived from another process.
  public static let messageReceive = EventKind(101)

  // Tests of a harness.
  /// A test of a harness began.
  public static let testBegin = EventKind(110)
  /// A test of a harness ended.
  public static let testEnd = EventKind(111)

  // About the recording itself.
  /// The clocks of the host, read together.
  public static let clock = EventKind(120)
  /// Events are missing: which family, how many, since when.
  public static let loss = EventKind(121)
  /// A place named by the app or the harness.
  public static let mark = EventKind(122)
  /// A line of text.
  public static let log = EventKind(123)
  /// The recording ended well; without it, it was cut or still runs.
  public static let end = EventKind(124)
}

/// The family of a kind: losses are counted by family, and a loss taints only
/// the ledger of its own family.
public enum EventFamily: UInt8, CaseIterable, Sendable {
  case process, state, callback, notification, wake, work, task, deadline
  case data, resource, device, message, test, meta
  /// A kind that this version does not know.
  case unknown
}
