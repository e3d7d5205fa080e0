// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

// An app that does not record its own life has a witness: the host's messages to it, and its
// answers.

extension Director {
  /// Records an event of an app that does not record it itself.
  func witness(
    in app: Int,
    name: String = "",
    _ payload: (inout RecordedNames) -> some EventPayload
  ) {
    guard !apps[app].configuration.records else { return }
    record(RecordedEvent(name: name, payload), about: app)
  }

  /// An id as the host writes it: an SDK in the app counts its own from 1, in the same stream.
  func ofHost(_ id: UInt64) -> UInt64 { id | 1 << 32 }

  /// How the app is configured, as it says in its greeting.
  func witness(_ configuration: AppConfiguration, in app: Int) {
    let facts = [
      ("UIApplicationExitsOnSuspend", configuration.exitsOnSuspend ? "YES" : ""),
      ("UIBackgroundModes", configuration.backgroundModes.joined(separator: ",")),
      ("DTSDKName", configuration.linkedSDK), ("scenes", usesScenes(app) ? "YES" : ""),
    ]
    for (key, value) in facts where !value.isEmpty {
      witness(in: app) { Payload.ProcessConfig(key: $0.name(key), value: $0.name(value)) }
    }
  }

  func witness(from: AppState, to: AppState, cause: String, in app: Int) {
    guard from != to else { return }
    witness(in: app) {
      Payload.Transition(from: from, to: to, cause: $0.name(cause))
    }
  }

  /// The app is about to be sent `event`: a callback begins with the request.
  func witness(_ event: SystemEvent, number: UInt64, in app: Int) {
    switch event {
    case .notification(let type, let key, let value):
      witness(in: app) {
        Payload.NotificationDelivered(
          type: $0.name(type),
          key: $0.name(key),
          value: $0.name(value)
        )
      }
    case .protectedData(let available):
      // The notification and the callback are one thing to an app: the runtime of one records both, too.
      let change = protection(available: available)
      witness(in: app) {
        Payload.NotificationDelivered(
          type: $0.name(change.type),
          key: $0.name(change.key),
          value: $0.name(change.value)
        )
      }
    case .touch(let view): witness(in: app) { Payload.Touch(view: $0.name(view)) }
    case .wake(let reason, let id, _, _):
      witness(in: app) { Payload.WakeBegin(id: ofHost(id), reason: $0.name(reason.rawValue)) }
    default: break
    }
    guard let callback = event.callback(withScenes: usesScenes(app)) else { return }
    let id = ofHost(number)
    let begin = RecordedEvent(name: callback) { _ in Payload.CallbackBegin(id: id) }
    // What stands behind an event in which the app hangs has not come to it yet.
    if apps[app].hang != nil {
      apps[app].hang?.behind.append(placed(begin, at: world.now))
    } else if !apps[app].configuration.records {
      record(begin, about: app)
    }
  }

  /// An app that does not record has not answered `event` in time: it hangs in it, as far as is known.
  ///
  /// Of several that it leaves without an answer the first is the one that it is in. It stands in the
  /// trace, as a turn of its main thread, when that is settled: by its late answer, or by its end.
  func hangs(_ app: Int, in event: SystemEvent, number: UInt64, since told: Int64) {
    guard apps[app].hang == nil, !apps[app].configuration.records else { return }
    apps[app].hang = PlayedApp.Hang(number: number)
    // A callback stands there since it was sent.
    guard event.callback(withScenes: usesScenes(app)) == nil else { return }
    let id = ofHost(number)
    let turn = RecordedEvent(name: event.name) { _ in Payload.TurnBegin(id: id) }
    apps[app].hang?.turn = placed(turn, at: told)
  }

  /// The app has answered an event that was due.
  ///
  /// The late answer to the one in which it hung lets those behind it come to the app. One to an event
  /// behind it shows that the app did not hang, and has forgotten to answer.
  func settleHang(of app: Int, by number: UInt64) {
    guard let hang = apps[app].hang, number >= hang.number else { return }
    apps[app].hang = nil
    let isOver = number == hang.number
    if isOver, let turn = hang.turn {
      world.record(turn, about: app)
      witness(in: app) { _ in Payload.TurnEnd(id: ofHost(number)) }
    } else if isOver {
      witness(in: app) { _ in Payload.CallbackEnd(id: ofHost(number)) }
    }
    for begin in hang.behind {
      var begin = begin
      if isOver { begin.time = nil }
      world.record(begin, about: app)
    }
  }

  /// The app is about to be ended in the event in which it hangs: what stood behind never came to it.
  func witnessHang(of app: Int) {
    if let turn = apps[app].hang?.turn { world.record(turn, about: app) }
    apps[app].hang = nil
  }

  /// An event as of a moment, at the step that is played now, to be recorded later.
  private func placed(_ event: RecordedEvent, at time: Int64) -> RecordedEvent {
    var event = event
    event.time = HostTime(rawValue: time)
    event.file = scenario.file
    event.line = UInt32(clamping: place.line)
    return event
  }

