// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// The files below a directory, by their names.
///
///     SourceIndex.files(below: ".")["Editor.swift"]      // ["./Sources/Notes/Editor.swift"]
///
/// Hidden folders, such as those of builds, and `node_modules` are not looked into; what is nearer to the
/// directory is looked at first.
package enum SourceIndex {
  /// Folders deeper than this are not searched.
  package static let depthMax = 12
  /// No more entries than this are looked at.
  package static let entriesMax = 50_000

  /// By name, the paths of files whose names have a dot; each begins with `directory`.
  ///
  /// Some microseconds an entry, and more where the disk has to be read.
  package static func files(
    below directory: String,
    entriesMax: Int = entriesMax
  ) -> [String: [String]] {
    var found: [String: [String]] = [:]
    var folders = [(path: directory, depth: 0)]
    var next = 0
    var seen = 0
    while next < folders.count, seen < entriesMax {
      let (path, depth) = folders[next]
      next += 1
      guard let handle = opendir(path) else { continue }
      defer { closedir(handle) }
      while let entry = readdir(handle), seen < entriesMax {
        seen += 1
        let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(".") || name == "node_modules" { continue }
        if isFolder, depth < depthMax {
          folders.append((path + "/" + name, depth + 1))
        } else if name.contains(".") {
          found[name, default: []].append(path + "/" + name)
        }
      }
    }
    return found
  }

  /// The nearest folder from `directory` on upward that holds one of `names`, or nil.
  package static func folder(with names: [String], from directory: String) -> String? {
    var folder = directory
    for _ in 0...depthMax {
      if names.contains(where: { access(folder + "/" + $0, F_OK) == 0 }) { return folder }
      folder += "/.."
    }
    return nil
  }
}
