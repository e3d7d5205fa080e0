// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Scenario {
  /// Larger files are refused.
  static let fileBytesMax = 8 << 20

  static func load(_ path: String) throws -> Scenario {
    try Scenario(parsing: text(of: path), file: path)
  }

  /// Everything that is wrong with the file at `path`.
  ///
  /// - Throws: When it cannot be read.
  public static func problems(inFile path: String) throws(HostError) -> [ScenarioProblem] {
    problems(in: try text(of: path))
  }

  /// What is in a file that a person has written.
  static func text(of path: String) throws(HostError) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw HostError("cannot read \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var portion = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= fileBytesMax {
      let count = read(file, &portion, portion.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw HostError("cannot read \(path): \(String(cString: strerror(errno)))")
      }
      bytes += portion[..<count]
    }
    throw HostError("\(path) is larger than \(fileBytesMax) bytes")
  }
}
