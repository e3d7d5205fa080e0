// SPDX-License-Identifier: Apache-2.0
import Synchronization
import LifetraceTrace

/// What the recorder's thread has seen, until the host takes it.
final class SightingBox: Sendable {
  /// More than this is not kept: an app that floods its stream is not waited for event by event.
  static let sightingsMax = 100_000
  private let found = Mutex<[Sighting]>([])

  /// Takes note; returns whether one of these kinds is waited for.
  func add(_ new: [Sighting], _ kinds: Set<EventKind>) -> Bool {
    found.withLock { found in
      // Kinds that are not waited for are counts: one entry a kind and writer is enough.
      for sighting in new {
        if !kinds.contains(sighting.kind), let last = found.last, last.kind == sighting.kind,
          last.writer == sighting.writer
        {
          found[found.count - 1].count += sighting.count
          found[found.count - 1].time = sighting.time
        } else if found.count < Self.sightingsMax {
          found.append(sighting)
        }
      }
    }
    return new.contains { kinds.contains($0.kind) }
  }

  func take() -> [Sighting] {
    found.withLock { found in
      defer { found = [] }
      return found
    }
  }
}
