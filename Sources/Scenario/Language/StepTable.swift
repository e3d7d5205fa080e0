// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

/// The steps that a scenario is made of.
public enum StepName: String, Sendable, CaseIterable {
  case launch, relaunch, prewarm, open
  case openURL = "open-url"
  case wait, call, interrupt, sms
  case notificationCenter = "notification-center"
  case appSwitcher = "app-switcher"
  case banner, home, lock, unlock
  case switchApp = "switch"
  case wake, suspend, resume, post, rotate, touch, control, motion, tell
  case statusBar = "status-bar"
  case timeChange = "time-change"
  case memoryWarning = "memory-warning"
  case memoryPressure = "memory-pressure"
  case purge, terminate, kill, crash, reboot, mark, expect
  case repeated = "repeat"
  case choose
}

/// What one parameter of a step may be.
package enum ParameterType: Sendable, Hashable {
  case text, duration, integer, flag
  /// One of a few words.
  case choice([String])
  /// One of a few words, or an expression of the language of questions.
  case condition([String])
  /// A list of steps.
  case steps

  /// The words that it may be, for the manual.
  var words: [String]? {
    switch self {
    case .choice(let words), .condition(let words): words
    default: nil
    }
  }
}

/// A parameter of a step.
package struct Parameter: Sendable, Hashable {
  /// The key of the parameter.
  package var name: String
  /// What it may be.
  package var type: ParameterType
  /// Whether the step makes no sense without.
  package var required = false
  /// One phrase for the manual and the schema.
  package var summary: String
}

/// A step as the parser, the schema and the manual know it.
package struct StepInfo: Sendable {
  /// What it does, one sentence.
  package var summary: String
  /// The parameter that a bare value sets (`wait: 500ms`), nil if none.
  package var bare: String?
  /// All parameters that the step takes.
  package var parameters: [Parameter]
  /// Whether keys beyond the parameters are the app's own words.
  package var open = false
}

extension StepName {
  private static let wakes = WakeReason.allCases.map(\.rawValue)
  private static let states = AppState.allCases.filter { $0 != .unknown }.map(\.word)
  private static let app = Parameter(
    name: "app",
    type: .text,
    summary: "which app; the last one named when left out"
  )

  private static func info(
    _ summary: String,
    bare: String? = nil,
    _ parameters: [Parameter] = [],
    open: Bool = false
  ) -> StepInfo {
    StepInfo(summary: summary, bare: bare, parameters: [app] + parameters, open: open)
  }

  private static func phases(_ names: [String]) -> Parameter {
    Parameter(name: "phase", type: .choice(names), required: true, summary: "which part of it")
  }

  /// Whether it is done to a process of the app, and says so where there is none.
  var needsProcess: Bool {
    switch self {
    case .home, .suspend, .resume, .touch, .control, .motion, .purge, .terminate, .kill, .crash:
      true
    default: false
    }
  }

  /// Whether it starts a process where there is none, and may say how that one ends.
  package var launches: Bool { self == .launch || self == .relaunch }

  /// Whether something happens, rather than being waited for, looked at or repeated.
  var acts: Bool {
    switch self {
    case .wait, .expect, .mark, .repeated, .choose: false
    default: true
    }
  }

