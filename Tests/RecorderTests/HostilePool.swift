// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import Testing

/// The bytes of a pool that a real app has made, to be changed and put back as another one's.
struct HostilePool {
  /// Where its parts are, see `lifetrace_layout.h`.
  enum Offset {
    static let layoutVersion = 8
    static let headerBytes = 12
    static let tablesBytes = 16
    static let blockBytes = 24
    static let blocksMax = 28
    static let blocksReady = 32
    static let pid = 40
    static let processStart = 48
    static let writer = 56
    static let tablesCommitted = 384
    static let tables = 4_096
    static let blocks = 4_096 + (4 << 20)
    static let blockRecords = 128
  }
  static let blockBytes = 65_536

  var bytes: [UInt8]

  /// These bytes.
  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The pool of the only process that has joined the session.
  init(in session: String) throws {
    let name = try #require(namesInDirectory(session).first { Self.isPool($0) })
    bytes = try #require(SmallFile.bytesIfReadable(session + "/" + name, bytesMax: 16 << 20))
  }

  static func isPool(_ name: String) -> Bool { name.hasPrefix("pool-") && !name.hasSuffix(".tmp") }

  subscript(at offset: Int) -> UInt64 {
    get { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) } }
    set { put(newValue, 8, at: offset) }
  }

  /// Little endian.
  mutating func put(_ value: UInt64, _ count: Int, at offset: Int) {
    for byte in 0..<count where offset + byte < bytes.count {
      bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
    }
  }

  /// Gives it a writer of its own, so that its name fits.
  mutating func rename(_ random: inout SeededRandom) {
    self[at: Offset.writer] = random.next()
    self[at: Offset.writer + 8] = random.next()
  }

  var name: String {
    func hex(_ word: UInt64) -> String {
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return "pool-" + hex(self[at: Offset.writer]) + hex(self[at: Offset.writer + 8])
  }

  /// Changes a few numbers and bytes, mostly where something is told about the rest.
  mutating func mutate(_ random: inout SeededRandom) {
    let limits: [UInt64] = [
      0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 40, .max, 1_170, 1_171, 65_536,
      0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000,
    ]
    let regions = [
      // Behind what would have it refused at once.
      Offset.blocksReady..<(Offset.tablesCommitted + 200),
      Offset.tables..<(Offset.tables + 400),
      Offset.blocks..<(Offset.blocks + 40),
      (Offset.blocks + Offset.blockRecords)..<(Offset.blocks + 4_096),
      (Offset.blocks + Self.blockBytes)..<(Offset.blocks + Self.blockBytes + 512),
    ]
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let region = regions[Int.random(in: 0..<regions.count, using: &random)]
      let at = Int.random(in: region, using: &random)
      if Bool.random(using: &random) {
        let size = [1, 2, 4, 8][Int.random(in: 0..<4, using: &random)]
        let place = at & ~(size - 1)
        put(limits[Int.random(in: 0..<limits.count, using: &random)], size, at: place)
      } else {
        bytes[at] = UInt8.random(in: .min ... .max, using: &random)
      }
    }
  }

  /// Appears in `session` as the pools of apps do: whole, by a rename.
  func place(in session: String, as name: String? = nil) {
    let temporary = session + "/hostile.tmp"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    #expect(file >= 0)
    // Only pages that hold something: the rest of a pool is a hole.
    let zeros = [UInt8](repeating: 0, count: 4_096)
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for page in stride(from: 0, to: bytes.count, by: 4_096) {
        let count = min(4_096, bytes.count - page)
        guard memcmp(base + page, zeros, count) != 0 else { continue }
        #expect(pwrite(file, base + page, count, off_t(page)) == count)
      }
    }
    #expect(ftruncate(file, off_t(bytes.count)) == 0)
    close(file)
    #expect(Glibc.rename(temporary, session + "/" + (name ?? self.name)) == 0)
  }
}
