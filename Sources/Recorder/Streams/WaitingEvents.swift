// SPDX-License-Identifier: Apache-2.0

import DequeModule
import LifetraceTrace

/// Events of host and recorder that wait until their stream has come to their time.
///
/// In order of their times; taking the first costs the same however many wait.
struct WaitingEvents {
  /// An event, and where it is kept until it stands in the file.
  struct Element {
    var event: Event
    var place: SubmissionJournal.Place?
  }

  private var elements: Deque<Element> = []

  var first: Element? { elements.first }
  var isEmpty: Bool { elements.isEmpty }

  /// Sorts it in behind those of the same time.
  mutating func insert(_ element: Element) {
    var index = elements.count
    while index > 0, elements[index - 1].event.time > element.event.time { index -= 1 }
    elements.insert(element, at: index)
    assert(isInOrder(at: index))
  }

  mutating func removeFirst() { elements.removeFirst() }

  private func isInOrder(at index: Int) -> Bool {
    let around = elements[max(0, index - 1)..<min(elements.count, index + 2)]
    return zip(around, around.dropFirst()).allSatisfy { $0.event.time <= $1.event.time }
  }
}
