// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A place in the source, `Notes/Editor.swift:41`, as the call site in a recording names it.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// The file's path, as it was given to the compiler.
  public var file: String
  /// From 1; 0 for unknown.
  public var line: UInt32

  /// A place in a source file.
  public init(file: String, line: UInt32) {
    self.file = file
    self.line = line
  }

  /// Where `site` is; nil where the recording does not say.
  public init?(_ site: SiteID, _ names: borrowing Names) {
    let site = names[site]
    guard site.file != .empty else { return nil }
    self.init(file: names[site.file], line: site.line)
  }

  /// The file with its folders, and the line if there is one.
  public var description: String { line == 0 ? file : "\(file):\(line)" }

  /// The same without the folders.
  package var short: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return "\(SourcePlace(file: name, line: line))"
  }
}
