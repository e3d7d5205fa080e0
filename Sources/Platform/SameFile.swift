// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Tells files apart, whatever their names are.
///
///     SameFile(path: "run.lifetrace") == SameFile(path: "./link-to-run")
package struct SameFile: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// The file that `path` leads to; nil where there is none.
  package init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    (device, inode) = (UInt64(facts.st_dev), UInt64(facts.st_ino))
  }

  /// Whether `path` leads to one of the files that `others` lead to.
  package static func isOne(_ path: String, of others: [String]) -> Bool {
    guard let file = Self(path: path) else { return false }
    return others.contains { Self(path: $0) == file }
  }
}
