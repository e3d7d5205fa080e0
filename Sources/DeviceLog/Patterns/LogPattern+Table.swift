// SPDX-License-Identifier: Apache-2.0

/// What is known of a pattern: a row of the one table that the sites of events, the page
/// `PATTERNS.md` and the tests are made from.
package struct LogPatternInfo: Sendable {
  /// How sure the event is.
  package enum Certainty: String, Sendable {
    /// The line says it.
    case told = "told"
    /// It follows from the line; the event is marked as inferred.
    case inferred = "inferred"
    /// The line says it of a moment before, or for somebody else: it waits for a second line.
    case hint = "hint"
  }

  /// The words of the log by which a line is recognised; they name the sites of its events.
  package let words: String
  /// Who writes the line.
  package let writer: String
  /// What becomes of it.
  package let event: String
  /// How sure that is.
  package let certainty: Certainty
  /// A message with such words, as a device writes it.
  package let example: String

  fileprivate init(_ words: String, by writer: String, _ event: String, _ example: String) {
    self.init(words, by: writer, event, .told, example)
  }

  fileprivate init(
    _ words: String,
    by writer: String,
    _ event: String,
    _ certainty: Certainty,
    _ example: String
  ) {
    self.words = words
    self.writer = writer
    self.event = event
    self.certainty = certainty
    self.example = example
  }
}

extension LogPattern {
  /// The row of the table.
  var info: LogPatternInfo { Self.table[Int(rawValue)] }

  /// The words of the log by which a line was recognised.
  var words: String { info.words }

  /// All patterns, in the order of their numbers.
  package static let table: [LogPatternInfo] = allCases.map(\.row)

  private var row: LogPatternInfo {
    isOwn ? ownRow : isReported ? reportRow : systemRow
  }

  private static let appItself = "the app"
  private static let taskWords =
    "<_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = Save, creationTime = 64 (elapsed = 26)"
  private static let targetWords = "[app<org.example.notes(0A-1)>:44]"
  private static let sceneWords = "[0x86c:(FBSceneManager):sceneID:org.example.notes-default]"

  private func callback(_ state: String, _ certainty: LogPatternInfo.Certainty, _ method: String)
    -> LogPatternInfo
  {
    .init(
      method,
      by: "the app, in any text",
      state,
      certainty,
      "application\(method.capitalizedFirst):"
    )
  }

