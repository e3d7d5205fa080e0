// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Testing
import LifetraceTrace

/// What stands in the file is what the newest save put there: bytes count, not numbers.
@Suite struct StandingTests {
  /// Hashes of contents.
  private static let (a, b): (UInt64, UInt64) = (0xa, 0xb)

  private func fold(_ body: (inout Fold) -> Void) -> LifeState {
    var fold = Fold()
    fold.add(.processStart)
    body(&fold)
    return fold.state
  }

  private func unsaved(at level: DurabilityLevel = .kernel, _ body: (inout Fold) -> Void) -> Bool {
    !fold(body).unsaved(at: level).isEmpty
  }

  @Test func anEditThatIsTakenBackIsSaved() {
    let taken: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(!unsaved(taken))
    #expect(!unsaved(at: .disk, taken))
    // Since the edit after it, not since the first.
    let object = fold {
      taken(&$0)
      $0.data(.dataDirty, 4, hash: Self.b)
    }.data.entries.first?.value
    #expect(object?.firstUnsaved?.version == 4)
  }

  /// A save that names no hash is of the version that an edit, or another save, has told of.
  @Test func aSaveWithoutAHashIsOfWhatWasTold() {
    for early in [Self.a, 0] {
      #expect(
        !unsaved(at: .disk) {
          $0.data(.dataDirty, 1, hash: Self.a)
          $0.save(1, .disk, hash: early)
          $0.save(1, .disk, hash: 0)
          $0.data(.dataDirty, 2, hash: Self.b)
          $0.data(.dataDirty, 3, hash: Self.a)
        }
      )
    }
    // Not of one that nobody told of.
    #expect(
      unsaved(at: .disk) {
        $0.data(.dataDirty, 1, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        $0.save(1, .disk, hash: 0)
        $0.data(.dataDirty, 3, hash: Self.a)
      }
    )
  }

  @Test func whatANewerSaveHasReplacedIsNotThere() {
    let replaced: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.save(2, .kernel, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(unsaved(replaced))
    // On the disk the first may stand or the second.
    #expect(unsaved(at: .disk, replaced))
    #expect(fold(replaced).data.entries.first?.value.isSynced == false)
  }

  @Test func equalHashesOfOtherSizesOrUnknownOnesAreNotEqual() {
    #expect(
      unsaved {
        $0.data(.dataDirty, 1)
        $0.save(1, .disk, hash: 0)
        $0.data(.dataDirty, 2)
      }
    )
    #expect(
      unsaved {
        $0.save(1, .disk, hash: Self.a)
        let object = UInt64($0.object.rawValue)
        $0.add(.dataDirty, identity: object, arguments: (2, 11, Self.a, 0))
      }
    )
  }

  @Test func aSaveUnderWayMayReplaceIt() {
    let under: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataFlushing, 2, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(unsaved(under))
    #expect(
      !unsaved {
        under(&$0)
        $0.data(.dataFailed, 2)
      },
      "it has failed: what stood there still does"
    )
    #expect(
      unsaved {
        under(&$0)
        $0.data(.dataDurable, 2, level: .disk, hash: Self.b)
      }
    )
    #expect(
      fold {
        under(&$0)
        $0.data(.dataFlushing, 3, hash: Self.a)
      }.data.entries.first?.value.isBeingSaved == true
    )
  }

  @Test func whatIsSaidToBeUnchangedIsWhereItsBytesAre() {
    let said: (inout Fold) -> Void = {
      $0.data(.dataRestored, 1, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.a)
      $0.data(.dataDurable, 2, level: .kernel, hash: Self.a)
    }
    #expect(!unsaved(said))
    #expect(!unsaved(at: .disk, said), "what the launch found was on the disk")
    // Of something else that it says so: it is mistaken.
    #expect(
      unsaved {
        $0.data(.dataRestored, 1, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        $0.data(.dataDurable, 2, level: .kernel, hash: Self.a)
      }
    )
  }

  @Test func whatTheLifeBeforeHasNotSyncedIsNotOnTheDisk() {
    var first = Fold()
    first.add(.processStart)
    first.data(.dataDirty, 1, hash: Self.a)
    first.save(1, .kernel, hash: Self.a)
    var second = Fold()
    second.state.beginIncarnation(after: first.state, names: first.names)
    second.add(.processStart)
    second.data(.dataRestored, 1, hash: Self.a)
    second.data(.dataDirty, 2, hash: Self.a)
    #expect(second.state.unsaved(at: .kernel).isEmpty)
    #expect(second.state.unsaved(at: .disk).count == 1)
  }

  @Test func aSaveMayWriteOtherBytesThanTheEditTold() {
    // A file may have more in it than what was edited; without a save it is a mistake.
    let edit: (inout Fold) -> Void = { $0.data(.dataDirty, 1, hash: Self.a) }
    #expect(
      !unsaved(at: .disk) {
        edit(&$0)
        $0.save(1, .disk, hash: Self.b)
      }
    )
    #expect(
      unsaved(at: .disk) {
        edit(&$0)
        $0.data(.dataDurable, 1, level: .disk, hash: Self.b)
      }
    )
  }

  @Test func whileOneOfSeveralSavesIsUnderWayNothingIsCertain() throws {
    let object = try #require(
      fold {
        $0.save(1, .disk, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        for _ in 0..<2 { $0.data(.dataFlushing, 2) }
        $0.data(.dataFailed, 2)
        $0.data(.dataDirty, 3, hash: Self.a)
      }.data.entries.first?.value
    )
    #expect(object.isUnsaved(at: .kernel))
  }

  /// A save that a newer one has overtaken ends when it likes: it is not the end of the next.
  @Test(arguments: [EventKind.dataDurable, .dataFailed])
  func theEndOfAnOvertakenSaveIsNotThatOfTheNext(end: EventKind) throws {
    let object = try #require(
      fold {
        $0.data(.dataFlushing, 1)
        $0.data(.dataDirty, 2, hash: Self.a)
        $0.save(2, .kernel, hash: Self.a)
        $0.data(.dataDirty, 3, hash: Self.b)
        $0.data(.dataFlushing, 3)
        $0.data(end, 1, level: .kernel, hash: 0)
      }.data.entries.first?.value
    )
    #expect(object.isUnsaved(at: .kernel))
    #expect(object.isBeingSaved)
    #expect(object.flushing?.version == 3)
  }

  @Test func aReadThatFailsEndsNoSave() throws {
    let under: (inout Fold) -> Void = {
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataFlushing, 2)
      $0.data(.dataFailed, 1)
    }
    #expect(fold(under).data.entries.first?.value.isBeingSaved == true)
    let ended = fold {
      under(&$0)
      $0.data(.dataFailed, 2)
    }
    #expect(ended.data.entries.first?.value.isBeingSaved == false)
  }

  @Test func moreSavesAtOnceThanAreListedAreAllAwaited() throws {
    let count = UInt64(OpenFlushes.listedMax) + 2
    let all: (inout Fold) -> Void = { fold in
      for version in 1...count { fold.data(.dataFlushing, version) }
    }
    // Of those that have failed nothing is known but that they have.
    for failed in 1...count {
      let object = try #require(
        fold {
          all(&$0)
          for version in 1...failed { $0.data(.dataFailed, version) }
        }.data.entries.first?.value
      )
      #expect(object.openFlushes.isEmpty == (failed == count))
      #expect((object.flushing == nil) == (failed == count))
    }
    let newest = fold {
      all(&$0)
      $0.data(.dataDurable, count, level: .kernel, hash: Self.a)
    }
    #expect(newest.data.entries.first?.value.openFlushes == OpenFlushes())
  }
}
