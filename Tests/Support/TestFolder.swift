// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import LifetracePlatform

/// A folder of one test, gone with all that is in it when nobody holds it any more.
///
///     let folder = try TestFolder()
///     let path = try folder.write("launch", to: "life.yml")
public final class TestFolder: Sendable {
  /// Its path.
  public let path: String

  /// A new one among the temporary files.
  public init() throws {
    var template = Array("\(TestProgram.temporary)/lifetrace-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw TestFile.Failure("mkdtemp", errno) }
    path = String(cString: made)
  }

  deinit { cplatform_remove_tree(path) }

  /// The names in it, sorted.
  public var names: [String] { namesInDirectory(path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file; its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try TestFile.write(bytes, to: file(name))
    return file(name)
  }

  /// Writes a file of text; its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// All bytes of a file in it.
  public func read(_ name: String) throws -> [UInt8] { try TestFile.read(file(name)) }
}

/// Files of tests: whole, or an error.
public enum TestFile {
  /// What could not be done, and why.
  public struct Failure: Error, CustomStringConvertible {
    /// One sentence.
    public let description: String

    init(_ what: String, _ code: Int32) { description = "\(what): \(errnoText(code))" }
  }

  /// Larger files are an error.
  public static let bytesMax = 1 << 30

  /// All bytes of a file.
  public static func read(_ path: String) throws -> [UInt8] {
    try SmallFile.bytes(of: path, bytesMax: bytesMax)
  }

  /// Makes a file, or replaces what is in one.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(path, errno) }
    defer { close(descriptor) }
    let problem = Descriptor.write(bytes, to: descriptor)
    guard problem == 0 else { throw Failure(path, problem) }
  }

  /// Makes a file of text, or replaces what is in one.
  public static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }
}
