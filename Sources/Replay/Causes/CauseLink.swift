// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline

/// How one event led to another, as the label of its step in `why`.
package enum CauseRelation: String, Sendable, CaseIterable {
  // What ran.
  case began
  case longestPart = "longest part"
  case ranThen = "ran then"
  case launch
  case crash
  case holder = "held what it waits for"
  case otherSide = "what the other side did"

  // What stood open when something stopped, or ended.
  case open = "still open"
  case held = "still held"
  case posted

  // Data.
  case edit
  case saveBegan = "save began"
  case saveFailed = "save failed"
  case savedTooLow = "last save"
  case cancelled
  case readFailed = "read failed"
  case savedBefore = "saved before"
  case givenUp = "given up"
  case taskEnded = "task ended"
  case answered
  case tookTheRoom = "took the room"

  // What the rule points to, where no event of the model leads there.
  case told = "shown by the rule"

  // From process to process.
  case sent
  case cameIn = "came in"
  case dropped
  case unheard = "not received"
  case gone = "had ended"

  // What led to the cause itself; nobody is blamed for these.
  case inside
  case followed = "led to it"

  /// Whether nothing further back is to blame: from here on it was lost.
  var isLast: Bool {
    switch self {
    case .savedTooLow, .cancelled, .readFailed, .savedBefore, .givenUp, .taskEnded, .answered,
      .tookTheRoom, .dropped, .unheard:
      true
    default: false
    }
  }
}

/// An arrow of the graph: the event at the cause led to another one.
struct CauseLink {
  let relation: CauseRelation
  let cause: CauseNode
  /// Other events from which it follows.
  var over: [EventPlace] = []
  /// It holds for some findings only: those whose rule points to an event on the way.
  var isHint = false
}

/// An event, as something that lasts until another one of its stream.
struct CauseNode: Hashable {
  let place: EventPlace
  /// The index of the event at which it mattered no longer; nil where it does not last.
  var until: Int?
  /// Whether another thread waited for it meanwhile.
  var isWaitedFor = false
}

/// What caused a finding: the events from the cause to the finding, and what had led to the cause.
package struct CauseChain: Sendable {
  /// An event of the chain.
  package struct Step: Sendable {
    /// The event.
    package let place: EventPlace
    /// How it led to the next one; nil for the finding's own event.
    package let relation: CauseRelation?
  }

  /// What led to the cause, the earliest first; nobody is blamed for it.
  package internal(set) var origins: [Step] = []
  /// From the cause to the finding's own event, which may be one and the same.
  package internal(set) var steps: [Step]

  /// Other events from which the steps follow, such as the messages between two processes.
  package internal(set) var over: [EventPlace] = []

  /// The events without which another cause would be found.
  package var places: [EventPlace] { steps.map(\.place) + over }

  /// The event that is to blame.
  package var cause: EventPlace { steps[0].place }
  /// Whether the finding's own event is to blame, and nothing before it.
  package var isOwnCause: Bool { steps.count == 1 }
}
