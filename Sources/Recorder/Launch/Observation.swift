// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// What the library that `record --observe` puts before each process looks at.
///
///     var observation = Observation(library: try Observation.findLibrary())
///     observation.patterns = ["*.sqlite", "drafts/**"]
///
/// It is named in the environment of what is launched, and is inherited from there; a program of
/// which the kernel hides the environment (setuid), or that has no dynamic linker, is not observed.
package struct Observation: Sendable, Equatable {
  /// A folder whose files are looked at.
  package struct Folder: Sendable, Hashable {
    package var path: String
    /// The container as the scenario names it, with which the name of a lock in it begins.
    ///
    /// Nil for a folder that apps do not share.
    package var container: String?

    package init(_ path: String, container: String? = nil) {
      (self.path, self.container) = (path, container)
    }
  }

  /// The path of the library.
  package var library: String
  /// The folders whose files are looked at; paths in a recording begin below them.
  package var folders: [Folder] = []
  /// The globs of the files that are data objects.
  package var patterns: [String] = []

  /// Whether each call that changes a data file is a span of its own, at whose ends a process can end.
  package var tellsCalls = false

  package init(library: String) { self.library = library }

  /// The name of the library's file.
  package static let libraryName = "libLifetraceObserve.so"

  /// Where the library may stand: beside this program, or in the `lib` of its prefix.
  package static var places: [String] {
    let folder = Executable.folder
    return ["\(folder)/\(libraryName)", "\(folder)/../lib/\(libraryName)"]
  }

  /// The first of the ``places`` at which it stands; nil where it is missing.
  package static func findLibrary() -> String? {
    places.first { access($0, R_OK) == 0 }.flatMap { place in
      let real = realpath(place, nil)
      defer { free(real) }
      return real.map { String(cString: $0) }
    }
  }

  /// What the launched process finds in its environment.
  ///
  /// The library comes before those that the user has put there, and calls them.
  var variables: [(name: String, value: String)] {
    let others = environment("LD_PRELOAD").map { ":" + $0 } ?? ""
    return [("LD_PRELOAD", library + others), ("LIFETRACE_OBSERVE", text)]
  }

  /// A line each: `root PATH`, `shared PATH<tab>NAME`, `data GLOB`, `also GLOB` (the same files by
  /// another path), and who launches apps.
  private var text: String {
    var lines = ["recorder \(getpid())"]
    for folder in folders {
      // A program may have followed a link on its way there, or not.
      for path in Set([folder.path, Self.real(folder.path)]).sorted() {
        lines.append(folder.container.map { "shared \(path)\t\($0)" } ?? "root \(path)")
      }
    }
    if tellsCalls { lines.append("calls 1") }
    for pattern in patterns {
      let glob = Self.absolute(pattern)
      lines.append("data \(glob)")
      if let other = Self.resolved(glob) { lines.append("also \(other)") }
    }
    return lines.joined(separator: "\n")
  }

  /// `~/` is the user's home.
  private static func absolute(_ glob: String) -> String {
    guard glob.hasPrefix("~/"), let home = environment("HOME") else { return glob }
    return home + glob.dropFirst()
  }

  /// The same glob with the links in its folder followed, where there are any.
  private static func resolved(_ glob: String) -> String? {
    guard glob.hasPrefix("/") else { return nil }
    let plain = glob.prefix { $0 != "*" && $0 != "?" }
    guard let slash = plain.lastIndex(of: "/"), slash > plain.startIndex else { return nil }
    let folder = String(plain[..<slash])
    let place = real(folder)
    return place == folder ? nil : (place == "/" ? "" : place) + glob[slash...]
  }

  private static func real(_ path: String) -> String {
    let real = realpath(path, nil)
    defer { free(real) }
    return real.map { String(cString: $0) } ?? path
  }
}
