// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform

/// What sort of thing stands at a path: only a plain file holds a trace.
struct FileKind {
  /// What it is instead of a plain file, with its article; nil for a plain file.
  let problem: String?

  /// By the mode that `stat` reports.
  init(_ mode: mode_t) {
    problem =
      switch mode & S_IFMT {
      case S_IFREG: nil
      case S_IFDIR: "a directory"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
  }

  /// The kind of the file at `path`, behind links; no problem where nothing is known.
  init(at path: String) {
    var facts = stat()
    self.init(stat(path, &facts) == 0 ? facts.st_mode : S_IFREG)
  }
}
