// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Glibc
import Lifetrace
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace

/// What stands in the file of an object, and whose it is: copies, moves, other writers.
@Suite struct StandingContentTests {
  @Test func anEditThatWasTakenBackIsSaidToBeSaved() throws {
    let directory = try TestFolder()
    let path = directory.file("draft.txt")
    let draft = Lifetrace.Object("draft.txt")
    let simulation = Simulation()
    try simulation.run {
      #expect(!draft.unchanged(), "nothing is known of it")
      draft.dirty { "one".utf8 }
      try Lifetrace.save(draft, to: path) { "one".utf8 }
      draft.dirty { "two".utf8 }
      draft.dirty { "one".utf8 }
      #expect(draft.unchanged())
    }
    let again = Simulation()
    try again.run {
      _ = try Lifetrace.restore(draft, from: path)
      let version = draft.dirty { "one".utf8 }
      #expect(draft.unchanged(version: version))
    }
    let hash = Array("one".utf8).withUnsafeBytes { Lifetrace.hash($0) }
    let said = try #require(simulation.events.last)
    #expect(simulation.kinds.suffix(3) == [.dataDirty, .dataDirty, .dataUnchanged])
    #expect(simulation.events[0].arg.2 == hash && simulation.events[0].arg.1 == 3)
    #expect(said.arg.0 == 3 && said.arg.2 == 3 && said.arg.3 == hash)
    #expect(said.arg.1 == UInt64(DurabilityLevel.disk.rawValue))
    let found = try #require(again.events.last)
    #expect(found.arg.0 == 2 && found.arg.3 == hash)
    // Whether what it has read was synced, the app cannot know.
    #expect(found.arg.1 == UInt64(DurabilityLevel.kernel.rawValue))
  }

