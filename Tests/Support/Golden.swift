// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Golden files: what the program printed when somebody last read it and agreed.
///
///     #expect(Golden.difference(text, "Traces/DS02-broken/replay.txt") == nil)
///
/// A missing file is written, and the test fails saying so. `Scripts/bless.sh` rewrites all.
public enum Golden {
  /// Nil when the file holds `text`; else what is different, with the first such line.
  public static func difference(_ text: String, _ path: String) -> String? {
    let full = root + "/" + path
    guard getenv("LIFETRACE_BLESS") == nil else {
      return write(text, full) ? nil : "\(path) could not be written"
    }
    guard let known = read(full) else {
      let outcome = write(text, full) ? "it was written, read it" : "and could not be written"
      return "\(path) was missing; \(outcome)"
    }
    guard known != text else { return nil }
    let (old, new) = (lines(known), lines(text))
    let first = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let line = first ?? min(old.count, new.count)
    return """
      \(path):\(line + 1) differs; to agree: Scripts/bless.sh
        expected: \(line < old.count ? old[line] : "(nothing)")
        found:    \(line < new.count ? new[line] : "(nothing)")
      """
  }

  /// The files of `Traces/`, one folder a story, that have a file of this name.
  public static func stories(with file: String) -> [String] {
    guard let folder = opendir(root + "/Traces") else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if access("\(root)/Traces/\(name)/\(file)", R_OK) == 0 { found.append("Traces/\(name)") }
    }
    return found.sorted()
  }

  /// The rules that a story shows: the one that its folder is named for, with those of a first line
  /// `# with: DL02, DS01`; as `check --rules` takes them.
  public static func rules(of folder: String, _ story: String) -> String {
    let own = folder.dropFirst("Traces/".count).prefix { $0 != "-" }
    let first = story.prefix { $0 != "\n" }
    let with = first.hasPrefix("# with: ") ? "," + first.dropFirst("# with: ".count) : ""
    return (own + with).replacing(" ", with: "")
  }

  /// The text of a file of the repository; nil where there is none.
  public static func text(_ path: String) -> String? { read(root + "/" + path) }

  /// The repository: three folders above this file.
  public static let root: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func read(_ path: String) -> String? {
    (try? TestFile.read(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func write(_ text: String, _ path: String) -> Bool {
    (try? TestFile.write(text, to: path)) != nil
  }
}
