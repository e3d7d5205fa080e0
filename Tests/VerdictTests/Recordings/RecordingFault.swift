// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetracePlatform
import LifetraceTrace

/// A mistake of the system, or of who recorded it, put into the recording of a correct life.
///
/// No app can make these, and the simulated system does not.
struct RecordingFault: Sendable {
  /// The rule that has to find it.
  var rule: String
  /// What others may say of it too, each with the reason.
  var others: [String: String] = [:]
  /// Why there are more of them than two; empty where there are not.
  var whyMore = ""
  /// Words for a failure.
  var words: String
  /// Changes the recording; false where it gives no chance to.
  var change: @Sendable (inout Recording) -> Bool

  static let all: [RecordingFault] =
    transitions + launches + notifications + waiting + ends + logs + samples + messages

  private static let transitions: [RecordingFault] = [
    RecordingFault(
      rule: "ST01",
      words: "no inactive between active and background"
    ) { recording in
      recording.remove { $0.kind == .transition && $0.goes(from: .active, to: .inactive) }
    },
    RecordingFault(
      rule: "ST02",
      words: "didBecomeActive twice"
    ) { $0.repeatCallback(.didBecomeActive) },
    RecordingFault(
      rule: "ST03",
      others: ["ST02": "it becomes active again without having resigned"],
      words: "didEnterBackground without willResignActive"
    ) { $0.removeCallbacks(.willResignActive) },
    RecordingFault(
      rule: "ST06",
      others: ["ST07": "code of the app ran"],
      words: "willTerminate while suspended"
    ) { $0.call(.willTerminate) },
    RecordingFault(rule: "ST07", words: "a callback while suspended") {
      $0.call(.didReceiveMemoryWarning)
    },
    RecordingFault(
      rule: "ST12",
      others: ["ST07": "the app had to handle it"],
      words: "a touch while suspended"
    ) { $0.insert([Payload.Touch(view: .empty)]) },
    RecordingFault(
      rule: "BT05",
      others: ["ST07": "code of the app ran"],
      words: "a task begun while suspended"
    ) {
      $0.insert([
        Payload.TaskBegin(id: 4711, name: .empty, handler: true), Payload.TaskEnd(id: 4711),
      ])
    },
  ]

  /// What is called at a launch, at a return and at a turn, and what is not.
  private static let launches: [RecordingFault] = [
    RecordingFault(rule: "ST04", words: "a return that never becomes active") {
      $0.removeCallbacks(.didBecomeActive)
    },
    RecordingFault(rule: "ST05", words: "willEnterForeground at a launch") { recording in
      recording.call("applicationWillEnterForeground") {
        $0.kind == .transition && $0.goes(from: .notRunning, to: .inactive)
      }
    },
    RecordingFault(rule: "ST08", words: "a wake that launches onto the screen") {
      $0.launch(because: "fetch")
    },
    RecordingFault(rule: "ST09", words: "willFinishLaunching behind didFinishLaunching") {
      $0.call("application:willFinishLaunchingWithOptions:", behind: .didFinishLaunching)
    },
    RecordingFault(rule: "ST10", words: "a URL before the launch is over") {
      $0.call("application:openURL:options:", behind: .willFinishLaunching)
    },
    RecordingFault(rule: "ST11", words: "an app suspended that says it exits") {
      $0.declare("UIApplicationExitsOnSuspend", "YES")
    },
    RecordingFault(rule: "ST14", words: "a turn that does not end") {
      $0.removeCallbacks(.didRotate)
    },
    RecordingFault(rule: "PR03", words: "willEnterForeground without didEnterBackground") {
      $0.removeCallbacks(.didEnterBackground)
    },
  ]

