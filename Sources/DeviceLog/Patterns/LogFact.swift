// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What a line of a log can report about the life of a process.
///
/// The raw value is an index into ``LogPattern/words``, which name the sites
/// of the events that come of it.
enum LogPattern: UInt8, CaseIterable {
  // Told by the process itself.
  case deactivationAdded, deactivationRemoved, hangTracing
  case finishLaunching, becomeActive, resignActive, enterBackground, enterForeground, terminate
  case taskAdding, taskCreated, taskEnding, taskEndingDescription
  case taskOld, taskNotEnded, taskUnknown, tasksExpiring, taskExpiring, wake, wakeDone
  case assertionCreated, assertionInvalidated
  case snapshot, diagnostics, memoryWarning, touch, bundle, activity

  // Told by daemons about a process.
  case resuming, suspending, calculatedState, stateUpdate, visibility, applicationState
  case reported, taskState, workspace, unmanaged
  case jetsamPriority, darwinRole, scene, expireSoon, lockedFile, beyondPermitted
  case launchRequest, tracked, bootstrap, violated, terminating, exited, gone
  case memoryLimit, memoryKill, crashed, boot, clockSet

  /// The words of the log by which a line was recognised.
  var words: String {
    switch self {
    case .deactivationAdded: "Deactivation reason added"
    case .deactivationRemoved: "Deactivation reason removed"
    case .hangTracing: "App transitioned to background, suspending HangTracing."
    case .finishLaunching: "didFinishLaunching"
    case .becomeActive: "didBecomeActive"
    case .resignActive: "willResignActive"
    case .enterBackground: "didEnterBackground"
    case .enterForeground: "willEnterForeground"
    case .terminate: "willTerminate"
    case .taskAdding: "Will add backgroundTask"
    case .taskCreated: "Created background task"
    case .taskEnding: "Ending background task"
    case .taskEndingDescription: "Ending task with identifier"
    case .taskOld: "Background Task was created over 30 seconds ago"
    case .taskNotEnded: "Background task still not ended after expiration handlers were called"
    case .taskUnknown: "Can't end BackgroundTask: no background task exists"
    case .tasksExpiring: "Firing background task expiration handlers"
    case .taskExpiring: "Calling expiration handler for task"
    case .wake: "Running task"
    case .wakeDone: "Marking task complete"
    case .assertionCreated: "Created new background assertion"
    case .assertionInvalidated: "Will invalidate assertion"
    case .snapshot: "Snapshot request"
    case .diagnostics: "Performance Diagnostics"
    case .memoryWarning: "Received memory warning"
    case .touch: "Sending UIEvent"
    case .bundle: "bundle of the process"
    case .activity: "a line of the process"
    case .resuming: "Resuming task"
    case .suspending: "Suspending task"
    case .calculatedState: "Calculated state"
    case .stateUpdate: "Received state update"
    case .visibility: "Setting process visibility"
    case .applicationState: "Application process state changed"
    case .reported: "application state of the process"
    case .taskState: "Setting process task state"
    case .workspace: "Workspace assertion state did change"
    case .unmanaged: "this process is not lifecycle managed"
    case .jetsamPriority: "Set jetsam priority"
    case .darwinRole: "Set darwin role"
    case .scene: "Scene lifecycle state did change"
    case .expireSoon: "Assertions for process will expire soon"
    case .lockedFile: "suspended with locked system files"
    case .beyondPermitted: "has active assertions beyond permitted time"
    case .launchRequest: "Executing launch request"
    case .tracked: "Now tracking process"
    case .bootstrap: "Bootstrap success"
    case .violated: "Provision violated"
    case .terminating: "Terminating with context"
    case .exited: "Process exited"
    case .gone: "Removing assertions for terminated process"
    case .memoryLimit: "exceeded mem limit"
    case .memoryKill: "memorystatus: killing"
    case .crashed: "Formulating report"
    case .boot: "system boot"
    case .clockSet: "system wallclock time adjusted"
    }
  }

  /// Whether the process itself writes such a line.
  var isOwn: Bool { rawValue <= Self.activity.rawValue }

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
