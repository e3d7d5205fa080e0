// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// What the columns and names of an open chunk take before compression, in bytes, roughly and at most.
///
/// A name counts once a chunk, as it stands there once. It costs some hash look-ups an event, so it is
/// kept only where chunks may not be large.
struct OpenSize {
  /// Kind, thread and time of an event take no more than this, beside its words.
  private static let rowBytes = 10
  private static let wordBytes = 8

  private let bytesMax: Int
  private var bytes = 0
  private var names: Set<NameID> = []
  private var sites: Set<SiteID> = []
  /// Names of one event, in memory that is used again.
  private var mentioned: [UInt64] = []

  /// A chunk is full at `bytesMax` bytes.
  init(_ bytesMax: Int) { self.bytesMax = bytesMax }

  /// No more belongs into this chunk.
  var isReached: Bool { bytes >= bytesMax }

  /// Counts an event, and those of its names that the chunk does not have yet.
  mutating func add(_ event: Event, _ table: borrowing Names) {
    bytes += Self.rowBytes + Self.wordBytes * (1 + Int(event.argumentCount))
    let site = table[event.site]
    if sites.insert(event.site).inserted {
      meet(site.name, table)
      meet(site.file, table)
    }
    guard let info = table.info(of: event.kind) else { return }
    var words: [UInt64] = []
    swap(&words, &mentioned)
    event.eachName(info, labels: site.labels) { words.append($0) }
    for word in words { meet(NameID(word: word), table) }
    words.removeAll(keepingCapacity: true)
    swap(&words, &mentioned)
  }

  private mutating func meet(_ name: NameID, _ table: borrowing Names) {
    if names.insert(name).inserted { bytes += table[name].utf8.count }
  }

  /// The next chunk begins.
  mutating func reset() {
    bytes = 0
    names.removeAll(keepingCapacity: true)
    sites.removeAll(keepingCapacity: true)
  }
}