  private var ownRow: LogPatternInfo {
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

  private var systemRow: LogPatternInfo {
    switch self {
    case .resuming:
      .init(
        "Resuming task",
        by: "runningboardd",
        "suspended to background",
        "\(Self.targetWords) Resuming task."
      )
    case .suspending:
      .init(
        "Suspending task",
        by: "runningboardd",
        "suspended",
        "\(Self.targetWords) Suspending task."
      )
    case .calculatedState:
      .init(
        "Calculated state",
        by: "runningboardd",
        "foreground or background by the role, suspended, gone; no app is active while it is launched",
        .inferred,
        "Calculated state for app<org.example.notes(0A-1)>: running-active (role: UserInteractiveFocal)"
      )
    case .stateUpdate:
      .init(
        "Received state update",
        by: "daemons, which pass it on late, each in its own words",
        "the same; visibility is believed of those that have seen something visible",
        .inferred,
        "Received state update for 44 (app<org.example.notes(0A-1)>, running-suspended-NotVisible"
      )
    case .visibility:
      .init(
        "Setting process visibility",
        by: "SpringBoard",
        "foreground or background",
        .inferred,
        "\(Self.targetWords) Setting process visibility to: Foreground"
      )
    case .applicationState:
      .init(
        "Application process state changed",
        by: "SpringBoard",
        "foreground, background, suspended",
        .inferred,
        "Application process state changed for org.example.notes: <SBApplicationProcessState: 0x1; pid: 44; taskState: Running; visibility: Foreground>"
      )
    case .reported:
      .init(
        "application state of the process",
        by: "mediaserverd, audiomxd, locationd, symptomsd, SpringBoard",
        "foreground, background, suspended, gone",
        .inferred,
        "44 org.example.notes: ForegroundRunning (most elevated: ForegroundRunning)"
      )
    case .taskState:
      .init(
        "Setting process task state",
        by: "SpringBoard",
        "suspended, running again, gone",
        "\(Self.targetWords) Setting process task state to: Suspended"
      )
    case .workspace:
      .init(
        "Workspace assertion state did change",
        by: "SpringBoard",
        "a fact about the process",
        "\(Self.targetWords) Workspace assertion state did change: ForegroundFocal (acquireAssertion = NO)."
      )
    case .unmanaged:
      .init(
        "this process is not lifecycle managed",
        by: "runningboardd, on a Mac",
        "no states at all: no deadline of a phone holds for it",
        .hint,
        "\(Self.targetWords) Ignoring suspend because this process is not lifecycle managed"
      )
    case .jetsamPriority:
      .init(
        "Set jetsam priority",
        by: "runningboardd, assertiond",
        "a fact about the process",
        "\(Self.targetWords) Set jetsam priority to 100 [0] flag[1]"
      )
    case .darwinRole:
      .init(
        "Set darwin role",
        by: "runningboardd",
        "a fact about the process",
        "\(Self.targetWords) Set darwin role to: UserInteractiveFocal"
      )
    case .scene:
      .init(
        "Scene lifecycle state did change",
        by: "SpringBoard",
        "foreground or background",
        .inferred,
        "\(Self.sceneWords) Scene lifecycle state did change: Foreground"
      )
    case .sceneMode:
      .init(
        "Scene activity mode did change",
        by: "SpringBoard",
        "a fact about the process",
        "\(Self.sceneWords) Scene activity mode did change: suspended."
      )
    case .sceneAction:
      .init(
        "Sending scene action",
        by: "SpringBoard",
        "a note, with the time that the watchdog leaves",
        "\(Self.sceneWords) Sending scene action [Logical Activate][0x4cd0] to process 0x8 (watchdog: 19.71s)"
      )
    case .sceneActionDone:
      .init(
        "Scene action completed",
        by: "SpringBoard",
        "active, behind Logical Activate and where the app itself says nothing",
        .inferred,
        "\(Self.sceneWords) Scene action [Logical Activate][0x4cd0] completed with success: 1"
      )
    case .assertionTaken:
      .init(
        "Acquiring assertion",
        by: "runningboardd",
        "a background task holds it awake",
        "Acquiring assertion targeting \(Self.targetWords) from originator \(Self.targetWords) with description <RBSAssertionDescriptor| \"Shared Background Assertion 1 for org.example.notes\" ID:33-44-6133 target:44 attributes:["
      )
    case .assertionDropped:
      .init(
        "Invalidating assertion",
        by: "runningboardd",
        "it does not any more",
        "Invalidating assertion 33-44-6133 (target:\(Self.targetWords)) from originator \(Self.targetWords)"
      )
    case .assertionTimedOut:
      .init(
        "Assertion did invalidate due to timeout",
        by: "runningboardd",
        "it was held for longer than granted",
        "Assertion did invalidate due to timeout: 33-44-6133 (target:\(Self.targetWords))"
      )
    case .expireSoon:
      .init(
        "Assertions for process will expire soon",
        by: "runningboardd",
        "a note",
        "Assertions for process will expire soon: \(Self.targetWords)"
      )
    case .lockedFile:
      .init(
        "suspended with locked system files",
        by: "runningboardd",
        "a lock is held at the suspension",
        .inferred,
        "\(Self.targetWords) was suspended with locked system files: /private/var/a.sqlite"
      )
    case .beyondPermitted:
      .init(
        "has active assertions beyond permitted time",
        by: "assertiond, before iOS 13",
        "a task was held for longer than permitted, and the app is killed for it",
        .inferred,
        "[Notes:44] Forcing crash report with description: Notes:44 has active assertions beyond permitted time:"
      )
    case .launchRequest:
      .init(
        "Executing launch request",
        by: "runningboardd, SpringBoard",
        "the start of the process that comes next",
        "Executing launch request for app<org.example.notes(0A-1)> (tap)"
      )
    case .tracked:
      .init(
        "Now tracking process",
        by: "runningboardd, SpringBoard",
        "the start of the process, where no request was seen",
        "Now tracking process: \(Self.targetWords)"
      )
    case .bootstrap:
      .init(
        "Bootstrap success",
        by: "SpringBoard",
        "the same",
        "\(Self.targetWords) Bootstrap success!"
      )
    case .violated:
      .init(
        "Provision violated",
        by: "SpringBoard",
        "the cause of the end that follows: the watchdog",
        .hint,
        "\(Self.targetWords) Provision violated for watchdog scene-update: <FBSProcessResourceProvision: 0x2; allowance: <; type: realTime; timeValue: 10.0s>; violated: YES>"
      )
    case .terminating:
      .init(
        "Terminating with context",
        by: "runningboardd, SpringBoard",
        "the cause of the end that follows",
        .hint,
        "\(Self.targetWords) Terminating with context: <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:x reportType:CrashLog>"
      )
    case .exited:
      .init(
        "Process exited",
        by: "SpringBoard, runningboardd, launchd, backboardd",
        "the process ends, with its cause",
        "\(Self.targetWords) Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:jetsam(1) code:7>>."
      )
    case .gone:
      .init(
        "Removing assertions for terminated process",
        by: "runningboardd, SpringBoard, assertiond",
        "the process has ended",
        "Removing assertions for terminated process: \(Self.targetWords)"
      )
    case .memoryLimit:
      .init(
        "exceeded mem limit",
        by: "kernel",
        "a note; a fatal limit is the cause of the end that follows",
        .hint,
        "memorystatus: Notes [44] exceeded mem limit: ActiveHard 50 MB (fatal)"
      )
    case .memoryLimits:
      .init(
        "Memory Limits",
        by: "runningboardd",
        "a fact about the process",
        "\(Self.targetWords) Memory Limits: active 2098 inactive 2098"
      )
    case .memoryKill:
      .init(
        "memorystatus: killing",
        by: "kernel, ReportSystemMemory",
        "purged, and gone",
        "memorystatus: killing_specific_process pid 44 [Notes] (per-process-limit 10) 51200KB"
      )
    case .crashed:
      .init(
        "Formulating report",
        by: "ReportCrash, osanalyticshelper",
        "the process has crashed",
        "Formulating fatal 309 report for corpse[44] Notes"
      )
    case .boot:
      .init(
        "system boot",
        by: "the log itself, kernel",
        "all that ran has ended",
        "=== system boot: 0A-1"
      )
    default:
      .init(
        "system wallclock time adjusted",
        by: "the log itself",
        "times that go back are of a later moment",
        .hint,
        "=== system wallclock time adjusted"
      )
    }
  }
}

extension LogPattern {
  private var reportRow: LogPatternInfo {
    let crash = "crash reports"
    return switch self {
    case .reportLaunch:
      .init(
        "launch in a crash report",
        by: crash,
        "the start of a process that was killed before its launch was over",
        ""
      )
    case .reportWatchdog:
      .init(
        "watchdog in a crash report",
        by: crash,
        "the callback that hung, or a turn of the main run loop, from its allowance before the end on",
        .inferred,
        ""
      )
    case .reportTask:
      .init(
        "assertion in a crash report",
        by: crash,
        "a background task held for as long as was permitted",
        .inferred,
        ""
      )
    case .reportState:
      .init(
        "state in a report",
        by: "crash reports, JetsamEvent",
        "the state, where no log knows it",
        .inferred,
        ""
      )
    case .reportMemory:
      .init("rpages", by: "JetsamEvent", "the memory footprint", "")
    case .reportFact:
      .init("words of a report", by: "crash reports, MetricKit", "a note", "")
    default:
      .init("end in a crash report", by: crash, "the process ends, with its cause and code", "")
    }
  }

