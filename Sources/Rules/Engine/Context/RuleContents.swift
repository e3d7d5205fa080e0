// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// What a ``RuleContext`` stands for.
struct RuleContents: Sendable {
  var profile: Profile
  /// The facts before the event.
  var state = LifeState()
  /// The writer whose stream is read.
  var attributes = WriterAttributes(app: "")
  var stream = StreamID(rawValue: 0)
  var incarnation = 1
  var label = ""

  /// What the incarnation before this one knew of its data.
  var before = RuleContext.Before()

  /// What the event changes the state to, if it changes it.
  var change: RuleContext.StateChange?
  /// The extent that the event ends, if it ends one that was seen to begin.
  var closing: OpenSpan?
  /// The callback that the event begins or ends, if it is one of the system's.
  var callback: Callback?
  /// Earlier events, as far as stories use them.
  var history = History()
  /// Distinguishes blocking the main thread from waiting in between.
  var main = MainThread()
  /// Where what rules ask for stands among many open spans.
  var open = OpenSpans()
  /// More open spans than this are not looked through.
  var crowdMin = OpenSpans.crowdMin
  /// What changed in the system while the app was suspended, and has not come to it.
  var waiting = WaitingChanges()
  /// The last stretch of the stream that was not seen, though the facts behind it are known.
  var hole: RuleContext.Hole?

  /// What the app has begun that virtual time does not follow, if it has.
  var unseenWork: String?
  /// What of it let time pass that virtual time could not interrupt, if anything did.
  var uninterruptedWork: String?
  /// The event that the rules look at, or the last one.
  var place = (sequence: UInt64(0), time: HostTime(rawValue: 0))
  /// Facts were taken over from a keyframe, and were not searched for that yet.
  var hasFacts = false
  /// The tables that had no room for something.
  var full = FullTables()

  /// What all processes say of files that they may share; nil where there are none.
  var shared: SharedData?
  /// Whether that has been said.
  var knowsShared = false

  /// The messages of all streams; nil where there are none.
  var messages: RecordedMessages?
  /// Whether that has been said.
  var knowsMessages = false

  /// What has been said, by rule.
  var tallies: Tallies
  /// The rules, and which of them is looking.
  let table: [Rule]
  var current = 0

  init(profile: Profile, table: [Rule]) {
    self.profile = profile
    self.table = table
    tallies = Tallies(rules: table.count)
  }
}

// Each by address: a getter would copy what it hands out.
extension RuleContext {
  var profile: Profile {
    _read { yield contents.pointee.profile }
    _modify { yield &contents.pointee.profile }
  }
  var state: LifeState {
    _read { yield contents.pointee.state }
    _modify { yield &contents.pointee.state }
  }
  var attributes: WriterAttributes {
    _read { yield contents.pointee.attributes }
    _modify { yield &contents.pointee.attributes }
  }
  var stream: StreamID {
    _read { yield contents.pointee.stream }
    _modify { yield &contents.pointee.stream }
  }
  var incarnation: Int {
    _read { yield contents.pointee.incarnation }
    _modify { yield &contents.pointee.incarnation }
  }
  var label: String {
    _read { yield contents.pointee.label }
    _modify { yield &contents.pointee.label }
  }
  var before: Before {
    _read { yield contents.pointee.before }
    _modify { yield &contents.pointee.before }
  }
  var change: StateChange? {
    _read { yield contents.pointee.change }
    _modify { yield &contents.pointee.change }
  }
  var closing: OpenSpan? {
    _read { yield contents.pointee.closing }
    _modify { yield &contents.pointee.closing }
  }
  var callback: Callback? {
    _read { yield contents.pointee.callback }
    _modify { yield &contents.pointee.callback }
  }
  var history: History {
    _read { yield contents.pointee.history }
    _modify { yield &contents.pointee.history }
  }
  var main: MainThread {
    _read { yield contents.pointee.main }
    _modify { yield &contents.pointee.main }
  }
  var waiting: WaitingChanges {
    _read { yield contents.pointee.waiting }
    _modify { yield &contents.pointee.waiting }
  }
  var hole: Hole? {
    _read { yield contents.pointee.hole }
    _modify { yield &contents.pointee.hole }
  }
  var unseenWork: String? {
    _read { yield contents.pointee.unseenWork }
    _modify { yield &contents.pointee.unseenWork }
  }
  var uninterruptedWork: String? {
    _read { yield contents.pointee.uninterruptedWork }
    _modify { yield &contents.pointee.uninterruptedWork }
  }
  var place: (sequence: UInt64, time: HostTime) {
    _read { yield contents.pointee.place }
    _modify { yield &contents.pointee.place }
  }
  var hasFacts: Bool {
    _read { yield contents.pointee.hasFacts }
    _modify { yield &contents.pointee.hasFacts }
  }
  var messages: RecordedMessages? {
    _read { yield contents.pointee.messages }
    _modify { yield &contents.pointee.messages }
  }
  var tallies: Tallies {
    _read { yield contents.pointee.tallies }
    _modify { yield &contents.pointee.tallies }
  }
  var table: [Rule] {
    _read { yield contents.pointee.table }
  }
  var current: Int {
    _read { yield contents.pointee.current }
    _modify { yield &contents.pointee.current }
  }
}
