// SPDX-License-Identifier: Apache-2.0

extension StepName {
  /// How the step is written, as lines of a scenario; together they show every parameter.
  package var examples: [String] {
    switch self {
    case .launch:
      [
        "- launch", "- launch: {reason: push}", "- launch: {reason: notification, payload: reply}",
        "- launch: {url: \"notes://today\", from: com.example.mail}",
        "- launch: {ends: purge, after: draft.txt.flushing}",
        "- launch: {ends: reboot, after: data.durable, nth: 3}",
        "- launch: {ends: crash, after: work.begin, name: upload}",
      ]
    case .relaunch:
      [
        "- relaunch", "- relaunch: {reason: icon, url: \"notes://today\", from: com.example.mail}",
        "- relaunch: {reason: notification, payload: reply}",
        "- relaunch: {ends: crash, after: work.begin, name: upload, nth: 2}",
        "- relaunch: {ends: kill, after: 17}",
      ]
    case .prewarm: ["- prewarm"]
    case .open: ["- open"]
    case .openURL:
      [
        "- open-url: \"notes://today\"",
        "- open-url: {url: \"notes://today\", from: com.example.mail}",
      ]
    case .wait:
      [
        "- wait: 500ms", "- wait: {for: 2s}", "- wait: {until: suspended, within: 5s}",
        "- wait: {until: 'data(\"draft.txt\").unsaved == 0', within: 5s}",
        "- wait: {until: task.end && name == \"upload\"}",
        "- wait: {after: data.durable, name: draft, within: 5s}", "- wait: {after: uploaded}",
      ]
    case .call: ["- call: begin", "- call: end", "- call: {phase: accept}"]
    case .interrupt: ["- interrupt: begin", "- interrupt: {phase: end, reason: alert}"]
    case .sms: ["- sms: ignored", "- sms: {phase: accepted}"]
    case .notificationCenter:
      ["- notification-center: open", "- notification-center: {phase: close}"]
    case .appSwitcher: ["- app-switcher: open", "- app-switcher: {phase: close}"]
    case .banner: ["- banner"]
    case .home: ["- home"]
    case .lock: ["- lock", "- lock: {passcode: false}"]
    case .unlock: ["- unlock"]
    case .switchApp: ["- switch", "- switch: {to: app}"]
    case .wake: ["- wake: fetch", "- wake: {reason: push, payload: \"{}\"}"]
    case .suspend: ["- suspend"]
    case .resume: ["- resume"]
    case .post:
      [
        "- post: UIApplicationSignificantTimeChange",
        "- post: {type: NSCurrentLocaleDidChange, value: sv_SE}",
        "- post: {type: EAAccessoryDidConnect, key: keyboard, value: connected, times: 3}",
      ]
    case .rotate: ["- rotate: landscape-left", "- rotate: {to: portrait}"]
    case .touch: ["- touch: save", "- touch: {view: save}"]
    case .control: ["- control: play", "- control: {what: shake}"]
    case .motion: ["- motion: accelerometer", "- motion: {what: location}"]
    case .tell: ["- tell: {edit: \"Dear diary\"}", "- tell: {task: upload, end: upload}"]
    case .statusBar: ["- status-bar: 40", "- status-bar: {height: 20}"]
    case .timeChange: ["- time-change"]
    case .memoryWarning: ["- memory-warning"]
    case .memoryPressure: ["- memory-pressure", "- memory-pressure: {count: 2}"]
    case .purge: ["- purge", "- purge: {how: jetsam}"]
    case .terminate: ["- terminate"]
    case .kill: ["- kill"]
    case .crash: ["- crash"]
    case .reboot: ["- reboot", "- reboot: {locked: true}"]
    case .mark: ["- mark: before the purge", "- mark: {text: before the purge}"]
    case .expect:
      [
        "- expect: state == suspended within 2s", "- expect: no violations",
        "- expect: count tasks == 0", "- expect: all data where unsaved == 0 within 2s",
        "- expect: violation DS02", "- expect: {that: said uploaded}",
      ]
    case .repeated: ["- repeat: {times: 10, steps: [home, open]}"]
    case .choose:
      ["- choose: {steps: [lock, home]}", "- choose: {times: 5, steps: [{call: begin}, home]}"]
    }
  }
}
