// SPDX-License-Identifier: Apache-2.0

import Glibc

/// `errno` of the call before, as a typed error.
func systemError(_ action: String, _ subject: String) -> RecorderError {
  .system(action: action, subject: subject, errno: errno)
}

/// The words of the operating system for an error number.
package func errnoText(_ number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  return String(cString: text)
}

/// The whole content of a small file, or nil; proc files have no size, so it reads to the end.
package func readSmallFile(_ path: String, bytesMax: Int = 1 << 20) -> [UInt8]? {
  let fd = open(path, O_RDONLY | O_CLOEXEC)
  guard fd >= 0 else { return nil }
  defer { close(fd) }
  var content: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16_384)
  while content.count < bytesMax {
    let count = read(fd, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { break }
    content.append(contentsOf: buffer[0..<count])
  }
  return content
}

/// Copies a file to a new one; a half copy is taken away again.
func copyFile(_ path: String, to new: String) throws(RecorderError) {
  let from = open(path, O_RDONLY | O_CLOEXEC)
  guard from >= 0 else { throw systemError("read", path) }
  defer { close(from) }
  let to = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
  guard to >= 0 else { throw systemError("create", new) }
  defer { close(to) }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(from, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return try giveUp("read", path) }
    if count == 0 { return }
    var done = 0
    while done < count {
      let put = buffer.withUnsafeBytes { write(to, $0.baseAddress.map { $0 + done }, count - done) }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { return try giveUp("write", new) }
      done += put
    }
  }

  func giveUp(_ action: String, _ subject: String) throws(RecorderError) {
    let error = systemError(action, subject)
    unlink(new)
    throw error
  }
}

/// The same as text, without the line break at its end.
package func readSmallText(_ path: String) -> String? {
  guard var bytes = readSmallFile(path) else { return nil }
  while bytes.last == 10 { bytes.removeLast() }
  return String(decoding: bytes, as: UTF8.self)
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

/// Writes all of `bytes`.
func writeAll(_ fd: Int32, _ bytes: [UInt8]) -> Bool {
  var offset = 0
  while offset < bytes.count {
    let count = bytes.withUnsafeBytes {
      write(fd, $0.baseAddress.map { $0 + offset }, $0.count - offset)
    }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    offset += count
  }
  return true
}

/// A path that stays true when the working directory changes.
package func absolutePath(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  guard let directory = getcwd(nil, 0) else { return path }
  defer { free(directory) }
  return String(cString: directory) + "/" + path
}
