// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension EventKind {
  /// A process came to life; who, why and after whom.
  @inlinable public static var processStart: EventKind { EventKind(1) }
  /// A configuration key of the app: plist keys, modes, linked SDK, scenes.
  @inlinable public static var processConfig: EventKind { EventKind(2) }
  /// The process ended; the cause, its code and what tells so.
  @inlinable public static var processExit: EventKind { EventKind(3) }
  /// A process without the SDK ran and ended: one event for its whole life.
  @inlinable public static var processSeen: EventKind { EventKind(4) }

  /// The app went from one state to another.
  @inlinable public static var transition: EventKind { EventKind(10) }
  /// The process was stopped; stamped after the stop was confirmed.
  @inlinable public static var suspend: EventKind { EventKind(11) }
  /// The process will run again; stamped before the continue is sent.
  @inlinable public static var resume: EventKind { EventKind(12) }
  /// The system took the memory of the app, without notice.
  @inlinable public static var purge: EventKind { EventKind(13) }

  /// A delegate method was entered.
  @inlinable public static var callbackBegin: EventKind { EventKind(20) }
  /// A delegate method returned.
  @inlinable public static var callbackEnd: EventKind { EventKind(21) }
  /// The main run loop took an item of work.
  @inlinable public static var turnBegin: EventKind { EventKind(22) }
  /// The main run loop is done with the item.
  @inlinable public static var turnEnd: EventKind { EventKind(23) }

  /// A system change was announced to the app.
  @inlinable public static var notificationPosted: EventKind { EventKind(30) }
  /// Several posts became one pending value while the app was suspended.
  @inlinable public static var notificationCoalesced: EventKind { EventKind(31) }
  /// The app was handed the notification.
  @inlinable public static var notificationDelivered: EventKind { EventKind(32) }
  /// An observer in the app dealt with the notification.
  @inlinable public static var notificationHandled: EventKind { EventKind(33) }
  /// A notification that nobody will be told of.
  @inlinable public static var notificationDropped: EventKind { EventKind(34) }

  /// The system woke or launched the app in the background.
  @inlinable public static var wakeBegin: EventKind { EventKind(40) }
  /// The app called the completion handler of a wake.
  @inlinable public static var wakeCompletion: EventKind { EventKind(41) }
  /// The app reported the incoming call for which it was woken.
  @inlinable public static var wakeReported: EventKind { EventKind(42) }

  /// A span of work began.
  @inlinable public static var workBegin: EventKind { EventKind(50) }
  /// A span of work ended, perhaps on another thread.
  @inlinable public static var workEnd: EventKind { EventKind(51) }
  /// A thread began to wait for somebody.
  @inlinable public static var waitBegin: EventKind { EventKind(52) }
  /// The wait is over.
  @inlinable public static var waitEnd: EventKind { EventKind(53) }

  /// A background task was granted, or refused: without id and time.
  @inlinable public static var taskBegin: EventKind { EventKind(60) }
  /// The expiration handler of a background task was called.
  @inlinable public static var taskExpire: EventKind { EventKind(61) }
  /// A background task was ended by the app.
  @inlinable public static var taskEnd: EventKind { EventKind(62) }

  /// A time budget began to run.
  @inlinable public static var deadlineOpen: EventKind { EventKind(65) }
  /// What the budget was for is done.
  @inlinable public static var deadlineClose: EventKind { EventKind(66) }

  /// A new version of an object exists in memory only.
  @inlinable public static var dataDirty: EventKind { EventKind(70) }
  /// A save of a version began.
  @inlinable public static var dataFlushing: EventKind { EventKind(71) }
  /// A version has reached a durability level.
  @inlinable public static var dataDurable: EventKind { EventKind(72) }
  /// A version was read back from the object's own file.
  @inlinable public static var dataRestored: EventKind { EventKind(73) }
  /// A save failed.
  @inlinable public static var dataFailed: EventKind { EventKind(74) }
  /// The app gave up unsaved versions on purpose.
  @inlinable public static var dataDiscarded: EventKind { EventKind(75) }
  /// A version needed no save: its bytes are those that stood in the file.
  @inlinable public static var dataUnchanged: EventKind { EventKind(76) }
  /// A version was written to another file than the object's own.
  @inlinable public static var dataCopied: EventKind { EventKind(77) }
  /// Another file than the object's own was read.
  @inlinable public static var dataRead: EventKind { EventKind(78) }

  /// A lock, file, timer, socket … is held or open from here.
  @inlinable public static var resourceAcquire: EventKind { EventKind(80) }
  /// The resource is given back.
  @inlinable public static var resourceRelease: EventKind { EventKind(81) }
  /// A timer fired, a cache was read, a frame was drawn.
  @inlinable public static var resourceUse: EventKind { EventKind(82) }
  /// The memory footprint at this time.
  @inlinable public static var memorySample: EventKind { EventKind(85) }
  /// CPU time used over a span of wall time.
  @inlinable public static var cpuSample: EventKind { EventKind(86) }

  /// Something happened to the device: lock, orientation, battery, reboot and so on.
  @inlinable public static var device: EventKind { EventKind(90) }
  /// The user touched a view.
  @inlinable public static var touch: EventKind { EventKind(91) }

  /// A message left for another process.
  @inlinable public static var messageSend: EventKind { EventKind(100) }
  /// A message arrived from another process.
  @inlinable public static var messageReceive: EventKind { EventKind(101) }
  /// The message of a flow belongs to a trace: a request and all that it leads to.
  @inlinable public static var messageTrace: EventKind { EventKind(102) }

  /// A test of a harness began.
  @inlinable public static var testBegin: EventKind { EventKind(110) }
  /// A test of a harness ended.
  @inlinable public static var testEnd: EventKind { EventKind(111) }

  /// The clocks of the host, read together.
  @inlinable public static var clock: EventKind { EventKind(120) }
  /// Events are missing: which family, how many, since when.
  @inlinable public static var loss: EventKind { EventKind(121) }
  /// A place named by the app or the harness.
  @inlinable public static var mark: EventKind { EventKind(122) }
  /// A line of text.
  @inlinable public static var log: EventKind { EventKind(123) }
  /// The recording ended well; without it, it was cut or still runs.
  @inlinable public static var end: EventKind { EventKind(124) }
  /// The scenario that is played, so that it can be played again.
  @inlinable public static var scenario: EventKind { EventKind(125) }
}