  /// The page of all patterns, `PATTERNS.md`, as Markdown.
  package static var markdown: String {
    var out = [
      "# What an import understands of a log", "",
      "Made from the table of patterns. A line is recognised by its words, whatever the tool that",
      "printed it; what is not listed here is read past. *Told* is an event that the line itself",
      "reports; *inferred* follows from it and is marked so in the trace; a *hint* makes no event of its",
      "own and completes another line's.",
    ]
    let groups: [(String, (LogPattern) -> Bool)] = [
      ("Lines of the app", { $0.isOwn }),
      ("Lines of the system", { !$0.isOwn && !$0.isReported }),
      ("Reports of the system", { $0.isReported }),
    ]
    for (title, isIn) in groups {
      out += ["", "## \(title)", "", "| words | by | event | certainty |", "|---|---|---|---|"]
      for pattern in allCases where isIn(pattern) {
        let info = pattern.info
        out.append(
          "| `\(info.words)` | \(info.writer) | \(info.event) | \(info.certainty.rawValue) |"
        )
      }
    }
    out += [
      "",
      "A crash report alone says nothing of what came before: its stream begins at the deadline that was",
      "missed, or at the end, but for a launch that never ended. Tried on reports of devices: a crash report in",
      "text (iOS 11) and a JetsamEvent (iOS 10, some processes of it). Made in the documented shape, and not",
      "tried on one of a device: `.ips`, MetricKit, the metadata lines of Xcode 15, reports of iOS 13 and",
      "later in text.", "", "## Lines of an app of one's own", "",
      "`lifetrace import auto LOG --map map.yml -o OUT` reads such lines as events: so the log of a phone",
      "holds the edits and saves of the app, and DS01 and DS02 are judged on it. `lifetrace import dry-run",
      "--map map.yml LOG` shows what each pattern finds, and writes nothing.", "", "```yaml",
      "process: Drafty", "lines:",
      "  - line: \"edited {object} to version {version}, {bytes} bytes\"", "    event: data.dirty",
      "  - line: \"saved {object} v{version}\"", "    event: data.durable", "    level: disk",
      "```", "",
      "| key | what it says |", "|---|---|",
    ]
    out += LogMap.keys.map { "| `\($0.name)` | \($0.summary) |" }
    out += ["", "| key of a pattern | what it says |", "|---|---|"]
    out += LogMap.lineKeys.map { "| `\($0.name)` | \($0.summary) |" }
    out += ["", "## An example of each", "", "```"]
    out += allCases.map(\.info.example).filter { !$0.isEmpty }
    return (out + ["```"]).joined(separator: "\n") + "\n"
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
