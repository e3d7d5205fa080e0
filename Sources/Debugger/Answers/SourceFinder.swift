// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceReports
import LifetraceTrace

/// Finds the line of text that an event points at.
///
/// A site says `Notes/Editor.swift`: the module, not the folder. So the file is looked for by its
/// name under the source directory; of several, the one whose path has most in common with the site
/// wins. Where no directory was set and the current one has no such file, the whole package around
/// it is searched.
final class SourceFinder {
  /// Larger files are not opened.
  static let fileBytesMax = 4 << 20

  /// Where to look; the current directory unless set.
  var directory = "." {
    didSet {
      pathsOfName = nil
      linesOfFile = [:]
      writtenAt = [:]
      isChosen = true
    }
  }
  private var isChosen = false
  private var hasTold = false
  private var pathsOfName: [String: [String]]?
  private var linesOfFile: [String: [String]] = [:]
  private var writtenAt: [String: Int64] = [:]

  /// The text of a line, or nil where the file cannot be found.
  func line(_ number: UInt32, of file: String) -> String? {
    guard number > 0, !file.isEmpty else { return nil }
    let lines = self.lines(of: file)
    guard Int(number) <= lines.count else { return nil }
    return lines[Int(number) - 1]
  }

  /// When the text of `file` was written last, in nanoseconds since 1970; nil where it is not found.
  func writeTime(of file: String) -> Int64? {
    lines(of: file).isEmpty ? nil : writtenAt[file]
  }

  /// Where `file` cannot be found: a line that says so, the first time.
  func absence(of file: String) -> String? {
    guard !hasTold, !file.isEmpty, lines(of: file).isEmpty else { return nil }
    hasTold = true
    return "\(Printable.line(file)) is not found here; set source-dir says where sources are."
  }

  private func lines(of file: String) -> [String] {
    if let known = linesOfFile[file] { return known }
    guard let path = path(of: file), let found = Self.read(path) else {
      linesOfFile[file] = []
      return []
    }
    linesOfFile[file] = found
    var facts = stat()
    if stat(path, &facts) == 0 {
      writtenAt[file] = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
    }
    return found
  }

  /// Where the file is; nil where it is not found.
  func path(of file: String) -> String? {
    let wanted = file.split(separator: "/").map(String.init)
    guard let name = wanted.last else { return nil }
    var index = pathsOfName ?? SourceIndex.files(below: directory)
    if index[name] == nil, !isChosen, let package = Self.package(around: directory) {
      isChosen = true
      index = SourceIndex.files(below: package)
    }
    pathsOfName = index
    func common(_ path: String) -> Int {
      let parts = Set(path.split(separator: "/").map(String.init))
      return wanted.filter(parts.contains).count
    }
    return index[name]?.max { (common($0), -$0.count) < (common($1), -$1.count) }
  }

  /// The nearest folder above that is the root of a package or a repository, as a relative path.
  private static func package(around directory: String) -> String? {
    SourceIndex.folder(with: ["Package.swift", ".git"], from: directory + "/..")
  }

  private static func read(_ path: String) -> [String]? {
    (try? SmallFile.text(of: path, bytesMax: fileBytesMax))?
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
