// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform

/// `errno` of the call before, as a typed error.
func systemError(_ action: String, _ subject: String) -> RecorderError {
  .system(action: action, subject: subject, errno: errno)
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
