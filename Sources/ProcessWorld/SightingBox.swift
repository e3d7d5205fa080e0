// SPDX-License-Identifier: Apache-2.0
import Synchronization
import LifetraceTrace

/// What the recorder's thread has seen, until the host takes it.
final class SightingBox: Sendable {
  /// More than this is not kept: an app that floods its stream is not waited for event by event.
  static let sightingsMax = 100_000
  private let found = Mutex(Found())

  /// What was seen, in order, and what came behind that and was not kept.
  struct Found: Sendable {
    var sightings: [Sighting] = []
    /// How many events of whom.
    var missed: [WriterID: Int] = [:]
  }

  /// Takes note; returns whether one of these kinds is waited for.
  func add(_ new: [Sighting], _ kinds: Set<EventKind>) -> Bool {
    found.withLock { found in
      // Kinds that are not waited for are counts: one entry a kind and writer is enough.
      for sighting in new {
        let last = found.sightings.count - 1
        if !kinds.contains(sighting.kind), last >= 0,
          found.sightings[last].kind == sighting.kind,
          found.sightings[last].writer == sighting.writer
        {
          found.sightings[last].count += sighting.count
          found.sightings[last].time = sighting.time
        } else if found.sightings.count < Self.sightingsMax {
          found.sightings.append(sighting)
        } else {
          found.missed[sighting.writer, default: 0] += sighting.count
        }
      }
    }
    return new.contains { kinds.contains($0.kind) }
  }

  /// What there is since the last time.
  func take() -> Found {
    found.withLock { found in
      defer { found = Found() }
      return found
    }
  }
}
