// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Glibc
import Lifetrace
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace

private struct Refused: Error {}

@Suite struct SaveTests {
  @Test func saveIsFlushingThenDurable() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    let simulation = Simulation()
    let draft = Lifetrace.Object("draft.txt")
    try simulation.run {
      draft.dirty(bytes: 4)
      draft.dirty(bytes: 5)
      try Lifetrace.save(draft, to: path) { "hello".utf8 }
    }
    #expect(simulation.kinds == [.dataDirty, .dataDirty, .dataFlushing, .dataDurable])
    let durable = try #require(simulation.events.last)
    #expect(durable.identity == UInt64(draft.name.id))
    #expect(durable.arg.0 == 2)
    #expect(durable.arg.1 == UInt64(DurabilityLevel.disk.rawValue))
    #expect(durable.arg.2 == 5)
    #expect(durable.arg.3 == Array("hello".utf8).withUnsafeBytes { Lifetrace.hash($0) })
    #expect(TestSession.list(directory.path) == ["draft.txt"], "nothing temporary is left")
  }

  @Test func relaunchFindsTheVersionThatWasSaved() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    let draft = Lifetrace.Object("draft.txt")
    let first = Simulation()
    try first.run {
      for _ in 1...3 { draft.dirty(bytes: 1) }
      try Lifetrace.save(draft, to: path, level: .kernel) { [1, 2, 3] }
    }
    let second = Simulation()
    try second.run {
      #expect(draft.version == 0, "memory is gone")
      let found = try #require(try Lifetrace.restore(draft, from: path))
      #expect(found.bytes == [1, 2, 3])
      #expect(found.version == 3)
      #expect(draft.dirty(bytes: 1) == 4, "versions go on")
    }
    let durable = try #require(first.events.last)
    let restored = try #require(second.events.first)
    #expect(durable.arg.1 == UInt64(DurabilityLevel.kernel.rawValue))
    #expect(second.kinds == [.dataRestored, .dataDirty])
    #expect(restored.arg.0 == 3 && restored.arg.1 == 3 && restored.arg.2 == durable.arg.3)
  }

  @Test func aSaveThatReplacesWhatItHasNotReadSaysSo() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    let draft = Lifetrace.Object("draft.txt")
    let first = Simulation()
    try first.run {
      for _ in 1...3 { draft.dirty(bytes: 1) }
      try Lifetrace.save(draft, to: path) { [1, 2, 3] }
      try Lifetrace.save(draft, to: path) { [1, 2, 3] }
    }
    let flushes = { (simulation: Simulation) in
      simulation.events.filter { EventKind(rawValue: $0.kind) == .dataFlushing }
    }
    #expect(flushes(first).map(\.arg_count) == [2, 2], "nothing stood there, and then its own")

    let second = Simulation()
    try second.run {
      draft.dirty(bytes: 1)
      try Lifetrace.save(draft, to: path) { [4] }
      try Lifetrace.save(draft, to: path) { [5] }
    }
    #expect(flushes(second).map(\.arg_count) == [3, 2])
    #expect(flushes(second).first?.arg.0 == 1 && flushes(second).first?.arg.2 == 3)

    let third = Simulation()
    try third.run {
      _ = try Lifetrace.restore(draft, from: path)
      draft.dirty(bytes: 1)
      try Lifetrace.save(draft, to: path) { [6] }
      // Meanwhile another process of the app.
      let other = Simulation()
      try other.run {
        _ = try Lifetrace.restore(draft, from: path)
        for _ in 1...4 { draft.dirty(bytes: 1) }
        try Lifetrace.save(draft, to: path) { [7] }
      }
      draft.dirty(bytes: 1)
      try Lifetrace.save(draft, to: path) { [8] }
    }
    #expect(flushes(third).map(\.arg_count) == [2, 3])
    #expect(flushes(third).last?.arg.2 == 6)

    // What is no version of it, or no more, is none that could be lost.
    let fourth = Simulation()
    try fourth.run {
      let file = open(path, O_WRONLY | O_TRUNC)
      #expect(write(file, "abc", 3) == 3)
      close(file)
      draft.dirty(bytes: 1)
      try Lifetrace.save(draft, to: path) { [9] }
    }
    #expect(flushes(fourth).map(\.arg_count) == [2])
  }

  @Test func whatCannotBeReadIsNotCalledMissing() throws {
    let directory = try TestFolder()
    let simulation = Simulation()
    simulation.run {
      // A folder stands there: it can be opened, and its bytes cannot be read, whoever asks.
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.restore("draft.txt", from: directory.path)
      }
    }
    #expect(simulation.kinds == [.dataFailed])
    #expect(simulation.events.first?.arg.1 == UInt64(EISDIR))
    #expect(simulation.events.first.map { Lifetrace.Name(number: $0.arg.2).string } == "read")
  }

  @Test func nothingFoundIsVersionZero() throws {
    let directory = try TestFolder()
    let simulation = Simulation()
    try simulation.run {
      let found = try Lifetrace.restore("none", from: "\(directory.path)/none")
      #expect(found == nil)
    }
    let restored = try #require(simulation.events.first)
    #expect(simulation.kinds == [.dataRestored])
    #expect(restored.arg.0 == 0 && restored.arg.1 == 0 && restored.arg.2 == 0)
  }

  @Test func contentThatSomebodyElseWroteHasNoVersion() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    let simulation = Simulation()
    try simulation.run {
      try Lifetrace.save("draft.txt", to: path) { [1, 2, 3] }
      let file = open(path, O_WRONLY)
      #expect(write(file, "other", 5) == 5)
      close(file)
      let found = try #require(try Lifetrace.restore("draft.txt", from: path))
      #expect(found.version == 0)
      #expect(found.bytes == Array("other".utf8))
    }
  }

  @Test func failedSaveLeavesTheOldContentAndSaysWhy() throws {
    let directory = try TestFolder()
    let simulation = Simulation()
    simulation.run {
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.save("draft", to: "\(directory.path)/missing/draft.txt") { [1] }
      }
    }
    #expect(simulation.kinds == [.dataFlushing, .dataFailed])
    let failed = try #require(simulation.events.last)
    #expect(failed.arg.1 == UInt64(ENOENT))
    #expect(Lifetrace.Name(number: failed.arg.2).string == "open")
  }

  @Test func contentThatCannotBeMadeIsAFailedSave() throws {
    let directory = try TestFolder()
    let simulation = Simulation()
    simulation.run {
      #expect(throws: Refused.self) {
        try Lifetrace.save("draft", to: "\(directory.path)/draft") { () throws -> [UInt8] in
          throw Refused()
        }
      }
    }
    #expect(simulation.kinds == [.dataFailed])
    #expect(TestSession.list(directory.path).isEmpty)
  }

  @Test func fileSystemWithoutAttributesKeepsTheVersionBeside() throws {
    let directory = try TestFolder()
    let emitter = try Emitter(["sidecar", directory.path], in: nil)
    let output = String(decoding: emitter.readAll(), as: UTF8.self)
    #expect(emitter.wait() == 0)
    if output == "unprivileged\n", !Needs.isContinuousIntegration { return }
    #expect(
      output == """
        version 1 of 4 bytes
        version 2 of 8 bytes
        version 3 of 12 bytes
        version 3 of 12 bytes
        version 0 of 5 bytes

        """
    )
  }

  @Test func threadsThatSaveAtOnceWhereVersionsAreKeptBesideLoseNoVersion() throws {
    let directory = try TestFolder()
    let emitter = try Emitter(["savers", directory.path, "2000"], in: nil)
    let output = String(decoding: emitter.readAll(), as: UTF8.self)
    #expect(emitter.wait() == 0)
    if output == "unprivileged\n", !Needs.isContinuousIntegration { return }
    // The file and its note: nothing temporary is left.
    #expect(output == "0 failed, 0 of an unknown version, 2 files\n")
  }

  @Test func olderSaveThatEndsLateDoesNotReplaceTheNewerOne() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    let draft = Lifetrace.Object("draft.txt")
    let simulation = Simulation()
    try simulation.run {
      draft.dirty(bytes: 3)
      try Lifetrace.save(draft, to: path) {
        draft.dirty(bytes: 3)
        try Lifetrace.save(draft, to: path) { "new".utf8 }
        return "old".utf8
      }
      let found = try #require(try Lifetrace.restore(draft, from: path))
      #expect(found.bytes == Array("new".utf8))
      #expect(found.version == 2)
    }
    let durable = simulation.events.filter { $0.kind == EventKind.dataDurable.rawValue }
    #expect(durable.map(\.arg.0) == [2, 1])
    #expect(durable[1].arg.3 == 0, "its content is nowhere")
    #expect(TestSession.list(directory.path) == ["draft.txt"])
  }

  @Test(arguments: [mode_t(0o666), 0o640, 0o400])
  func whatIsReplacedHandsOnItsPermissions(mode: mode_t) throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/draft.txt"
    func permissions() -> mode_t {
      var facts = stat()
      return stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
    }
    try Simulation().run {
      try Lifetrace.save("draft.txt", to: path) { "one".utf8 }
      #expect(permissions() == 0o600)
      #expect(chmod(path, mode) == 0)
      try Lifetrace.save("draft.txt", to: path) { "two".utf8 }
    }
    #expect(permissions() == mode)
  }

  @Test(arguments: [true, false])
  func aLinkIsFollowedAndStays(isThere: Bool) throws {
    let directory = try TestFolder()
    let (target, link) = ("\(directory.path)/target", "\(directory.path)/link")
    #expect(symlink("second", link) == 0)
    #expect(symlink(target, "\(directory.path)/second") == 0)
    let draft = Lifetrace.Object("draft.txt")
    try Simulation().run {
      if isThere { try Lifetrace.save(draft, to: target) { "old".utf8 } }
      draft.dirty(bytes: 3)
      try Lifetrace.save(draft, to: link) { "new".utf8 }
      let found = try #require(try Lifetrace.restore(draft, from: link))
      #expect(found.bytes == Array("new".utf8))
      #expect(found.version == draft.version)
    }
    #expect(TestSession.list(directory.path) == ["link", "second", "target"])
    var facts = stat()
    for name in [link, "\(directory.path)/second"] {
      #expect(lstat(name, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
    }
    let again = Simulation()
    try again.run {
      let found = try #require(try Lifetrace.restore(draft, from: target))
      #expect(found.bytes == Array("new".utf8))
    }
  }

  @Test func linksInACircleAreRefused() throws {
    let directory = try TestFolder()
    let path = "\(directory.path)/circle"
    #expect(symlink("circle", path) == 0)
    let simulation = Simulation()
    simulation.run {
      #expect(throws: Lifetrace.FileError.self) { try Lifetrace.save("draft", to: path) { [1] } }
    }
    #expect(simulation.kinds == [.dataFlushing, .dataFailed])
  }

  // In a container every launch has the same process id: a name made of it would be taken.
  @Test func savesGoOnAfterOneThatWasKilledAndLeaveNothingOfIt() throws {
    let directory = try TestFolder()
    let path = directory.file("draft.txt")
    for _ in 0..<2 {
      #expect(try Emitter.run("cut-save", path, in: nil) == 128 + SIGXFSZ)
      #expect(directory.names == ["draft.txt.saving-0"])
    }
    let simulation = Simulation()
    try simulation.run { try Lifetrace.save("draft.txt", to: path) { [1, 2, 3] } }
    #expect(simulation.kinds == [.dataFlushing, .dataDurable])
    #expect(directory.names == ["draft.txt"])
  }

  @Test func aSaveLeavesTheTemporaryOfAnotherThatIsAtWork() throws {
    let directory = try TestFolder()
    let path = directory.file("draft.txt")
    // Whoever holds its lock lives; the one behind it has no lock.
    let other = open(path + ".saving-0", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    #expect(flock(other, LOCK_EX) == 0)
    for number in 1...2 { try directory.write("left", to: "draft.txt.saving-\(number)") }
    let simulation = Simulation()
    try simulation.run { try Lifetrace.save("draft.txt", to: path) { [1, 2, 3] } }
    #expect(directory.names == ["draft.txt", "draft.txt.saving-0"])
    close(other)
    try simulation.run { try Lifetrace.save("draft.txt", to: path) { [4] } }
    #expect(directory.names == ["draft.txt"])
  }

  @Test func hashIsXXH64() {
    let hash = { (text: String) in Array(text.utf8).withUnsafeBytes { Lifetrace.hash($0) } }
    #expect(hash("") == 0xef46_db37_51d8_e999)
    #expect(hash("a") == 0xd24e_c4f1_a98c_6e5b)
    #expect(hash("abc") == 0x44bc_2cf5_ad77_0999)
    #expect(hash("xxhash") == 0x32dd_3895_2c4b_c720)
    let lengths = (28...36).map { hash(String(repeating: "x", count: $0)) }
    #expect(Set(lengths).count == lengths.count)
  }
}
