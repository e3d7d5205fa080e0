// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace
package import LifetraceWords

/// The working tree in which the places of a recording are found again, for programs that go there.
///
///     SourceTree(around: ".").find(SourcePlace(file: "Notes/Editor.swift", line: 41))
///     // .found("Sources/Notes/Editor.swift", line: 41)
///
/// A compiler writes `Notes/Editor.swift` for the file of that name in the module `Notes`, wherever
/// it stands. A file is named only where it is there, and where no other one could be meant: whoever
/// is sent to a wrong line believes nothing any more. A person who reads gets the best guess
/// elsewhere (`replay`).
///
/// It belongs to the thread that writes a report.
package final class SourceTree {
  /// Where a place is in the tree.
  package enum Found: Hashable {
    /// The file, from the root of the tree; without a line where the file has fewer lines.
    case found(String, line: UInt32?)
    /// More than one file could be meant.
    case ambiguous([String])
    /// No file there fits.
    case missing
  }

  /// Larger files are not opened to look at a line.
  static let fileBytesMax = 4 << 20

  /// The folder that paths are counted from.
  package let root: String
  /// Empty where the root is that of the whole system: that is no working tree.
  private lazy var index = isSystem ? [:] : SourceIndex.files(below: root)
  private lazy var manifests = (index["Package.swift"] ?? []).compactMap {
    try? SmallFile.text(of: $0)
  }
  private var known: [String: Found] = [:]
  private var lines: [String: [Substring]] = [:]

  /// The repository around `directory`, else the package around it, else the directory itself.
  package init(around directory: String) {
    root =
      SourceIndex.folder(with: [".git"], from: directory)
      ?? SourceIndex.folder(with: ["Package.swift"], from: directory) ?? directory
  }

  private var isSystem: Bool {
    guard let path = realpath(root, nil) else { return false }
    defer { free(path) }
    return String(cString: path) == "/"
  }

  /// Where `place` is.
  package func find(_ place: SourcePlace) -> Found {
    let file = known[place.file] ?? look(for: place.file)
    known[place.file] = file
    guard case .found(let path, _) = file else { return file }
    let isThere = place.line > 0 && place.line <= lines(of: path).count
    return .found(path, line: isThere ? place.line : nil)
  }

  /// The text of a line of a file of the tree, without the blanks around it.
  package func text(_ line: UInt32, of path: String) -> String? {
    let lines = lines(of: path)
    guard line > 0, Int(line) <= lines.count else { return nil }
    let words = lines[Int(line) - 1].split { $0 == " " || $0 == "\t" || $0 == "\r" }
    return words.joined(separator: " ")
  }

  private func lines(of path: String) -> [Substring] {
    if let known = lines[path] { return known }
    let text = try? SmallFile.text(of: root + "/" + path, bytesMax: Self.fileBytesMax)
    let found = text?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    lines[path] = found
    return found
  }

  private func look(for file: String) -> Found {
    let wanted = file.split(separator: "/").map(String.init)
    guard let name = wanted.last, !wanted.contains("..") else { return .missing }
    let all = (index[name] ?? []).map { String($0.dropFirst(root.count + 1)) }
    guard !all.isEmpty else { return .missing }
    let isModule = name.hasSuffix(".swift") && wanted.count == 2 && !file.hasPrefix("/")
    let fitting =
      isModule ? those(of: wanted[0], among: all) : Self.those(ending: wanted, among: all)
    switch fitting.count {
    case 0: return .missing
    case 1: return .found(fitting[0], line: nil)
    default: return .ambiguous(fitting.sorted())
    }
  }

  /// The files that the module could have: by the folders that packages have for it, else by any
  /// folder of its name, else the only file of the name in a package that speaks of the module.
  private func those(of module: String, among all: [String]) -> [String] {
    let folders = ["Sources", "Tests", "Plugins"].map { "/\($0)/\(module)/" }
    let usual = all.filter { path in folders.contains { ("/" + path).contains($0) } }
    if !usual.isEmpty { return usual }
    let named = all.filter { path in
      path.split(separator: "/").dropLast().contains { $0.lowercased() == module.lowercased() }
    }
    if !named.isEmpty { return named }
    let isSpokenOf = manifests.contains { $0.contains("\"\(module)\"") }
    return all.count > 1 || isSpokenOf ? all : []
  }

  /// Those that have the end of a path in common with `wanted`, the most of it.
  ///
  /// The path of another machine's checkout needs more than the name for that.
  private static func those(ending wanted: [String], among all: [String]) -> [String] {
    func common(_ path: String) -> Int {
      let parts = path.split(separator: "/").map(String.init).reversed()
      return zip(parts, wanted.reversed()).prefix { $0 == $1 }.count
    }
    let most = all.map(common).max() ?? 0
    return most < min(2, wanted.count) ? [] : all.filter { common($0) == most }
  }
}
