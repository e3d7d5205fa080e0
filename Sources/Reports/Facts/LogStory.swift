// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceTraceFile

/// What an imported log reports of an app, in the order of its events.
package struct LogStory: Sendable {
  /// A state that it entered.
  package struct Change: Sendable {
    package let state: AppState
    package let time: HostTime
    package let isInferred: Bool
  }

  /// A length of time; the end is nil where the log ends first.
  package struct Interval: Sendable {
    package let begin: HostTime
    package var end: HostTime?
  }

  /// A background task, and how long it was held.
  package struct Task: Sendable {
    package let id: UInt64
    package let name: String
    package var held: Interval
  }

  /// The states that it entered.
  package private(set) var states: [Change] = []
  /// Whether the log reaches back to the start of the process, when it was not running.
  package private(set) var hasStart = false
  /// The background tasks of the app.
  package private(set) var tasks: [Task] = []
  /// When it was in the background with nothing to hold it awake.
  package private(set) var possible: [Interval] = []

  private static let kinds: [EventKind] = [
    .processStart, .transition, .suspend, .resume, .processExit, .taskBegin, .taskEnd,
    .resourceAcquire,
    .resourceRelease,
  ]

  /// Empty where the stream is of no log.
  init(_ reader: TraceReader, _ stream: TraceStream) {
    guard stream.attributes.evidence == .log else { return }
    var open: [UInt64: Int] = [:]
    for chunk in stream.chunks where Self.kinds.contains(where: chunk.kinds.contains) {
      guard let events = try? reader.decode(chunk).events else { continue }
      let names = reader.names
      for event in events {
        switch event.kind {
        case .processStart: hasStart = true
        case .taskBegin:
          let task = Payload.TaskBegin(event)
          open[task.id] = tasks.count
          let name = Printable.line(names[task.name])
          tasks.append(Task(id: task.id, name: name, held: Interval(begin: event.time)))
        case .taskEnd:
          if let task = open.removeValue(forKey: event.identity) {
            tasks[task].held.end = event.time
          }
        case .resourceAcquire where names[event.identityName] == ResourceClass.suspensionPossible:
          possible.append(Interval(begin: event.time))
        case .resourceRelease where names[event.identityName] == ResourceClass.suspensionPossible:
          if let last = possible.indices.last { possible[last].end = event.time }
        default: enter(event)
        }
      }
    }
  }

  private mutating func enter(_ event: Event) {
    let state: AppState? =
      switch event.kind {
      case .transition: Payload.Transition(event).to.value
      case .suspend: .suspended
      case .resume: .background
      case .processExit: .notRunning
      default: nil
      }
    guard let state else { return }
    let isInferred = event.flags.contains(.inferred)
    states.append(Change(state: state, time: event.time, isInferred: isInferred))
  }
}
