// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetracePlatform

/// The recordings that the words of a command line name: files, folders, and patterns that the shell has
/// left as they are.
///
///     lifetrace check nightly 'farm/*/phone*.lifetrace' last.lifetrace
///
/// A folder stands for all in it and below it whose names end in `.lifetrace`, by their names; what is
/// hidden is passed over, and so are links to folders, which may lead back. A word that names nothing stays
/// as it is: who opens it says what is wrong.
enum RecordingNames {
  /// How a recording in a folder ends.
  private static let ending = ".lifetrace"
  /// Folders in folders are looked into so deep.
  private static let depthMax = 16
  /// More files than this are not looked for in a folder.
  private static let filesMax = 1 << 16

  /// Each file once, in the order of `words`.
  static func files(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.flatMap(files).filter { seen.insert($0).inserted }
  }

  /// Whether this is a folder that holds no recording.
  static func isFolderWithout(_ path: String) -> Bool { isFolder(path) && below(path).isEmpty }

  private static func files(_ word: String) -> [String] {
    if access(word, F_OK) != 0, word.contains(where: { "*?[".contains($0) }) {
      let fitting = matches(word)
      return fitting.isEmpty ? [word] : fitting.flatMap(filesOrSelf)
    }
    return filesOrSelf(word)
  }

  private static func filesOrSelf(_ path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    let files = below(path)
    return files.isEmpty ? [path] : files
  }

  /// The names that fit a pattern, sorted.
  private static func matches(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  private static func isLink(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }

  private static func below(_ folder: String) -> [String] {
    var files: [String] = []
    add(folder, depth: 0, to: &files)
    return files
  }

  private static func add(_ folder: String, depth: Int, to files: inout [String]) {
    let stem = folder.hasSuffix("/") ? folder : folder + "/"
    for name in namesInDirectory(folder) where !name.hasPrefix(".") {
      guard files.count < filesMax else { return }
      let path = stem + name
      if isFolder(path) {
        if depth < depthMax, !isLink(path) { add(path, depth: depth + 1, to: &files) }
      } else if name.hasSuffix(ending) {
        files.append(path)
      }
    }
  }
}
