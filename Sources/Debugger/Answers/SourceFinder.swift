// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace

/// Finds the line of text that an event points at.
///
/// A site says `Notes/Editor.swift`: the module, not the folder. So the file is looked for by its
/// name under the source directory; of several, the one whose path has most in common with the site
/// wins. Where no directory was set and the current one has no such file, the whole package around
/// it is searched.
final class SourceFinder {
  /// Folders deeper than this are not searched.
  static let depthMax = 8
  /// No more entries than this are looked at.
  static let entriesMax = 20_000
  /// Larger files are not opened.
  static let fileBytesMax = 4 << 20

  /// Where to look; the current directory unless set.
  var directory = "." {
    didSet {
      pathsOfName = nil
      linesOfFile = [:]
      isChosen = true
    }
  }
  private var isChosen = false
  private var hasTold = false
  private var pathsOfName: [String: [String]]?
  private var linesOfFile: [String: [String]] = [:]

  /// The text of a line, or nil where the file cannot be found.
  func line(_ number: UInt32, of file: String) -> String? {
    guard number > 0, !file.isEmpty else { return nil }
    let lines = self.lines(of: file)
    guard Int(number) <= lines.count else { return nil }
    return lines[Int(number) - 1]
  }

  /// Where `file` cannot be found: a line that says so, the first time.
  func absence(of file: String) -> String? {
    guard !hasTold, !file.isEmpty, lines(of: file).isEmpty else { return nil }
    hasTold = true
    return "\(Printable.line(file)) is not found here; set source-dir says where sources are."
  }

  private func lines(of file: String) -> [String] {
    if let known = linesOfFile[file] { return known }
    let found = path(of: file).flatMap(Self.read) ?? []
    linesOfFile[file] = found
    return found
  }

  private func path(of file: String) -> String? {
    let wanted = file.split(separator: "/").map(String.init)
    guard let name = wanted.last else { return nil }
    var index = pathsOfName ?? walk(directory)
    if index[name] == nil, !isChosen, let package = Self.package(around: directory) {
      isChosen = true
      index = walk(package)
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
    var folder = directory
    for _ in 0..<depthMax {
      folder += "/.."
      if ["Package.swift", ".git"].contains(where: { access(folder + "/" + $0, F_OK) == 0 }) {
        return folder
      }
    }
    return nil
  }

  private func walk(_ directory: String) -> [String: [String]] {
    var found: [String: [String]] = [:]
    var waiting = [(path: directory, depth: 0)]
    var seen = 0
    while let (path, depth) = waiting.popLast(), seen < Self.entriesMax {
      guard let handle = opendir(path) else { continue }
      defer { closedir(handle) }
      while let entry = readdir(handle), seen < Self.entriesMax {
        seen += 1
        let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(".") || name == "node_modules" { continue }
        if isFolder, depth < Self.depthMax {
          waiting.append((path + "/" + name, depth + 1))
        } else if name.contains(".") {
          found[name, default: []].append(path + "/" + name)
        }
      }
    }
    return found
  }

  private static func read(_ path: String) -> [String]? {
    (try? SmallFile.text(of: path, bytesMax: fileBytesMax))?
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
