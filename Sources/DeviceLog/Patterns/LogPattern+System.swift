// SPDX-License-Identifier: Apache-2.0

/// Lines that the system writes about the app.
extension LogPattern {
  var systemRow: LogPatternInfo {
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