  /// The row of the table for this step.
  package var info: StepInfo {
    switch self {
    case .launch, .relaunch:
      Self.info(
        self == .launch
          ? "Starts the app: to the foreground, or in the background with a wake reason."
          : "Starts the app again after its death, as the same app life.",
        bare: "app",
        [
          Parameter(
            name: "reason",
            type: .choice(["icon", "notification"] + Self.wakes),
            summary: """
              why; a wake reason launches in the background, and a tapped notification brings the app \
              to the front, wherever it is
              """
          ),
          Parameter(name: "url", type: .text, summary: "a URL to open at launch"),
          Parameter(name: "from", type: .text, summary: "the app that asks for the URL"),
          Parameter(
            name: "payload",
            type: .text,
            summary: "what the tapped notification says, or the handler of the wake is given"
          ),
          Parameter(
            name: "ends",
            type: .choice(ScriptedEnd.Act.allCases.map(\.rawValue)),
            summary: """
              what takes the process away right behind the event of `after`, in the middle of whatever \
              it does; steps about the app are passed over from there to its next launch
              """
          ),
          Parameter(
            name: "after",
            type: .text,
            summary: """
              with `ends`: the event, as `wait` has it (data.durable, draft.txt.flushing, \
              state.suspend), or the number of one that the process reports itself, from 1
              """
          ),
          Parameter(
            name: "name",
            type: .text,
            summary: "with `after`: a name in that event: its object, or that of its place"
          ),
          Parameter(
            name: "nth",
            type: .integer,
            summary: "with `after`: which of these events (1)"
          ),
        ]
      )
    case .prewarm:
      Self.info(
        """
        The system starts the process ahead of the user: it waits before its first callback, until \
        a launch, or until memory is short.
        """,
        bare: "app"
      )
    case .open:
      Self.info("The user goes to the app: from its icon, the switcher or an alert.", bare: "app")
    case .openURL:
      Self.info(
        "Another app opens a URL of this one.",
        bare: "url",
        [
          Parameter(name: "url", type: .text, required: true, summary: "the URL"),
          Parameter(
            name: "from",
            type: .text,
            summary: "the bundle identifier of the app that asks; the one in front when left out"
          ),
        ]
      )
    case .wait:
      Self.info(
        """
        Lets time pass, until a state is reached, an expression holds, or an event has been seen. \
        Expressions are those of `lifetrace replay`, asked of the app: of its state, by what its \
        process has recorded, or of an event since the step before.
        """,
        bare: "for",
        [
          Parameter(name: "for", type: .duration, summary: "how long"),
          Parameter(
            name: "until",
            type: .condition(Self.states),
            summary: "a state of the app, or an expression: data(\"draft.txt\").unsaved == 0"
          ),
          Parameter(
            name: "after",
            type: .text,
            summary: """
              an event of the trace since the step before (data.durable, task.end; draft.durable for \
              one object), or what the app says: a wake's completion, a task's end, its own words
              """
          ),
          Parameter(
            name: "name",
            type: .text,
            summary: "a name in that event: an object, a place in the source, a type, a reason"
          ),
          Parameter(name: "within", type: .duration, summary: "at most this long (30s)"),
        ]
      )
    case .call:
      Self.info(
        "A phone call: it interrupts, and ends or is taken.",
        bare: "phase",
        [Self.phases(["begin", "end", "accept"])]
      )
    case .interrupt:
      Self.info(
        "Any other interruption, such as an alert.",
        bare: "phase",
        [
          Self.phases(["begin", "end"]),
          Parameter(name: "reason", type: .text, summary: "what interrupts"),
        ]
      )
    case .sms:
      Self.info(
        "A message alert, which the user ignores or accepts.",
        bare: "phase",
        [Self.phases(["ignored", "accepted"])]
      )
    case .notificationCenter:
      Self.info("The pull-down.", bare: "phase", [Self.phases(["open", "close"])])
    case .appSwitcher:
      Self.info("The app switcher.", bare: "phase", [Self.phases(["open", "close"])])
    case .banner: Self.info("A banner, which changes nothing.", bare: "app")
    case .home: Self.info("The user presses home: the front app goes to the background.")
    case .lock:
      Self.info(
        "The device is locked.",
        [Parameter(name: "passcode", type: .flag, summary: "protected files close too (true)")]
      )
    case .unlock: Self.info("The device is unlocked; the app that was in front comes back.")
    case .switchApp:
      Self.info(
        "The user goes to another app of the scenario, or to one outside it.",
        bare: "to",
        [Parameter(name: "to", type: .text, summary: "an app; one outside when left out")]
      )
    case .wake:
      Self.info(
        """
        The system has background work for the app, and launches or resumes it for that. An app that \
        the user has thrown out is not launched, nor one before the first unlock of the device but for \
        calls and locations; a line says so, and `launch` with the reason launches it all the same.
        """,
        bare: "reason",
        [
          Parameter(name: "reason", type: .choice(Self.wakes), required: true, summary: "why"),
          Parameter(name: "payload", type: .text, summary: "what the handler is given"),
        ]
      )
    case .suspend:
      Self.info("Waits until the system has suspended the app, as soon as it may.", bare: "app")
    case .resume:
      Self.info("The system lets the app run in the background, without a reason.", bare: "app")
    case .post:
      Self.info(
        """
        Something changes in the system; suspended apps hear of the net change at their wake-up, or \
        never of what does not wait for them, and a line says so.
        """,
        bare: "type",
        [
          Parameter(name: "type", type: .text, required: true, summary: "the notification"),
          Parameter(name: "key", type: .text, summary: "which accessory, screen …"),
          Parameter(name: "value", type: .text, summary: "the value now"),
          Parameter(name: "times", type: .integer, summary: "how many times over (1)"),
        ]
      )
    case .rotate:
      Self.info(
        "The device is held another way.",
        bare: "to",
        [
          Parameter(
            name: "to",
            type: .choice(Orientation.allCases.map(\.rawValue)),
            required: true,
            summary: "how"
          )
        ]
      )
    case .touch:
      Self.info(
        "The user touches a view; only an active app hears of it.",
        bare: "view",
        [Parameter(name: "view", type: .text, required: true, summary: "the view's name")]
      )
    case .control, .motion:
      Self.info(
        self == .control
          ? "Remote control or shake, for the first responder."
          : "Accelerometer, gyroscope, magnetometer or location, for the object that asked.",
        bare: "what",
        [Parameter(name: "what", type: .text, required: true, summary: "the event")]
      )
    case .tell: Self.info("Tells the app words of its own, one after the other.", open: true)
    case .statusBar:
      Self.info(
        "The status bar changes its height, until it is set again; a call makes it 40 points high.",
        bare: "height",
        [Parameter(name: "height", type: .integer, required: true, summary: "points")]
      )
    case .timeChange: Self.info("Midnight, carrier time or daylight saving.")
    case .memoryWarning: Self.info("Memory is short, and executing apps are told.")
    case .memoryPressure:
      Self.info(
        """
        The system needs memory: the largest suspended apps are purged, and who is about to be \
        suspended is waited for; next, the largest apps at work in the background are ended politely; when there \
        are none of these either, the others are warned.
        """,
        bare: "count",
        [Parameter(name: "count", type: .integer, summary: "how many apps (1)")]
      )
    case .purge:
      Self.info(
        "The system takes the app's memory, without notice once it is suspended.",
        bare: "app",
        [
          Parameter(
            name: "how",
            type: .choice(["suspended", "polite", "jetsam"]),
            summary: "wait until it is suspended (default), end it politely, or at once"
          )
        ]
      )
    case .terminate: Self.info("The system ends the app politely, as for an update.", bare: "app")
    case .kill: Self.info("The user throws the app out of the switcher.", bare: "app")
    case .crash: Self.info("The app crashes.", bare: "app")
    case .reboot:
      Self.info(
        """
        The device restarts: every app dies with all that it has forked; what was synced survives, \
        and with `disk` nothing else does.
        """,
        [
          Parameter(
            name: "locked",
            type: .flag,
            summary:
              "it waits for its first unlock: protected files stay closed, those of the class "
              + "completeUntilFirstUserAuthentication too (false)"
          )
        ]
      )
    case .mark:
      Self.info(
        "Names a place in the trace.",
        bare: "text",
        [Parameter(name: "text", type: .text, required: true, summary: "the name")]
      )
    case .expect:
      Self.info(
        """
        Must hold here: an expression, with `within` also later (`state == suspended within 2s`), \
        `said WORD`, `no violations`, `violation DS02`.
        """,
        bare: "that",
        [Parameter(name: "that", type: .text, required: true, summary: "the expectation")]
      )
    case .repeated:
      Self.info(
        "Does the steps several times.",
        [
          Parameter(name: "times", type: .integer, required: true, summary: "how often"),
          Parameter(name: "steps", type: .steps, required: true, summary: "what"),
        ]
      )
    case .choose:
      Self.info(
        "Does one of the steps, chosen by the seed of the scenario.",
        [
          Parameter(name: "times", type: .integer, summary: "how often (1)"),
          Parameter(name: "steps", type: .steps, required: true, summary: "among which"),
        ]
      )
    }
  }
}
