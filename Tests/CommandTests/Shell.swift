// SPDX-License-Identifier: Apache-2.0
import Support

/// Runs lines of shell; their output and errors together.
///
/// `lifetrace` is the built one, and so are those that `$lt`, `$emitter` and `$notes` name. The
/// sessions of recordings are in `folder` too.
func shell(_ lines: String, in folder: TestFolder? = nil) -> (status: Int32, output: String) {
  let products = BuiltBinary.path.dropLast("/lifetrace".count)
  let place = folder.map { TerminalSession.quoted($0.path) }
  let surroundings = place.map { "export XDG_RUNTIME_DIR=\($0) TMPDIR=\($0)" }
  return TerminalSession.shell(
    """
    exec 2>&1; cd \(place ?? "/") || exit 99
    \(surroundings ?? "")
    lt=\(TerminalSession.quoted(BuiltBinary.path))
    emitter=\(TerminalSession.quoted(products + "/Emitter"))
    notes=\(TerminalSession.quoted(products + "/notes"))
    lifetrace() { "$lt" "$@"; }
    until_there() { while [ ! -e "$1" ]; do sleep 0.02; done; }
    \(lines)
    """
  )
}
