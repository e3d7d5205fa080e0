// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import LifetraceLifecycle
internal import LifetraceRecorder
internal import LifetraceTrace
import Support

extension Victims {
  private static let writerOffset = 56
  /// What was cut off reads as zeros, so that short inputs are not all refused for their length.
  private static let fileBytes = 1 << 17

  /// The memory of an app, under the name that it gives itself.
  static func pool(_ input: [UInt8]) -> String? {
    var bytes = input
    if bytes.count < fileBytes {
      bytes += [UInt8](repeating: 0, count: fileBytes - bytes.count)
    }
    let words = bytes.withUnsafeBytes { bytes in
      (0..<2).map { bytes.loadUnaligned(fromByteOffset: writerOffset + 8 * $0, as: UInt64.self) }
    }
    let directory = Scratch.path("session")
    mkdir(directory, 0o700)
    let name = "pool-" + words.map(hex).joined()
    try? TestFile.write(bytes, to: directory + "/" + name)
    defer {
      unlink(directory + "/" + name)
      rmdir(directory)
    }
    let now = HostTime(rawValue: 1 << 40)
    guard let chunks = PoolProbe.chunks(of: name, in: directory, now: now) else { return nil }
    var count = 0
    for chunk in chunks {
      guard chunk.header.firstTime <= chunk.header.lastTime, chunk.header.lastTime <= now else {
        return "a time that cannot be"
      }
      guard let events = events(of: chunk) else { return "a chunk that cannot be read" }
      count += events
    }
    // Two looks at one block.
    let most = 2 * (1 << 16) / 56
    return count <= most ? nil : "\(count) events out of a block for half as many"
  }

  private static func events(of chunk: EncodedChunk) -> Int? {
    var names = Names()
    guard
      let payload = try? ChunkPayload(
        header: chunk.header,
        payload: chunk.payload,
        names: &names
      ),
      let events = try? payload.decode(), events.count == chunk.header.eventCount
    else { return nil }
    var state = LifeState()
    for event in events { state.apply(event, names: names) }
    return events.count
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
