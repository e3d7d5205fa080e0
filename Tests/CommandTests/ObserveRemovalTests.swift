// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// A file that another process has removed: who makes it anew writes over nothing.
@Suite(.waits) struct ObserveRemovalTests {
  /// Writes a word into a file, behind what stands there where it is told so.
  private static let edit = """
    import sys
    before = ''
    if sys.argv[1] == 'append':
      with open('note.txt') as file: before = file.read()
    if sys.argv[1] == 'look':
      try: open('note.txt')
      except FileNotFoundError: pass
    with open('note.txt', 'w') as file: file.write(before + sys.argv[2])
    """

  /// A lock by a link, which fails where the name is taken, by a process, its child, and again.
  private static let dotLock = """
    import os
    def lock():
      name = 'mine%d' % os.getpid()
      open(name, 'w').close()
      os.link(name, 'lock.txt')
      os.unlink('lock.txt')
    lock()
    child = os.fork()
    lock() if child == 0 else os.waitpid(child, 0)
    if child != 0: lock()
    """

  private func check(_ script: String) throws -> (status: Int32, output: String) {
    let folder = try TestFolder()
    try folder.write("data: [\"*.txt\"]\n", to: "lifetrace.yml")
    try folder.write(Self.edit, to: "edit.py")
    try folder.write(Self.dotLock, to: "lock.py")
    let made = shell("lifetrace record --observe -o t -- sh -c '\(script)' 2>&1", in: folder)
    #expect(made.status == 0, "\(made.output)")
    return shell("lifetrace check t", in: folder)
  }

  private static let edits = ["put a", "append b", "append c"].map { "python3 edit.py \($0)" }

  @Test(arguments: ["rm note.txt", "mv note.txt aside"])
  func whoMakesItAnewWritesOverNothing(remove: String) throws {
    let life = (Self.edits + [remove, "python3 edit.py put d"]).joined(separator: "; ")
    let checked = try check(life)
    #expect(checked.status == 0, "\(checked.output)")
    #expect(!checked.output.contains("DS12"), "\(checked.output)")
  }

  /// What has taken the file nobody has seen, as where a power cut does: the launch has looked, and found
  /// nothing.
  @Test func whatIsGoneIsWrittenOverByNobody() throws {
    let life = (Self.edits + ["env -u LD_PRELOAD rm note.txt", "python3 edit.py look d"]).joined(
      separator: "; "
    )
    let checked = try check(life)
    #expect(!checked.output.contains("written over"), "\(checked.output)")
  }

  /// The same without the removal, so that the other test tries something.
  @Test func whatStandsThereIsWrittenOver() throws {
    let life = (Self.edits + ["python3 edit.py put d"]).joined(separator: "; ")
    #expect(try check(life).output.contains("DS12"))
  }

  @Test func aLinkReplacesNothing() throws {
    let checked = try check("python3 lock.py")
    #expect(checked.status == 0, "\(checked.output)")
    #expect(!checked.output.contains("DS12"), "\(checked.output)")
  }
}