  /// What waited for a suspended app, spoilt on its way.
  private static let waiting: [RecordingFault] = [
    RecordingFault(rule: "NQ02", words: "a delivery of what was undone") { recording in
      let names = recording.name(["EAAccessoryDidConnect", "EAAccessoryDidDisconnect", "fault", ""])
      return recording.wait(
        posts: [
          .init(type: names[0], key: names[2], value: names[3], origin: names[3]),
          .init(type: names[1], key: names[2], value: names[3], origin: names[3]),
        ],
        delivery: .init(type: names[0], key: names[2], value: names[3])
      )
    },
    RecordingFault(rule: "NQ03", words: "a delivery with another value") { recording in
      let value = recording.name(["fault"])[0]
      return recording.changeWaited { event in
        let was = Payload.NotificationDelivered(event)
        event.put(Payload.NotificationDelivered(type: was.type, key: was.key, value: value))
        return true
      }
    },
    RecordingFault(rule: "NQ04", words: "a change that is never delivered") {
      $0.changeWaited { _ in false }
    },
    RecordingFault(rule: "NQ05", words: "a delivery on another thread") {
      $0.changeWaited { event in
        event.thread = ThreadID(rawValue: 7)
        return true
      }
    },
    RecordingFault(rule: "NQ07", words: "a touch that waits for the app") { recording in
      let names = recording.name(["TouchDidHappen", ""])
      return recording.wait(
        posts: [.init(type: names[0], key: names[1], value: names[1], origin: names[1])],
        delivery: .init(type: names[0], key: names[1], value: names[1])
      )
    },
  ]

  private static let notifications: [RecordingFault] = [
    RecordingFault(rule: "NQ01", words: "a delivery twice") { recording in
      recording.repeatFirst { $0.kind == .notificationDelivered }
    },
    RecordingFault(
      rule: "NQ06",
      others: [
        "ST07": "the app had to handle it",
        "NQ02": "what comes at the resume is no change any more",
      ],
      words: "a delivery while suspended"
    ) { recording in
      guard let delivered = recording.first({ $0.kind == .notificationDelivered }) else {
        return false
      }
      return recording.insert([Payload.NotificationDelivered(delivered)])
    },
  ]

  /// What only the log of a device shows, and what lasts where nothing happens.
  private static let logs: [RecordingFault] = [
    RecordingFault(rule: "ST15", words: "reasons to be inactive that do not add up") { recording in
      let text = recording.name(["inconsistent: reason 5 added, mask 0 -> 33"])[0]
      guard recording.tellAsLog() else { return false }
      return recording.insert([Payload.Log(text: text, level: .info)])
    },
    RecordingFault(
      rule: "PR06",
      others: ["SY02": "it says that of any crash"],
      words: "a purge of a suspended app reported as a crash"
    ) {
      $0.tellAsLog() && $0.endAsleep(by: "crash")
    },
    RecordingFault(
      rule: "ST16",
      others: [
        "DL06": "a task that was open is held on", "DL14": "a deadline that was open goes on",
      ],
      words: "a return that takes seventy seconds"
    ) {
      $0.stall(seconds: 70)
    },
  ]

  /// What an app uses of the device, as the host samples it.
  private static let samples: [RecordingFault] = [
    RecordingFault(rule: "RS08", words: "all its memory kept in the background") { recording in
      var use = Recording.Use()
      use.behind = use.front
      recording.addSamples(use)
      return true
    },
    RecordingFault(rule: "RS12", words: "computing all the time in the background") { recording in
      var use = Recording.Use()
      use.share = 0.95
      recording.addSamples(use)
      return true
    },
    RecordingFault(rule: "RS13", words: "a memory warning that changes nothing") { recording in
      var use = Recording.Use()
      use.warned = use.front
      recording.addSamples(use)
      return true
    },
  ]

  /// What becomes of messages to a server.
  private static let messages: [RecordingFault] = [
    RecordingFault(
      rule: "MS02",
      others: ["DL14": "the deadline is the app's own"],
      words: "an answer behind the deadline"
    ) { $0.addServer(.late) },
    RecordingFault(rule: "MS03", words: "a request that gets lost") { $0.addServer(.never) },
    RecordingFault(rule: "MS04", words: "a request received before it was sent") {
      $0.addServer(.early)
    },
  ]

  private static let ends: [RecordingFault] = [
    RecordingFault(rule: "SY01", words: "killed for the heat") {
      $0.end(by: "thermal", code: TerminationCode.thermal)
    },
    RecordingFault(rule: "SY03", words: "it ends itself") { $0.end(by: "exit", code: 1) },
    RecordingFault(rule: "SY02", words: "a crash") { $0.end(by: "signal", code: UInt64(SIGSEGV)) },
  ]
}