  /// The app has answered the event.
  func witnessEnd(of event: SystemEvent, number: UInt64, accepted: Bool, in app: Int) {
    guard let callback = event.callback(withScenes: usesScenes(app)) else { return }
    // How much of it was computing the system does not see.
    witness(in: app, name: callback) { _ in
      Payload.CallbackEnd(id: ofHost(number), returned: accepted ? 1 : 0)
    }
  }

  /// Says that the system kills an app for what it did or left undone.
  func tellKill(_ app: Int, _ death: Death) {
    guard let onNotice, let code = death.code, code > 255 else { return }
    var why = TerminationCode.named(code)?.meaning ?? death.cause
    if code == TerminationCode.deadLock, let lock = apps[app].sharedLock { why += ": \(lock.text)" }
    onNotice(place, "\(apps[app].name) was killed (0x\(String(code, radix: 16))): \(why)")
  }

  /// Says that an app calls itself as another of the scenario is called: its command is the other's,
  /// or does not know which of them it is to be.
  ///
  /// What no app of the scenario is called may be a bundle identifier: the end of one is the name.
  func tellName(_ app: Int) {
    guard let said = world.nameSaid(by: app), said != apps[app].name else { return }
    guard apps.contains(where: { $0.name == said }) else {
      if !isName(said, of: app), apps[app].incarnation == 1 { tellStranger(said, app) }
      return
    }
    let text =
      "`\(apps[app].name)` says that it is `\(said)`, another app of this scenario: its command has "
      + "to know which it is to be, by an argument or by $LIFETRACE_APP"
    note(text, about: app)
    onNotice?(place, text)
  }

  /// Whether an app that says `said` may be meant by the name that the scenario has for it.
  private func isName(_ said: String, of app: Int) -> Bool {
    let name = apps[app].name
    // A scenario that names no app takes any.
    guard apps.count > 1 || name != Scenario.unnamed, !said.isEmpty else { return true }
    return said.split(separator: ".").last?.lowercased()
      == name.split(separator: ".").last?.lowercased()
  }

  /// Nobody else hears of it: the recording calls the process as it calls itself.
  private func tellStranger(_ said: String, _ app: Int) {
    let name = apps[app].name
    onNotice?(
      place,
      "the program started as `\(name)` says hello as `\(Printable.line(said))`, which this scenario has "
        + "not: steps about `\(name)` go to it all the same; if it is the right one, give the two one name"
    )
  }

  /// Says once a launch and number that an app answers what it was not asked, or has answered before.
  ///
  /// An event whose answer is late is still asked.
  func tellAnswer(_ number: UInt64, of app: Int) {
    // To answer what needs no answer is in order.
    guard number != 0, apps[app].answeredAmiss.count < Self.answersToldMax,
      apps[app].answeredAmiss.insert(number).inserted
    else { return }
    let due = apps[app].unanswered.min().map { "\($0) is due" } ?? "none is due"
    let text = "`\(apps[app].name)` answered `done` \(number), and \(due)"
    note(text, about: app)
    onNotice?(place, text)
  }

  /// An app that counts wrongly must not fill the recording.
  private static var answersToldMax: Int { 100 }

  /// Says once a launch that an app does not keep to the protocol; the trace has it each time.
  func tellGarbage(_ app: Int, _ text: String, _ fault: String?) {
    let why = fault.map { " (\($0))" } ?? ""
    // Before its launch an app has no stream.
    note("garbage from \(apps[app].name): \(text)\(why)", about: apps[app].isAlive ? app : nil)
    guard let onNotice, !apps[app].isGarbageTold else { return }
    apps[app].isGarbageTold = true
    // It goes to a terminal, which must not obey it.
    let said = Printable.line(text)
    let reason = fault.map { ", as \($0)" } ?? ""
    onNotice(place, "\(apps[app].name) said what is no message\(reason): \(said)")
  }
}

extension SystemEvent {
  /// The callback that the event leads to in an app, as the runtime of an app names it, too.
  func callback(withScenes scenes: Bool) -> String? {
    switch self {
    case .becomeActive where scenes: "sceneDidBecomeActive"
    case .resignActive where scenes: "sceneWillResignActive"
    case .enterBackground where scenes: "sceneDidEnterBackground"
    case .enterForeground where scenes: "sceneWillEnterForeground"
    case .openURL where scenes: "scene:openURLContexts:"
    case .launch: "application:didFinishLaunchingWithOptions:"
    case .becomeActive: "applicationDidBecomeActive"
    case .resignActive: "applicationWillResignActive"
    case .enterBackground: "applicationDidEnterBackground"
    case .enterForeground: "applicationWillEnterForeground"
    case .terminate: "applicationWillTerminate"
    case .memoryWarning: "applicationDidReceiveMemoryWarning"
    case .significantTimeChange: "applicationSignificantTimeChange"
    case .openURL: "application:openURL:options:"
    case .notificationResponse: Self.notificationResponseCallback
    case .protectedData(let available):
      available
        ? "applicationProtectedDataDidBecomeAvailable"
        : "applicationProtectedDataWillBecomeUnavailable"
    default: nil
    }
  }
}
