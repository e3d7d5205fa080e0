// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace

// What the library that observes has noted in the session, behind the versions of files.
extension Observation {
  /// A sentence where a glob of ``patterns`` has matched no file, or where nothing was observed at all.
  func unmatched(in session: String) -> String? {
    guard !patterns.isEmpty else { return nil }
    let bytes = SmallFile.bytesIfReadable(session + "/observed", bytesMax: Self.ledgerBytes) ?? []
    guard bytes.count == Self.ledgerBytes, Self.word(bytes, Self.entriesBytes) > 0 else {
      return """
        no process could be observed: static programs (those in Go) and setuid ones never are
          So no file of `data` in lifetrace.yml is in the recording.
        """
    }
    let matched = Self.word(bytes, Self.entriesBytes + 8)
    let missing = patterns.enumerated().filter { matched & 1 << UInt64($0.offset) == 0 }
      .map { "`\(Printable.line($0.element))`" }
    guard !missing.isEmpty else { return nil }
    return """
      no file matched \(missing.joined(separator: ", ")) of `data` in lifetrace.yml
        A glob without a slash is a name in any folder; with one it is a path below the folder where \
      record was started, unless it begins with `/`, `~/` or `**/`.
      """
  }

  /// 4,096 entries of 64 bytes, and two words: processes, and a bit for each glob that has matched.
  private static let entriesBytes = 4_096 * 64
  private static let ledgerBytes = entriesBytes + 16

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt64 {
    bytes[at..<at + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
