// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform

/// Where a trace is written that a user has named.
package enum TracePath {
  private static let linksMax = 40

  /// The file behind the symbolic links at `path`, or where a new one is to be made.
  ///
  /// A link stays a link: the file that it leads to is replaced. A path that is no file is refused:
  /// a device, a pipe, a directory. So is a link of `/proc`, which `/dev/stdout` is in the end: it
  /// names a file that a process has open, and a new file in its place would be another one.
  package static func resolve(_ path: String) throws(TraceFileError) -> String {
    var place = path
    for _ in 0..<linksMax {
      var facts = stat()
      guard lstat(place, &facts) == 0 else {
        if place != path, errno == ENOENT { throw TraceFileError(path, .danglingLink(to: place)) }
        return place
      }
      guard facts.st_mode & S_IFMT == S_IFLNK else {
        if let what = FileKind(facts.st_mode).problem {
          throw TraceFileError(path, .notAFile(what))
        }
        return place
      }
      place = try target(of: place, path)
    }
    throw TraceFileError(path, .io(operation: "follow its symbolic links", code: ELOOP))
  }

  private static func target(of link: String, _ path: String) throws(TraceFileError) -> String {
    let directory = link.lastIndex(of: "/").map { String(link[...$0]) } ?? "./"
    if let real = realpath(directory, nil) {
      defer { free(real) }
      if String(cString: real).hasPrefix("/proc/") {
        throw TraceFileError(path, .notAFile("what a process has open"))
      }
    }
    guard let target = target(ofLink: link) else {
      throw TraceFileError(path, .io(operation: "follow its symbolic links", code: errno))
    }
    return target.hasPrefix("/") ? target : directory + target
  }

  /// Makes a name in the folder of `path` survive a power cut.
  package static func synchronizeFolder(of path: String) throws(TraceFileError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let descriptor = open(folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TraceFileError(folder ?? ".", .io(operation: "open it", code: errno))
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw TraceFileError(folder ?? ".", .io(operation: "sync it", code: errno))
    }
  }

  /// What a symbolic link says.
  static func target(ofLink link: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
