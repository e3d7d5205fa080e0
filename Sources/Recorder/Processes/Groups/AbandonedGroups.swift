// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// Cgroups that killed recorders have left.
///
/// A recorder removes its own group, and when it is killed its guardian does. When both are killed
/// the group stays. A group is ours if it is named as our sessions are and belongs to our user. Its
/// recorder is gone when its lock is free, since every recorder keeps that as long as it lives.
package struct AbandonedGroup: Sendable {
  package var path: String
  /// The processes that still live in it; when there are none, it was removed.
  package var processes: [Int32]
  package var isRemoved: Bool

  /// Removes those that are empty; all that were found, with what has become of them.
  package static func tidy() -> [AbandonedGroup] {
    guard let tree = ControlTree() else { return [] }
    return find(in: tree).compactMap(tidy(_:))
  }

  /// More directories are not looked at.
  private static var directoriesMax: Int { 8_192 }

  private static func find(in tree: ControlTree) -> [String] {
    var found: [String] = []
    var waiting = [tree.place]
    var seen = 0
    while let directory = waiting.popLast(), seen < directoriesMax {
      seen += 1
      for name in directories(in: directory) {
        let path = directory + "/" + name
        if name.hasPrefix("\(SessionDirectory.prefix)\(getuid())-") {
          found.append(path)
        } else {
          waiting.append(path)
        }
      }
    }
    return found
  }

  private static func directories(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Nil for one whose recorder lives, or that is not ours.
  private static func tidy(_ path: String) -> AbandonedGroup? {
    let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else { return nil }
    defer { close(lock) }
    var facts = stat()
    guard fstat(lock, &facts) == 0, facts.st_uid == getuid(), cplatform_lock(lock) == 0 else {
      return nil
    }
    let parts = directories(in: path).map { path + "/" + $0 } + [path]
    let living = parts.flatMap { ControlGroup(path: $0).processes }
    guard living.isEmpty else {
      return AbandonedGroup(path: path, processes: living, isRemoved: false)
    }
    for part in parts.dropLast() { rmdir(part) }
    return AbandonedGroup(path: path, processes: [], isRemoved: rmdir(path) == 0)
  }
}