  /// A backup, an export: what its own file holds is what it held.
  @Test func anotherFileThanItsOwnHoldsACopy() throws {
    let directory = try TestFolder()
    let (own, other) = (directory.file("letter"), directory.file("letter.bak"))
    let letter = Lifetrace.Object("letter")
    let simulation = Simulation()
    try simulation.run {
      letter.dirty { "one".utf8 }
      try Lifetrace.save(letter, to: own) { "one".utf8 }
      letter.dirty { "two".utf8 }
      try Lifetrace.save(letter, to: other) { "two".utf8 }
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.save(letter, to: directory.file("missing/letter")) { "two".utf8 }
      }
      #expect(try Lifetrace.restore(letter, from: other)?.bytes == Array("two".utf8))
      letter.dirty { "one".utf8 }
      #expect(letter.unchanged(), "its own holds it still")
    }
    #expect(
      simulation.kinds == [
        .dataDirty, .dataFlushing, .dataDurable, .dataDirty, .dataCopied, .dataFailed, .dataRead,
        .dataDirty, .dataUnchanged,
      ]
    )
    #expect(simulation.events[5].arg.3 == 1, "it is no save of its own that has failed")
    #expect(simulation.events.last?.arg.3 == simulation.events[0].arg.2)
  }

  @Test func anObjectLivesWhereItWasFirstLookedFor() throws {
    let directory = try TestFolder()
    let (new, old) = (directory.file("new"), directory.file("old"))
    try Simulation().run { try Lifetrace.save("letter", to: old) { "one".utf8 } }
    let simulation = Simulation()
    try simulation.run {
      #expect(try Lifetrace.restore("letter", from: new) == nil)
      #expect(try Lifetrace.restore("letter", from: old) != nil)
      try Lifetrace.save("letter", to: new) { "one".utf8 }
    }
    #expect(simulation.kinds == [.dataRestored, .dataRead, .dataFlushing, .dataDurable])
  }

  @Test func aSaveThatFailsDoesNotSayWhereAnObjectLives() throws {
    let directory = try TestFolder()
    let simulation = Simulation()
    try simulation.run {
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.save("letter", to: directory.file("missing/letter")) { [1] }
      }
      try Lifetrace.save("letter", to: directory.file("letter")) { [1] }
    }
    #expect(simulation.kinds == [.dataFlushing, .dataFailed, .dataFlushing, .dataDurable])
  }

  @Test func onePathHasManySpellings() throws {
    let directory = try TestFolder()
    #expect(mkdir(directory.file("here"), 0o700) == 0)
    #expect(symlink("here", directory.file("there")) == 0)
    let simulation = Simulation()
    try simulation.run {
      for path in ["here/letter", "there/letter", "here/../here//letter"] {
        try Lifetrace.save("letter", to: directory.file(path)) { [1] }
      }
    }
    #expect(!simulation.kinds.contains(.dataCopied))
  }

  @Test func whatWasGivenUpOrWrittenOtherwiseIsNotSaidToBeUnchanged() throws {
    let directory = try TestFolder()
    let path = directory.file("letter")
    let letter = Lifetrace.Object("letter")
    try Simulation().run {
      for forget in [
        { letter.discarded() }, { letter.flushing(version: letter.version, bytes: 3) },
        { letter.durable(version: letter.version, level: .disk, bytes: 3) },
        { letter.restored(version: 0, bytes: 0) },
      ] {
        letter.dirty { "one".utf8 }
        try Lifetrace.save(letter, to: path) { "one".utf8 }
        #expect(letter.unchanged())
        forget()
        #expect(!letter.unchanged())
      }
      // Until somebody looks.
      _ = try Lifetrace.restore(letter, from: path)
      #expect(letter.unchanged())
      #expect(unlink(path) == 0)
      _ = try Lifetrace.restore(letter, from: path)
      #expect(!letter.unchanged(), "nothing is there")
    }
  }

  @Test func whatAnotherAppHasPutThereIsReadBackAndStandsThere() throws {
    let directory = try TestFolder()
    let path = directory.file("letter")
    let letter = Lifetrace.Object("letter")
    let (here, there) = (Simulation(), Simulation())
    try here.run { try Lifetrace.save(letter, to: path) { "one".utf8 } }
    try there.run {
      letter.dirty { "two".utf8 }
      try Lifetrace.save(letter, to: path) { "two".utf8 }
    }
    try here.run {
      _ = try Lifetrace.restore(letter, from: path)
      letter.dirty { "two".utf8 }
      #expect(letter.unchanged())
    }
    #expect(here.events.last?.arg.3 == there.events[0].arg.2)
  }

  @Test func aSaveSaysWhatItReplacesThatThisProcessHasNeverSeen() throws {
    let directory = try TestFolder()
    let path = directory.file("letter")
    let letter = Lifetrace.Object("letter")
    func write(_ text: String, in process: Simulation) throws -> UInt64? {
      try process.run {
        letter.dirty { text.utf8 }
        try Lifetrace.save(letter, to: path) { text.utf8 }
      }
      let flush = try #require(
        process.events.last { $0.kind == EventKind.dataFlushing.rawValue }
      )
      return flush.arg_count > 2 ? flush.arg.2 : nil
    }
    let (here, there) = (Simulation(), Simulation())
    #expect(try write("one", in: here) == nil)
    here.run { letter.discarded() }
    #expect(try write("one, again", in: here) == nil, "what was given up is not what it has saved")
    _ = try there.run { try Lifetrace.restore(letter, from: path) }
    #expect(try write("two", in: there) == nil, "it has read what it replaces")
    #expect(try write("three", in: here) == 3)
    #expect(try write("three", in: there) == nil, "the same bytes replace nothing")
  }

  @Test func whatIsSaidToBeUnchangedIsNotReplacedByAnOlderSave() throws {
    let directory = try TestFolder()
    let path = directory.file("draft.txt")
    let draft = Lifetrace.Object("draft.txt")
    let simulation = Simulation()
    try simulation.run {
      draft.dirty { "one".utf8 }
      try Lifetrace.save(draft, to: path) { "one".utf8 }
      draft.dirty { "two".utf8 }
      try Lifetrace.save(draft, to: path) {
        // Another thread, while the bytes of version 2 are made.
        let version = draft.dirty { "one".utf8 }
        #expect(draft.unchanged(version: version))
        return "two".utf8
      }
    }
    #expect(SmallFile.bytesIfReadable(path).map { String(decoding: $0, as: UTF8.self) } == "one")
    #expect(simulation.events.last?.arg.3 == 0, "the older one has been superseded")
  }

  // The list of the XXH64 specification, and lengths around its block of 32.
}
