// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A table of the fold that holds no more than so many things.
///
///     state.isFull(.data)              // there were more than 32,768 objects
///     BoundedTable.data.thing          // "data object"
///
/// What there was no room for is not followed, so a count of what is there is the least that there is.
package enum BoundedTable: CaseIterable, Sendable {
  case configuration
  case data
  case tasks
  case notifications
  case spans
  case wakes
  case deadlines
  case resources

  /// How many things it holds.
  package var max: Int {
    switch self {
    case .configuration: LifeState.ProcessFacts.configMax
    case .data: LifeState.objectsMax
    default: LifeState.openMax
    }
  }

  /// One of the things, in words.
  package var thing: String {
    switch self {
    case .configuration: "configuration key"
    case .data: "data object"
    case .tasks: "background task"
    case .notifications: "pending notification"
    case .spans: "open span"
    case .wakes: "wake"
    case .deadlines: "deadline"
    case .resources: "resource"
    }
  }

  /// The families of the events that put things there; of one family they go into one table.
  package var families: [EventFamily] {
    switch self {
    case .configuration: [.process]
    case .data: [.data]
    case .tasks: [.task]
    case .notifications: [.notification]
    case .spans: [.callback, .work]
    case .wakes: [.wake]
    case .deadlines: [.deadline]
    case .resources: [.resource]
    }
  }

  /// The table into which events of a family put things; nil where they put none.
  package init?(_ family: EventFamily) {
    guard let table = Self.allCases.first(where: { $0.families.contains(family) }) else {
      return nil
    }
    self = table
  }
}

extension LifeState {
  /// Whether there was no room in a table for something, ever since the process began: it may be there
  /// still.
  package func isFull(_ table: BoundedTable) -> Bool {
    table.families.contains { completeness[$0].isFull }
  }
}
