// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What a line of a log can report about the life of a process.
///
/// The raw value is an index into ``LogPattern/table``.
package enum LogPattern: UInt8, CaseIterable {
  // Told by the process itself.
  case deactivationAdded, deactivationRemoved, hangTracing
  case finishLaunching, becomeActive, resignActive, enterBackground, enterForeground, terminate
  case taskAdding, taskCreated, taskEnding, taskEndingDescription
  case taskOld, taskNotEnded, taskUnknown, tasksExpiring, taskExpiring, wake, wakeDone
  case assertionCreated, assertionInvalidated
  case snapshot, diagnostics, memoryWarning, touch, bundle, mapped, activity

  // Told by daemons about a process.
  case resuming, suspending, calculatedState, stateUpdate, visibility, applicationState
  case reported, taskState, workspace, unmanaged
  case jetsamPriority, darwinRole, scene, expireSoon, lockedFile, beyondPermitted
  case launchRequest, tracked, bootstrap, violated, terminating, exited, gone
  case memoryLimit, memoryLimits, memoryKill, crashed, boot, clockSet
  case sceneMode, sceneAction, sceneActionDone
  case assertionTaken, assertionDropped, assertionTimedOut

  // Of the system's reports.
  case reportLaunch, reportWatchdog, reportTask, reportState, reportMemory, reportFact, reportEnd

  /// Whether the process itself writes such a line.
  var isOwn: Bool { rawValue <= Self.activity.rawValue }

  /// Whether a report of the system has it, and no line of a log.
  var isReported: Bool { rawValue >= Self.reportLaunch.rawValue }

  /// Whether it passes on what runningboardd has decided, perhaps late.
  var isUpdate: Bool { self == .calculatedState || self == .stateUpdate || self == .reported }
}

/// One recognised line: small, so that a long log fits in memory.
struct LogFact {
  var pattern: LogPattern
  var role = LogTarget.Role.app
  /// The format's own time.
  var time: Int64 = 0
  /// Never less than that of the process's lines before: the order in which facts are reported.
  var order: Int64 = 0
  var line: UInt32 = 0
  /// The process that wrote the line, an index into ``LogScan/processes``.
  var writer: UInt32 = 0
  /// The pid of the process it is about; 0 where it is not said.
  var pid: UInt32 = 0
  var thread: UInt32 = 0
  /// The bundle it is about; empty for the writer itself.
  var bundle = NameID.empty
  /// By pattern: a task's name, a state, a path, a reason.
  var text = NameID.empty
  /// By pattern: a second word, such as a visibility or a role.
  var other = NameID.empty
  /// By pattern: a reason, a task's id, a code.
  var a: Int64 = 0
  /// By pattern: the mask before, seconds elapsed.
  var b: Int64 = 0
  /// By pattern: the mask after.
  var c: Int64 = 0

  init(_ pattern: LogPattern) { self.pattern = pattern }
}
