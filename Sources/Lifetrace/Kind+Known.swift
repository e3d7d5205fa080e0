// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Lifetrace.Kind {
  /// `process.start`.
  @inlinable public static var processStart: Self { Self(1) }
  /// `process.config`.
  @inlinable public static var processConfig: Self { Self(2) }
  /// `process.exit`.
  @inlinable public static var processExit: Self { Self(3) }
  /// `process.seen`.
  @inlinable public static var processSeen: Self { Self(4) }
  /// `state.transition`.
  @inlinable public static var transition: Self { Self(10) }
  /// `state.suspend`.
  @inlinable public static var suspend: Self { Self(11) }
  /// `state.resume`.
  @inlinable public static var resume: Self { Self(12) }
  /// `state.purge`.
  @inlinable public static var purge: Self { Self(13) }
  /// `callback.begin`.
  @inlinable public static var callbackBegin: Self { Self(20) }
  /// `callback.end`.
  @inlinable public static var callbackEnd: Self { Self(21) }
  /// `turn.begin`.
  @inlinable public static var turnBegin: Self { Self(22) }
  /// `turn.end`.
  @inlinable public static var turnEnd: Self { Self(23) }
  /// `notification.posted`.
  @inlinable public static var notificationPosted: Self { Self(30) }
  /// `notification.coalesced`.
  @inlinable public static var notificationCoalesced: Self { Self(31) }
  /// `notification.delivered`.
  @inlinable public static var notificationDelivered: Self { Self(32) }
  /// `notification.handled`.
  @inlinable public static var notificationHandled: Self { Self(33) }
  /// `notification.dropped`.
  @inlinable public static var notificationDropped: Self { Self(34) }
  /// `wake.begin`.
  @inlinable public static var wakeBegin: Self { Self(40) }
  /// `wake.completion`.
  @inlinable public static var wakeCompletion: Self { Self(41) }
  /// `wake.reported`.
  @inlinable public static var wakeReported: Self { Self(42) }
  /// `work.begin`.
  @inlinable public static var workBegin: Self { Self(50) }
  /// `work.end`.
  @inlinable public static var workEnd: Self { Self(51) }
  /// `wait.begin`.
  @inlinable public static var waitBegin: Self { Self(52) }
  /// `wait.end`.
  @inlinable public static var waitEnd: Self { Self(53) }
  /// `task.begin`.
  @inlinable public static var taskBegin: Self { Self(60) }
  /// `task.expire`.
  @inlinable public static var taskExpire: Self { Self(61) }
  /// `task.end`.
  @inlinable public static var taskEnd: Self { Self(62) }
  /// `deadline.open`.
  @inlinable public static var deadlineOpen: Self { Self(65) }
  /// `deadline.close`.
  @inlinable public static var deadlineClose: Self { Self(66) }
  /// `data.dirty`.
  @inlinable public static var dataDirty: Self { Self(70) }
  /// `data.flushing`.
  @inlinable public static var dataFlushing: Self { Self(71) }
  /// `data.durable`.
  @inlinable public static var dataDurable: Self { Self(72) }
  /// `data.restored`.
  @inlinable public static var dataRestored: Self { Self(73) }
  /// `data.failed`.
  @inlinable public static var dataFailed: Self { Self(74) }
  /// `data.discarded`.
  @inlinable public static var dataDiscarded: Self { Self(75) }
  /// `data.unchanged`.
  @inlinable public static var dataUnchanged: Self { Self(76) }
  /// `data.copied`.
  @inlinable public static var dataCopied: Self { Self(77) }
  /// `data.read`.
  @inlinable public static var dataRead: Self { Self(78) }
  /// `resource.acquire`.
  @inlinable public static var resourceAcquire: Self { Self(80) }
  /// `resource.release`.
  @inlinable public static var resourceRelease: Self { Self(81) }
  /// `resource.use`.
  @inlinable public static var resourceUse: Self { Self(82) }
  /// `memory.sample`.
  @inlinable public static var memorySample: Self { Self(85) }
  /// `cpu.sample`.
  @inlinable public static var cpuSample: Self { Self(86) }
  /// `device`.
  @inlinable public static var device: Self { Self(90) }
  /// `touch`.
  @inlinable public static var touch: Self { Self(91) }
  /// `message.send`.
  @inlinable public static var messageSend: Self { Self(100) }
  /// `message.receive`.
  @inlinable public static var messageReceive: Self { Self(101) }
  /// `message.trace`.
  @inlinable public static var messageTrace: Self { Self(102) }
  /// `test.begin`.
  @inlinable public static var testBegin: Self { Self(110) }
  /// `test.end`.
  @inlinable public static var testEnd: Self { Self(111) }
  /// `meta.clock`.
  @inlinable public static var clock: Self { Self(120) }
  /// `meta.loss`.
  @inlinable public static var loss: Self { Self(121) }
  /// `mark`.
  @inlinable public static var mark: Self { Self(122) }
  /// `log`.
  @inlinable public static var log: Self { Self(123) }
  /// `meta.end`.
  @inlinable public static var end: Self { Self(124) }
  /// `meta.scenario`.
  @inlinable public static var scenario: Self { Self(125) }
}
