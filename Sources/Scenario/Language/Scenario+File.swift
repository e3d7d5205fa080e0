// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace

extension Scenario {
  /// Larger files are refused.
  static let fileBytesMax = 8 << 20

  /// Reads and checks the file at `path`.
  public init(contentsOf path: String) throws {
    try self.init(parsing: Self.text(of: path), file: path)
  }

  /// Everything that is wrong with the file at `path`.
  ///
  /// - Throws: When it cannot be read.
  public static func problems(inFile path: String) throws(HostError) -> [ScenarioProblem] {
    problems(in: try text(of: path))
  }

  /// The contents of a file that a person has written.
  package static func text(of path: String) throws(HostError) -> String {
    do throws(SmallFile.Failure) {
      return try SmallFile.text(of: path, bytesMax: fileBytesMax)
    } catch {
      throw HostError(Printable.line(error.description))
    }
  }
}
