// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The files that an app has in the folder for its data, as they were when it was looked at.
///
///     let left = LeftFiles(below: folder)
///     left.files["draft.txt"]?.content
///
/// Costs a read of each; more files, larger ones and more folders than the limits are left out.
package struct LeftFiles: Sendable {
  /// One of them.
  package struct File: Sendable, Hashable {
    /// Its size in bytes.
    package var bytes: UInt64
    /// Nil where it is larger than is read, or cannot be.
    package var content: [UInt8]?
  }

  /// By their paths below the folder.
  package private(set) var files: [String: File] = [:]
  /// Whether there were more than were looked at: one that is not here may be there all the same.
  package private(set) var isCut = false

  package static let filesMax = 64
  package static let bytesMax = 1 << 20
  package static let foldersMax = 256

  /// Those below `folder`.
  package init(below folder: String) {
    var folders = [""]
    var next = 0
    while next < folders.count {
      let place = folders[next]
      next += 1
      for name in namesInDirectory(folder + "/" + place) {
        let path = place + name
        var facts = stat()
        guard lstat(folder + "/" + path, &facts) == 0 else { continue }
        switch facts.st_mode & S_IFMT {
        case S_IFDIR where folders.count < Self.foldersMax: folders.append(path + "/")
        case S_IFREG where files.count < Self.filesMax:
          files[path] = File(
            bytes: UInt64(max(0, facts.st_size)),
            content: SmallFile.bytesIfReadable(folder + "/" + path, bytesMax: Self.bytesMax)
          )
        case S_IFDIR, S_IFREG: isCut = true
        default: break
        }
      }
    }
  }
}
