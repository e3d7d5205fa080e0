// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
package import LifetraceScenario
import Synchronization

/// What identifies the programs that a scenario starts: whether they are others now can be seen.
package enum ProgramPrint {
  /// Those that the commands start, each once; none for what is no readable file.
  package static func programs(of commands: [[String]]) -> [KeptScenario.Program] {
    var seen: Set<String> = []
    return commands.compactMap { words in
      guard let name = words.first else { return nil }
      let found = name.contains("/") ? name : Executable.find(name)
      guard let path = found.map(absolutePath), seen.insert(path).inserted else { return nil }
      return program(path)
    }
  }

  /// The program at `path` as it is now; nil where it cannot be read.
  package static func program(_ path: String) -> KeptScenario.Program? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    let version = Version(path, facts)
    if let known = known.withLock({ $0[version] }) { return known }
    guard let checksum = checksum(file) else { return nil }
    let program = KeptScenario.Program(
      path: path,
      bytes: UInt64(facts.st_size),
      checksum: checksum
    )
    known.withLock { $0[version] = program }
    return program
  }

  /// One state of a file: a scenario that is played a thousand times reads its program once.
  private struct Version: Hashable {
    var path: String
    var inode: UInt64
    var bytes: Int
    var seconds: Int
    var nanoseconds: Int

    init(_ path: String, _ facts: stat) {
      self.path = path
      inode = UInt64(facts.st_ino)
      bytes = Int(facts.st_size)
      (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
  }

  private static let known = Mutex<[Version: KeptScenario.Program]>([:])

  private static func checksum(_ file: Int32) -> UInt32? {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var sum: UInt32 = 0
    while true {
      let count = read(file, &buffer, buffer.count)
      if count == 0 { return sum }
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      sum = cplatform_crc32c(sum, buffer, count)
    }
  }
}
