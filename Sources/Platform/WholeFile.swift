// SPDX-License-Identifier: Apache-2.0

/// Writing a small file: whole, or not at all.
///
///     let code = WholeFile.write(text, to: "notes.md", replaces: false)      // EEXIST: it is there
package enum WholeFile {
  /// Writes a text; the error that kept it from that, or 0.
  ///
  /// What stood there stays on an error.
  /// With `replaces` a file that is there gives way to a new one with its permissions, which is
  /// written beside it; a link stays one. Else it is `EEXIST`.
  package static func write(_ text: String, to path: String, replaces: Bool) -> Int32 {
    var old = stat()
    let isThere = stat(path, &old) == 0
    if isThere, !replaces { return EEXIST }
    if isThere, old.st_mode & S_IFMT != S_IFREG { return EINVAL }
    var place = path
    if isThere {
      guard let real = realpath(path, nil) else { return errno }
      place = String(cString: real)
      free(real)
    }
    let draft = isThere ? "\(place).\(getpid()).new" : place
    if isThere { unlink(draft) }
    let output = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard output >= 0 else { return errno }
    if isThere { fchmod(output, old.st_mode & 0o7777) }
    var code = Descriptor.write(text, to: output)
    if code == 0, fdatasync(output) != 0 { code = errno }
    close(output)
    if code == 0, isThere, rename(draft, place) != 0 { code = errno }
    if code != 0 { unlink(draft) }
    return code
  }
}
