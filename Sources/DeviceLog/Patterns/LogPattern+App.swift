// SPDX-License-Identifier: Apache-2.0

/// Lines that the app itself writes, or that its own libraries write in its process.
extension LogPattern {
  var ownRow: LogPatternInfo {
    switch self {
    case .deactivationAdded:
      .init(
        "Deactivation reason added",
        by: Self.appItself,
        "active to inactive, where there was no reason before; with reason 10 first: launching",
        "Deactivation reason added: 5; deactivation reasons: 0 -> 32; animating application lifecycle event: 0"
      )
    case .deactivationRemoved:
      .init(
        "Deactivation reason removed",
        by: Self.appItself,
        "inactive to active, where no reason is left",
        "Deactivation reason removed: 5; deactivation reasons: 32 -> 0; animating application lifecycle event: 0"
      )
    case .hangTracing:
      .init(
        "App transitioned to background, suspending HangTracing.",
        by: Self.appItself,
        "a note: it stands at the resignation, and is no transition",
        .hint,
        "App transitioned to background, suspending HangTracing."
      )
    case .finishLaunching: callback("a note", .told, "didFinishLaunching")
    case .becomeActive: callback("active", .told, "didBecomeActive")
    case .resignActive: callback("active to inactive", .told, "willResignActive")
    case .enterBackground: callback("background", .told, "didEnterBackground")
    case .enterForeground: callback("background to inactive", .told, "willEnterForeground")
    case .terminate: callback("a note", .told, "willTerminate")
    case .taskAdding:
      .init(
        "Will add backgroundTask",
        by: Self.appItself,
        "whether the next background task of that name has a handler",
        .hint,
        "Will add backgroundTask with taskName: Save, expirationHandler: (null)"
      )
    case .taskCreated:
      .init(
        "Created background task",
        by: Self.appItself,
        "a background task begins",
        "Created background task \(Self.taskWords)."
      )
    case .taskEnding:
      .init(
        "Ending background task",
        by: Self.appItself,
        "it ends; the begin of one from before the log is inferred",
        "Ending background task with UIBackgroundTaskIdentifier: 3"
      )
    case .taskEndingDescription:
      .init(
        "Ending task with identifier",
        by: Self.appItself,
        "it ends; name and age of one that began before the log",
        "Ending task with identifier 3 and description: \(Self.taskWords), _expireHandler: (null)"
      )
    case .taskOld:
      .init(
        "Background Task was created over 30 seconds ago",
        by: Self.appItself,
        "a note; a begin 30 s before, where none was seen",
        .inferred,
        "Background Task 3 (\"Save\"), was created over 30 seconds ago. In applications running in the background"
      )
    case .taskNotEnded:
      .init(
        "Background task still not ended after expiration handlers were called",
        by: Self.appItself,
        "its expiration handler was called",
        .inferred,
        "Background task still not ended after expiration handlers were called: \(Self.taskWords)."
      )
    case .taskUnknown:
      .init(
        "Can't end BackgroundTask: no background task exists",
        by: Self.appItself,
        "a task that had ended is ended again",
        "Can't end BackgroundTask: no background task exists with identifier 3 (0x3)"
      )
    case .tasksExpiring:
      .init(
        "Firing background task expiration handlers",
        by: Self.appItself,
        "all open tasks expire",
        "Firing background task expiration handlers"
      )
    case .taskExpiring:
      .init(
        "Calling expiration handler for task",
        by: Self.appItself,
        "the task expires",
        "Calling expiration handler for task: \(Self.taskWords)"
      )
    case .wake:
      .init(
        "Running task",
        by: Self.appItself,
        "woken for a refresh; a processing task is a note",
        "Running task: <BGAppRefreshTask: org.example.refresh>"
      )
    case .wakeDone:
      .init(
        "Marking task complete",
        by: Self.appItself,
        "the completion of the wake; of the only one, where the name is lost",
        "Marking task <BGAppRefreshTask: org.example.refresh> complete with success: 1"
      )
    case .assertionCreated:
      .init(
        "Created new background assertion",
        by: Self.appItself,
        "it holds itself awake",
        "Created new background assertion <BKSProcessAssertion: 0x1>"
      )
    case .assertionInvalidated:
      .init(
        "Will invalidate assertion",
        by: Self.appItself,
        "nothing holds it awake: suspension is possible from here on, if didEnterBackground has returned",
        .inferred,
        "Will invalidate assertion: <BKSProcessAssertion: 0x1> for task identifier: 3"
      )
    case .snapshot:
      .init(
        "Snapshot request",
        by: Self.appItself,
        "didEnterBackground has returned",
        .inferred,
        "Performing snapshot request 0x1 (type 1)"
      )
    case .diagnostics:
      .init(
        "Performance Diagnostics",
        by: Self.appItself,
        "work or a wait on the main thread, without a length",
        .inferred,
        "__delegate_identifier__:Performance Diagnostics__:::____message__:{\"message\":\"Performing I/O on the main thread can cause hangs.\",\"antipattern trigger\":\"-[NSData init]\"}"
      )
    case .memoryWarning:
      .init(
        "Received memory warning",
        by: Self.appItself,
        "a memory warning",
        "Received memory warning."
      )
    case .touch:
      .init(
        "Sending UIEvent",
        by: Self.appItself,
        "active, where nothing else says",
        .inferred,
        "Sending UIEvent type: 0; subtype: 0; to window: <UIWindow: 0x1>"
      )
    case .bundle:
      .init(
        "bundle of the process",
        by: Self.appItself,
        "which app the process is",
        .hint,
        "Identity resolved as app<org.example.notes(0A-1)>"
      )
    case .mapped:
      .init(
        "a line of the map",
        by: "the app, in the words of `--map`",
        "an edit, a save, work or a mark",
        ""
      )
    default:
      .init(
        "a line of the process",
        by: Self.appItself,
        "it runs: it is not suspended, and its stream goes on to here",
        .inferred,
        ""
      )
    }
  }
}
