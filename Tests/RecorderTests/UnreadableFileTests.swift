// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import Testing

@testable import LifetraceRecorder

/// What a successor makes of a file of the session that it cannot read.
@Suite struct UnreadableFileTests {
  @Test func numbersOfSecretsAreNotGivenAgain() throws {
    let folder = try TestFolder()
    for secret in ["one", "two"] { try SecretsFile(in: folder.path).keep(secret) }
    #expect(try SecretsFile(in: folder.path).known == ["one", "two"])
    // A torn entry is cut off, and nothing but that.
    try folder.write(folder.read("redacted") + Array("9 th".utf8), to: "redacted")
    try SecretsFile(in: folder.path).keep("three")
    #expect(try SecretsFile(in: folder.path).known == ["one", "two", "three"])

    unlink(folder.file("redacted"))
    mkdir(folder.file("redacted"), 0o700)
    let error = #expect(throws: RecorderError.self) { try SecretsFile(in: folder.path) }
    #expect(error?.description.contains("Is a directory") == true, "\(String(describing: error))")
  }

  @Test func whatWasToldIsNotThrownAway() throws {
    let folder = try TestFolder()
    // Larger than such a file can be.
    let path = try folder.write([], to: "told-1")
    #expect(truncate(path, 65 << 20) == 0)
    #expect(SubmissionJournal(in: folder.path).takeOver().isEmpty)
    #expect(folder.names == ["told-1"])
    #expect(truncate(path, 0) == 0)
    #expect(SubmissionJournal(in: folder.path).takeOver().isEmpty)
    #expect(folder.names == [])
  }
}
