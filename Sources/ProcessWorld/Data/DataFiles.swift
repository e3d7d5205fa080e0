// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// The files that apps keep as their data, as they are now.
enum DataFiles {
  /// More files, and larger ones, are left out.
  private static let filesMax = 64
  private static let bytesMax = 1 << 20
  private static let foldersMax = 256

  /// Those below `folder` that a glob of `patterns` means, by their names there.
  static func read(below folder: String, _ patterns: [String]) -> [String: [UInt8]] {
    var out: [String: [UInt8]] = [:]
    var folders = [""]
    var next = 0
    while next < folders.count, out.count < filesMax {
      let place = folders[next]
      next += 1
      for name in namesInDirectory(folder + "/" + place) {
        let path = place + name
        var facts = stat()
        guard lstat(folder + "/" + path, &facts) == 0 else { continue }
        if facts.st_mode & S_IFMT == S_IFDIR, folders.count < foldersMax {
          folders.append(path + "/")
        } else if facts.st_mode & S_IFMT == S_IFREG, isMeant(path, name, patterns) {
          out[path] = SmallFile.bytesIfReadable(folder + "/" + path, bytesMax: bytesMax)
        }
      }
    }
    return out
  }

  /// As the observing library reads a glob: without a slash it is about names in any folder.
  private static func isMeant(_ path: String, _ name: String, _ patterns: [String]) -> Bool {
    patterns.contains { pattern in
      let isDeep = pattern.contains("**")
      return pattern.contains("/")
        ? fnmatch(pattern, path, isDeep ? 0 : FNM_PATHNAME) == 0 : fnmatch(pattern, name, 0) == 0
    }
  }
}
