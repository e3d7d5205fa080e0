// SPDX-License-Identifier: Apache-2.0

/// The value of an environment variable, nil where it is missing or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// The names in a directory, without `.` and `..`, sorted; empty when it cannot be read.
package func namesInDirectory(_ path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// A path that stays true when the working directory changes.
package func absolutePath(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  guard let directory = getcwd(nil, 0) else { return path }
  defer { free(directory) }
  return String(cString: directory) + "/" + path
}
