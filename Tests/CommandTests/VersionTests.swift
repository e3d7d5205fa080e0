// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetracePlatform
import Support
import TestThreads
import Testing

/// What a release records is read for ever: each has left a recording, and every later one reads it.
@Suite(.waits) struct VersionTests {
  private static var releases: String { "\(Golden.root)/Traces/vectors/releases" }

  @Test func thisVersionHasLeftARecording() throws {
    let version = shell("lifetrace --version").output.dropLast()
    #expect(
      access("\(Self.releases)/\(version).lifetrace", R_OK) == 0,
      """
      Traces/vectors/releases/\(version).lifetrace is missing; the program of the release makes it: \
      lifetrace demo -o DIR, then DIR/lost.lifetrace
      """
    )
  }

  /// The recordings say today what they said on their day: the edit that was lost, and its line.
  @Test(arguments: namesInDirectory(releases).filter { $0.hasSuffix(".lifetrace") })
  func itIsReadAndJudged(_ name: String) throws {
    let folder = try TestFolder()
    let file = TerminalSession.quoted("\(Self.releases)/\(name)")
    #expect(shell("lifetrace verify \(file)", in: folder).status == 0)
    let check = shell("lifetrace check \(file)", in: folder)
    #expect(check.status == 1)
    #expect(check.output.contains("draft.txt lost version 1 ("), "\(check.output)")
    #expect(check.output.contains("cause: NotesCore/Editor.swift:"), "\(check.output)")
  }
}
