// SPDX-License-Identifier: Apache-2.0
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
