// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace
internal import Synchronization

/// Keeps the texts of servers from filling the table of names.
///
/// A process has room for 4 MiB of different strings (``Lifetrace/Name``), and a line of a log that names each
/// user is a new one each time. What comes from here takes half of it: once that is full, a text that was not
/// seen before reads ``leftOut``, and its event still says when, on which line and how grave.
enum RecordedText {
  /// What stands for a text that found no room.
  static let leftOut = "(text left out)"
  /// Bytes of different texts.
  static let bytesMax = 2 << 20
  /// What a text costs beside its bytes: its entry in the table.
  private static let overhead = 32

  private struct Seen {
    var hashes: Set<Int> = []
    var bytes = 0
    var isFull = false
  }

  private static let seen = Mutex(Seen())

  /// The text, or what stands for it.
  static func kept(_ text: String) -> String {
    if text.isEmpty || !Lifetrace.isEnabled { return text }
    let (hash, count) = (text.hashValue, text.utf8.count + overhead)
    let isKept = seen.withLock { seen in
      if seen.hashes.contains(hash) { return true }
      seen.isFull = seen.isFull || seen.bytes + count > bytesMax
      guard !seen.isFull else { return false }
      seen.hashes.insert(hash)
      seen.bytes += count
      return true
    }
    return isKept ? text : leftOut
  }

  /// Emits a line of text.
  static func log(_ text: String, _ level: Lifetrace.LogLevel, at site: Lifetrace.Site) {
    let name = Lifetrace.Name(kept(text))
    Lifetrace.emit(
      .log,
      at: site,
      arguments: (UInt64(name.id), UInt64(level.rawValue), 0, 0),
      count: 2
    )
  }
}
