// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceTrace
import Support
import Testing

/// A file that an app has moved to another place.
@Suite struct MovedFileTests {
  @Test func whatIsSavedWhereItLivesNowIsNoCopy() throws {
    let directory = try TestFolder()
    let (old, new) = (directory.file("letter.txt"), directory.file("letter-2.txt"))
    let letter = Lifetrace.Object("letter")
    try Simulation().run { try Lifetrace.save(letter, to: old) { "one".utf8 } }
    let simulation = Simulation()
    try simulation.run {
      #expect(try Lifetrace.restore(letter, from: old) != nil)
      letter.moved(to: new)
      #expect(!letter.unchanged(), "nothing is known of the new place")
      try Lifetrace.save(letter, to: new) { "one".utf8 }
      #expect(letter.unchanged())
      letter.dirty { "two".utf8 }
      try Lifetrace.save(letter, to: old) { "two".utf8 }
    }
    #expect(
      simulation.kinds == [
        .dataRestored, .dataFlushing, .dataDurable, .dataUnchanged, .dataDirty, .dataCopied,
      ]
    )
  }

  /// Two files in turn, of which the newer counts: what a save replaces there has been overtaken.
  @Test func whatStoodWhereItHasMovedIsNotItsBase() throws {
    let directory = try TestFolder()
    let slots = [directory.file("even"), directory.file("odd")]
    let state = Lifetrace.Object("state")
    let simulation = Simulation()
    try simulation.run {
      for turn in 1...3 {
        let slot = slots[turn % 2]
        state.moved(to: slot)
        state.dirty { [UInt8(turn)] }
        try Lifetrace.save(state, to: slot) { [UInt8(turn)] }
      }
    }
    let saves = simulation.events.filter { EventKind(rawValue: $0.kind) == .dataFlushing }
    #expect(saves.map(\.arg_count) == [2, 2, 2], "none says what it replaces unread")
  }

  /// A draft is given up and its file removed; the next one has another file.
  @Test func whatIsMadeAnewElsewhereIsNoCopy() throws {
    let directory = try TestFolder()
    let (old, new) = (directory.file("draft-1"), directory.file("draft-2"))
    let draft = Lifetrace.Object("draft")
    let simulation = Simulation()
    try simulation.run {
      draft.dirty { "one".utf8 }
      try Lifetrace.save(draft, to: old) { "one".utf8 }
      draft.discarded()
      unlink(old)
      draft.dirty { "two".utf8 }
      // A save that fails settles it nowhere.
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.save(draft, to: directory.file("missing/draft")) { "two".utf8 }
      }
      try Lifetrace.save(draft, to: new) { "two".utf8 }
      #expect(draft.unchanged())
      draft.dirty { "three".utf8 }
      try Lifetrace.save(draft, to: directory.file("copy")) { "three".utf8 }
      // Where it has lived before it may live again.
      try Lifetrace.save(draft, to: old) { "three".utf8 }
      #expect(try Lifetrace.restore(draft, from: old) != nil)
    }
    #expect(
      simulation.kinds == [
        .dataDirty, .dataFlushing, .dataDurable, .dataDiscarded,
        .dataDirty, .dataFlushing, .dataFailed, .dataFlushing, .dataDurable, .dataUnchanged,
        .dataDirty, .dataCopied, .dataFlushing, .dataDurable, .dataRestored,
      ]
    )
  }

  /// An edit is taken back: its file is there, and what is written elsewhere is a copy.
  @Test func whatIsGivenUpWithoutItsFileLivesThereStill() throws {
    let directory = try TestFolder()
    let (own, other) = (directory.file("letter"), directory.file("letter.backup"))
    let letter = Lifetrace.Object("letter")
    let simulation = Simulation()
    try simulation.run {
      try Lifetrace.save(letter, to: own) { "one".utf8 }
      letter.dirty { "two".utf8 }
      letter.discarded()
      letter.dirty { "three".utf8 }
      try Lifetrace.save(letter, to: other) { "three".utf8 }
      unlink(own)
      // Of what was not given up a file that is gone is none that has moved.
      try Lifetrace.save(letter, to: own) { "three".utf8 }
      unlink(own)
      letter.dirty { "four".utf8 }
      try Lifetrace.save(letter, to: other) { "four".utf8 }
    }
    #expect(
      simulation.kinds == [
        .dataFlushing, .dataDurable, .dataDirty, .dataDiscarded, .dataDirty, .dataCopied,
        .dataFlushing, .dataDurable, .dataDirty, .dataCopied,
      ]
    )
  }

  @Test func aPlaceThatCannotBeIsToldByTheSave() throws {
    let directory = try TestFolder()
    let letter = Lifetrace.Object("letter")
    let simulation = Simulation()
    simulation.run {
      letter.moved(to: directory.file("missing/letter"))
      #expect(throws: Lifetrace.FileError.self) {
        try Lifetrace.save(letter, to: directory.file("missing/letter")) { "one".utf8 }
      }
    }
    #expect(simulation.kinds == [.dataFlushing, .dataFailed])
  }
}
