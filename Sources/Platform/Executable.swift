// SPDX-License-Identifier: Apache-2.0

/// The program that this process runs.
package enum Executable {
  /// Its absolute path; empty where `/proc` does not say.
  package static var path: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink("/proc/self/exe", start, buffer.count)
      return String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The directory it is in, without a slash at the end.
  package static var folder: String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }

  /// Where a shell would find the program `name`; nil where it would not.
  package static func find(_ name: String) -> String? {
    (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }
}
