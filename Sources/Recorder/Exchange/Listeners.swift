// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// Those that the recorder's thread calls when something happens.
struct Listeners: Sendable {
  var exits: [@Sendable (ProcessExit) -> Void] = []
  var problems: [@Sendable (String) -> Void] = []
  var crashes: [@Sendable (String) -> Void] = []
  var observer: EventObserver?
}

/// The parties that want to hear of events, and of which kinds.
struct EventObserver: Sendable {
  var kinds: Set<EventKind>
  var report: @Sendable ([Sighting]) -> Void
}
